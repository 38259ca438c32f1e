"""All vectors of proto/vectors against this client. python3 -m unittest discover -s proto/examples/python"""
import asyncio
import base64
import hashlib
import json
import pathlib
import sys
import unittest

import fake
import msgpack
import protocol as p
import websocket
import windows

VECTORS = pathlib.Path(__file__).resolve().parents[2] / "vectors"
EPOCH = 305419896


def load(name):
    return json.loads((VECTORS / name).read_text("utf-8"))


def unhex(text):
    return bytes.fromhex(text.replace(" ", ""))


def cut(frame, count):
    return (frame + [None] * count)[:count]


class Bytes(unittest.TestCase):
    def test_decode(self):
        for vector in load("decode.json")["vectors"]:
            for form in vector["forms"]:
                with self.subTest(vector["name"], form=form["form"]):
                    frame = p.decode(unhex(form["hex"]), p.MSGPACK)
                    self.same(cut(frame, len(vector["frame"])), vector["frame"])

    def same(self, got, wanted):
        """Arrays inside may be longer than those of the vector: what is behind is of later versions."""
        if isinstance(wanted, list):
            self.assertIsInstance(got, list)
            for left, right in zip(cut(got, len(wanted)), wanted):
                self.same(left, right)
        else:
            self.assertEqual(got, wanted)

    def test_unknown(self):
        for vector in load("decode.json")["unknown"]:
            with self.subTest(vector["name"]):
                frame = p.decode(unhex(vector["hex"]), p.MSGPACK)
                if vector["expect"] == "skip":
                    self.assertNotIn(frame[0], p.FIELDS)

    def test_encode(self):
        for vector in load("encode.json")["vectors"]:
            with self.subTest(vector["name"]):
                self.assertEqual(p.decode(unhex(vector["hex"]), p.MSGPACK), vector["json"])
                for subprotocol in (p.MSGPACK, p.JSON):
                    self.assertEqual(p.decode(p.encode(vector["json"], subprotocol), subprotocol), vector["json"])

    def test_invalid(self):
        """Which code a server would close with is its affair; that these are no frames is the reader's."""
        vectors = load("invalid.json")
        for vector in vectors["vectors"]:
            with self.subTest(vector["name"]):
                data = b"".join(unhex(text) * times for text, times in vector["parts"])
                self.refuses(data, p.MSGPACK, vector["close"])
        for vector in vectors["json"]:
            with self.subTest("json: " + vector["name"]):
                self.refuses("".join(text * times for text, times in vector["parts"]), p.JSON, vector["close"])

    def refuses(self, message, subprotocol, close):
        size = len(message.encode("utf-8", "surrogatepass")) if isinstance(message, str) else len(message)
        self.assertEqual(size > p.MAX_CLIENT_FRAME, close == 1009)
        with self.assertRaises(p.NoFrame):
            p.decode(message, subprotocol, p.MAX_CLIENT_FRAME)

    def test_bytes_of_the_text(self):
        text = (VECTORS.parent / "PROTOCOL.md").read_text("utf-8").split("```hex\n")[1].split("```")[0]
        for line in text.strip().split("\n"):
            data, _, frame = line.partition("    ")
            with self.subTest(line):
                self.assertEqual(p.decode(unhex(data), p.MSGPACK), json.loads(frame))

    def test_integers(self):
        for exponent in range(54):
            for value in {2**exponent - 1, 2**exponent, -(2**exponent), 1 - 2**exponent, -1 - 2**exponent}:
                if abs(value) < 2**53:
                    self.assertEqual(msgpack.read(msgpack.write(value)), value)

    def test_lengths(self):
        for count in (0, 15, 16, 31, 32, 255, 256, 65535, 65536):
            self.assertEqual(msgpack.read(msgpack.write("x" * count)), "x" * count)
            self.assertEqual(msgpack.read(msgpack.write([1] * count)), [1] * count)


class Windows(unittest.TestCase):
    def test_check(self):
        for vector in load("check.json")["vectors"]:
            with self.subTest(vector["name"]):
                rows = [tuple(cut(row, 3)) for row in vector["rows"]]
                with_rank = any(len(row) == 3 for row in vector["rows"])
                self.assertEqual(windows.checksum(rows, with_rank), vector["check"])

    def test_apply(self):
        """Through a whole session, so that RESYNC is counted where it is sent."""
        for vector in load("apply.json")["vectors"]:
            for subprotocol in (p.MSGPACK, p.JSON):
                with self.subTest(vector["name"]):
                    player = started(vector["window"] == "placed", vector["frames"][0][1], subprotocol)
                    for frame in vector["frames"]:
                        player.step({"send": frame})
                    sent = player.socket({}).sent
                    self.assertEqual([frame[0] for frame in sent], [p.RESYNC] * vector["expect"]["resyncs"])
                    self.assertEqual(player.windows["w"].view.table(), vector["expect"]["entries"])


