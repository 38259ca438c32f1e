"""Fake time, scripted sockets, and a player of vectors/flows.json. The rules of that file say what each step means."""
import heapq
import itertools

import protocol as p
from session import Client

APP_URL = "ws://app.example/v1/socket"


class FakeTimer:
    def __init__(self, function):
        self.function = function

    def cancel(self):
        self.function = None


class FakeSocket:
    def __init__(self, connection, url):
        self.connection, self.url = connection, url
        self.sent = []  # what no step has taken yet
        self.open = True


class FakeHost:
    def __init__(self, factor, subprotocol):
        self.factor, self.subprotocol = factor, subprotocol
        self.now = 0
        self.heap = []
        self.order = itertools.count()
        self.sockets = []
        self.application_token = None

    def timer(self, ms, function):
        timer = FakeTimer(function)
        heapq.heappush(self.heap, (self.now + ms, next(self.order), timer))
        return timer

    def random(self):
        return self.factor

    def token(self):
        return self.application_token

    def open(self, connection, url):
        self.sockets.append(FakeSocket(connection, url))

    def of(self, connection):
        return next(socket for socket in self.sockets if socket.connection is connection)

    def send(self, connection, frame):
        socket = self.of(connection)
        assert socket.open, "sent on a closed socket"
        socket.sent.append(p.decode(p.encode(frame, self.subprotocol), self.subprotocol, p.MAX_CLIENT_FRAME))

    def close(self, connection, code):
        self.of(connection).open = False

    def advance(self, ms, until=lambda: False):
        """Time passes, timer by timer, until something holds or ms are over. Where none passes no timer runs, due or not."""
        if ms == 0:
            return
        end = self.now + ms
        while not until() and self.heap and self.heap[0][0] <= end:
            self.now, _, timer = heapq.heappop(self.heap)
            if timer.function is not None:
                timer.function()
        if not until():
            self.now = end


class Player:
    def __init__(self, flow, factor, subprotocol):
        self.flow = flow
        self.host = FakeHost(factor, subprotocol)
        self.host.application_token = flow.get("token")
        self.client = Client(self.host, APP_URL)
        self.windows = {}
        self.known = {}
        self.opened = 0

    def play(self):
        for number, step in enumerate(self.flow["steps"]):
            try:
                if not step.keys() & {"expect", "expectEach", "open", "shows", "token"}:
                    self.nothing_left("watch" in step)
                self.step(step)
            except (AssertionError, p.NoFrame) as error:
                raise AssertionError(f"step {number} {step}: {error}") from error
        self.nothing_left(False)

    def nothing_left(self, is_watch):
        for socket in self.host.sockets:
            socket.sent = [frame for frame in socket.sent if frame[0] != p.PING]
            assert not socket.sent, f"not expected: {socket.sent}"
        ahead = is_watch and self.opened == 0
        assert ahead or len(self.host.sockets) == self.opened, "a socket that no step opened"

    def socket(self, step):
        return self.host.sockets[step.get("on", self.opened) - 1]

    def step(self, step):
        if "watch" in step:
            self.windows[step["watch"]] = self.client.watch(step["kind"], step["boardId"], step["args"])
        elif "leave" in step:
            self.client.leave(self.windows[step["leave"]])
        elif "token" in step:
            self.host.application_token = step["token"]
        elif "open" in step:
            self.open(step)
        elif "expect" in step:
            self.expect([step["expect"]], step)
        elif "expectEach" in step:
            self.expect(step["expectEach"], step)
        elif "send" in step:
            socket = self.socket(step)
            frame = p.encode(self.fill(step["send"]), self.host.subprotocol)
            if socket.open:
                socket.connection.message(p.decode(frame, self.host.subprotocol))
        elif "close" in step:
            socket = self.socket(step)
            if socket.open:
                socket.open = False
                socket.connection.closed(step["close"])
        elif "quiet" in step:
            self.host.advance(step["quiet"])
            self.nothing_left(False)
        elif "shows" in step:
            rows = self.windows[step["shows"]].view.table()
            assert rows == step["rows"], f"shows {rows}"
        else:
            raise AssertionError("a step that this runner does not know")

    def open(self, step):
        number = step["open"]
        self.host.advance(step.get("withinMs", 0), lambda: len(self.host.sockets) >= number)
        assert len(self.host.sockets) >= number, "no socket was opened"
        assert number == self.opened + 1, "the script skips a socket"
        socket = self.host.sockets[number - 1]
        assert socket.url == step.get("url", socket.url), f"opened to {socket.url}"
        self.opened = number
        socket.connection.opened()

    def expect(self, patterns, step):
        socket = self.socket(step)
        frames = lambda: [frame for frame in socket.sent if frame[0] != p.PING]  # noqa: E731
        self.host.advance(step.get("withinMs", 0), lambda: len(frames()) >= len(patterns))
        assert len(frames()) >= len(patterns), f"sent only {frames()}"
        left = list(patterns)
        for frame in frames()[:len(patterns)]:
            socket.sent.remove(frame)
            fits = next((pattern for pattern in left if self.matches(pattern, frame, {})), None)
            assert fits is not None, f"sent {frame}"
            left.remove(fits)
            self.matches(fits, frame, self.known)

    def matches(self, pattern, value, remember):
        if isinstance(pattern, dict):
            if "as" in pattern:
                remember[pattern["as"]] = value
            return "is" not in pattern or self.known[pattern["is"]] == value
        if isinstance(pattern, list):
            if not isinstance(value, list):
                return False
            pairs = itertools.zip_longest(pattern, value)
            return all(self.matches(part, item, remember) for part, item in pairs)
        return isinstance(pattern, bool) == isinstance(value, bool) and pattern == value

    def fill(self, value):
        if isinstance(value, dict) and "is" in value:
            return self.known[value["is"]]
        return [self.fill(item) for item in value] if isinstance(value, list) else value
