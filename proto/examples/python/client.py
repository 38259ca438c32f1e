"""Watch live ranks from the command line: one JSON line for each change of a window, a summary at the end.

python3 client.py --url ws://127.0.0.1:8080/v1/socket --token T --board arena --top 10 --friends --me --seconds 10
"""
import argparse
import asyncio
import json
import pathlib
import random
import signal
import sys

import protocol as p
import websocket
from session import Client

NO_CONNECTION = (OSError, EOFError, ValueError, IndexError)  # the last two: an answer that is no HTTP
NAMES = {p.TOP: "top", p.ME: "me", p.FRIENDS: "friends"}


class Timer:
    def __init__(self, loop, ms, function):
        self.handle = loop.call_later(ms / 1000, function)

    def cancel(self):
        self.handle.cancel()


class Host:
    """Sockets, time and chance from asyncio, as connection.py describes it."""

    def __init__(self, options):
        self.options = options
        self.subprotocol = p.JSON if options.json else p.MSGPACK
        self.loop = asyncio.get_running_loop()
        self.random = random.random
        self.ended = asyncio.Event()
        self.sockets = {}
        self.tasks = {}
        self.closes = []
        self.errors = []
        self.reason = None

    def token(self):
        # A file is read anew each time: that is how this client gets a fresh token for REFRESH and after 4401.
        if self.options.token_file:
            return pathlib.Path(self.options.token_file).read_text("utf-8").strip() or None
        return self.options.token

    def timer(self, ms, function):
        return Timer(self.loop, ms, function)

    def open(self, connection, url):
        self.tasks[connection] = self.loop.create_task(self.run(connection, url))

    async def run(self, connection, url):
        try:
            try:
                socket = await websocket.connect(url, self.subprotocol)
            except websocket.Refused as error:
                connection.refused(error.status, error.retry_after_ms)
                return
            except (*NO_CONNECTION, asyncio.LimitOverrunError, asyncio.TimeoutError) as error:
                self.note("error", {"code": 0, "message": f"no connection: {error}"})
                connection.closed(1006)
                return
            self.sockets[connection] = socket
            if connection.state == "closed":
                socket.close_soon()
            connection.opened()
            try:
                while True:
                    message = await socket.receive()
                    if connection.state != "closed":
                        self.read(connection, message)
            except websocket.Closed as error:
                connection.closed(error.code)
        finally:
            self.sockets.pop(connection, None)
            self.tasks.pop(connection, None)

    def read(self, connection, message):
        try:
            frame = p.decode(message, self.subprotocol)
        except p.NoFrame as error:
            self.note("error", {"code": 0, "message": f"no frame: {error}"})
            connection.no_frame()
        else:
            connection.message(frame)

    def send(self, connection, frame):
        self.sockets[connection].send(p.encode(frame, self.subprotocol))

    def close(self, connection, code):
        if connection in self.sockets:
            self.sockets[connection].close_soon(code)

    # What the session tells.

    def changed(self, window):
        rows = [[rank, player, score] for player, score, rank in window.view.table()]
        show({"window": NAMES[window.kind], "epoch": window.view.epoch, "seq": window.view.seq, "rows": rows})

    def note(self, what, value):
        if what == "lost":
            self.closes.append(value)
        elif what == "sync" and self.options.checks:
            show({"sync": NAMES[value["kind"]], "seq": value["seq"], "passed": value["passed"]})
        elif what in ("error", "refused"):
            self.errors.append(value)
            print(f"{what}: {json.dumps(value)}", file=sys.stderr, flush=True)

    def stopped(self, reason):
        self.reason = reason
        self.ended.set()


def show(value):
    print(json.dumps(value, ensure_ascii=False, separators=(",", ":")), flush=True)


async def main(options):
    host = Host(options)
    for name in (signal.SIGTERM, signal.SIGINT):
        host.loop.add_signal_handler(name, host.ended.set)
    client = Client(host, options.url)
    if options.top is not None:
        client.watch(p.TOP, options.board, [options.top] if options.top else [])
    if options.friends:
        client.watch(p.FRIENDS, options.board, [])
    if options.me:
        client.watch(p.ME, options.board, [])
    try:
        await asyncio.wait_for(host.ended.wait(), options.seconds)
    except asyncio.TimeoutError:
        pass
    reason = host.reason
    client.stop()
    if host.tasks:  # the close handshakes
        await asyncio.wait(list(host.tasks.values()), timeout=1)
    show({"summary": {**client.counts, "closes": host.closes, "errors": host.errors, "stopped": reason}})
    return 0 if reason is None else 1


def parse(arguments=None):
    parser = argparse.ArgumentParser(description="Watch live ranks.")
    parser.add_argument("--url", default="ws://127.0.0.1:8080/v1/socket")
    parser.add_argument("--token", help="a player's token or an overlay key; without one the session is anonymous")
    parser.add_argument("--token-file", help="the same from a file, read again whenever a fresh one is needed")
    parser.add_argument("--board", default="arena", help="board, or board;s=season")
    parser.add_argument("--top", type=int, help="how many places; 0: as many as the board has by default")
    parser.add_argument("--friends", action="store_true")
    parser.add_argument("--me", action="store_true")
    parser.add_argument("--checks", action="store_true", help="a line for each SYNC, too")
    parser.add_argument("--json", action="store_true", help="speak rankcast.v1.json in place of msgpack")
    parser.add_argument("--seconds", type=float, help="stop after so many seconds")
    options = parser.parse_args(arguments)
    if options.top is None and not options.friends and not options.me:
        parser.error("nothing to watch: --top N, --friends or --me")
    return options


if __name__ == "__main__":
    sys.exit(asyncio.run(main(parse())))