def started(placed, topic, subprotocol):
    """A live session with one window, w, whose snapshot is still to come."""
    kind, token = (p.TOP, None) if placed else (p.FRIENDS, "token")
    player = fake.Player({"token": token, "steps": [
        {"watch": "w", "kind": kind, "boardId": "arena", "args": []},
        {"open": 1, "withinMs": 1000},
        {"expect": [p.HELLO, token, {"any": True}, p.CAPS, None]},
        {"send": [p.WELCOME, "s1", 0, 25000, None, None, [32, 4096, 60, 65536], 7, "0"]},
        {"expect": [p.SUBSCRIBE, {"as": "r"}, kind, "arena", [], None, None]},
        {"send": [p.SUBSCRIBED, {"is": "r"}, topic, 0, EPOCH, 0, ["arena"]]},
    ]}, 0.5, subprotocol)
    player.play()
    return player


class Flows(unittest.TestCase):
    def test_flows(self):
        for flow in load("flows.json")["flows"]:
            for factor in (0, 0.1, 0.5, 0.999999):
                for subprotocol in (p.MSGPACK, p.JSON):
                    with self.subTest(flow["name"], factor=factor, subprotocol=subprotocol):
                        fake.Player(flow, factor, subprotocol).play()


class Sessions(unittest.TestCase):
    """What flows.json does not play, by the text."""

    def player(self, steps, factor=0.5):
        fake.Player({"token": None, "steps": steps}, factor, p.MSGPACK).play()

    welcome = [p.WELCOME, "s1", 0, 25000, None, None, [32, 4096, 60, 65536], 7, "0"]
    any = {"any": True}
    begin = [
        {"watch": "a", "kind": 1, "boardId": "arena", "args": [3]},
        {"open": 1, "withinMs": 1000}, {"expect": [1, None, any, any, None]}, {"send": welcome},
        {"expect": [16, {"as": "r1"}, 1, "arena", [3], None, None]},
    ]
    whole = begin + [
        {"send": [17, {"is": "r1"}, 7, 0, EPOCH, 41, []]},
        {"send": [32, 7, EPOCH, 41, 1, 9, [[1, 1518, None, "ada", "Ada"]], 0]},
        {"shows": "a", "rows": [["ada", 1518, 1]]},
    ]

    def test_left_and_wanted_again_before_the_answer(self):
        self.player(self.begin + [
            {"leave": "a"}, {"watch": "a", "kind": 1, "boardId": "arena", "args": [3]},
            {"send": [17, {"is": "r1"}, 7, 0, EPOCH, 41, []]},
            {"send": [32, 7, EPOCH, 41, 1, 9, [[1, 1518, None, "ada", "Ada"]], 0]},
            {"shows": "a", "rows": [["ada", 1518, 1]]},
            {"quiet": 10000},
        ])

    def test_a_handshake_without_an_end(self):
        player = fake.Player({"token": None, "steps": []}, 0.5, p.MSGPACK)
        player.step(self.begin[0])
        player.host.advance(8000 + 500)
        self.assertEqual([socket.open for socket in player.host.sockets], [False, True])

    def test_a_snapshot_that_does_not_come(self):
        self.player(self.begin + [
            {"send": [17, {"is": "r1"}, 7, 0, EPOCH, 41, []]}, {"quiet": 4900},
            {"expect": [16, {"as": "r2"}, 1, "arena", [3], None, None], "withinMs": 200},
        ])

    def test_watched_while_moving_and_the_second_socket_is_lost(self):
        self.player(self.whole + [
            {"send": [6, 1, 0, 10000, None]}, {"open": 2, "withinMs": 100},
            {"expect": [1, None, self.any, self.any, "s1"]},
            {"send": self.welcome}, {"expect": [16, self.any, 1, "arena", [3], EPOCH, 41]},
            {"watch": "b", "kind": 1, "boardId": "duel", "args": []},
            {"expect": [16, self.any, 1, "duel", [], None, None]},
            {"close": 1006}, {"expect": [16, self.any, 1, "duel", [], None, None], "on": 1},
            {"open": 3, "withinMs": 20000}, {"expect": [1, None, self.any, self.any, "s1"]},
        ])

    def test_what_is_no_frame_for_a_window_drops_the_socket(self):
        self.player(self.whole + [
            {"send": [33, 7, 42, 1, [], [["first", 1, 1]], None, None, 0]},
            {"open": 2, "withinMs": 500}, {"expect": [1, None, self.any, self.any, "s1"]}, {"send": self.welcome},
            {"expect": [16, self.any, 1, "arena", [3], EPOCH, 41]},
        ])


def accept(head):
    """What a server answers to the handshake."""
    key = next(line for line in head.split("\r\n") if line.lower().startswith("sec-websocket-key")).split(": ")[1]
    offered = next(line for line in head.split("\r\n") if line.lower().startswith("sec-websocket-protocol"))
    digest = base64.b64encode(hashlib.sha1((key + websocket.GUID).encode()).digest()).decode()
    return (
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Accept: {digest}\r\n{offered}\r\n\r\n").encode()


class Sockets(unittest.IsolatedAsyncioTestCase):
    """The WebSocket client against bytes of RFC 6455 that are written by hand."""

    async def listen(self, *chunks, hold=False):
        """The URL of a server that sends these bytes to whoever comes, and a list of what it got. It goes when
        something came; with hold when the client closes."""
        got = []

        async def answer(reader, writer):
            writer.write(accept((await reader.readuntil(b"\r\n\r\n")).decode()))
            for chunk in chunks:
                writer.write(chunk)
            got.append(await reader.read(4096))
            while hold and got[-1] and got[-1][0] != 0x88:
                got.append(await reader.read(4096))
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        self.addCleanup(server.close)
        return f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1/socket", got

    async def serve(self, *chunks):
        url, got = await self.listen(*chunks)
        return await websocket.connect(url, p.MSGPACK), got

    async def test_command_line(self):
        frames = [
            [2, "s1", 0, 25000, None, None, [32, 4096, 60, 65536], 7, "0"], [17, 1, 7, 0, EPOCH, 41, ["arena"]],
            [32, 7, EPOCH, 41, 1, 2, [[1, 1518, None, "ada", "Ada"], [2, 1500, None, "bo", None]], 0],
            [33, 7, 42, 1, [], [[0, 2, 1600]], None, None, 0],
            [37, 7, EPOCH, 42, windows.checksum([(2, 1600, 0), (1, 1518, 0)], False)],
        ]
        for subprotocol, options, opcode in ((p.MSGPACK, [], 0x82), (p.JSON, ["--json"], 0x81)):
            messages = [p.encode(frame, subprotocol) for frame in frames]
            messages = [message.encode() if isinstance(message, str) else message for message in messages]
            url, _ = await self.listen(*[bytes([opcode, len(message)]) + message for message in messages], hold=True)
            here = pathlib.Path(__file__).with_name("client.py")
            process = await asyncio.create_subprocess_exec(
                sys.executable, here, "--url", url, "--top", "3", *options, stdout=asyncio.subprocess.PIPE)
            lines = [json.loads(await process.stdout.readline()) for _ in range(2)]
            await asyncio.sleep(0.1)  # for the SYNC, which changes nothing
            process.terminate()
            lines.append(json.loads((await process.communicate())[0])["summary"])
            self.assertEqual(lines[1], {
                "window": "top", "epoch": EPOCH, "seq": 42, "rows": [[1, "bo", 1600], [2, "ada", 1518]]})
            self.assertEqual((lines[2]["frames"], lines[2]["syncPassed"], lines[2]["syncFailed"]), (5, 1, 0))

    async def test_fragments_ping_close(self):
        socket, got = await self.serve(
            b"\x02\x01a", b"\x89\x01p", b"\x00\x01b", b"\x80\x7e\x00\x01c", b"\x88\x02\x11\x97")
        self.assertEqual(await socket.receive(), b"abc")
        with self.assertRaises(websocket.Closed) as closed:
            await socket.receive()
        self.assertEqual(closed.exception.code, 4503)
        await asyncio.sleep(0.05)
        key, data = got[0][2:6], got[0][6:7]
        self.assertEqual((got[0][:2], websocket.mask(data, key)), (b"\x8a\x81", b"p"))

    async def test_no_close_frame(self):
        socket, _ = await self.serve(b"\x82\x05ab")
        socket.send(b"x")
        with self.assertRaises(websocket.Closed) as closed:
            await socket.receive()
        self.assertEqual(closed.exception.code, 1006)

    async def test_what_a_server_must_not(self):
        long = b"\x82\x7f" + b"\xff" * 8
        for chunk in (b"\xc2\x01a", b"\x82\x81aaaaa", b"\x80\x01a", b"\x09\x00", long, b"\x81\x01\xff"):
            socket, _ = await self.serve(chunk)
            with self.assertRaises(websocket.Closed):
                await socket.receive()


if __name__ == "__main__":
    unittest.main()
