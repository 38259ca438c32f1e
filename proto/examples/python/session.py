"""The client: windows that the application wants, one socket for them, another one after a loss or a GOAWAY.

PROTOCOL.md 3.3 (states), 6 (GOAWAY), 9 (close codes, backoff). The host is described in connection.py; beside that it
may have changed(window) and stopped(reason).
"""
import protocol as p
from connection import Connection
from windows import View


class Window:
    """What the application watches. `view` is what it shows, `owner` the subscription that moves it now."""

    def __init__(self, kind, board, args):
        self.kind, self.board, self.args = kind, board, args
        self.key = (kind, board, tuple(args))
        self.view = View(kind)
        self.owner = None
        self.info = None


class Client:
    def __init__(self, host, url, name="rankcast-python/0.1.0"):
        self.host, self.url, self.name = host, url, name
        self.session_id = None
        self.windows = []
        self.main = None  # the socket
        self.next = None  # the second one, while moving
        self.moving = False
        self.timer = None  # of the state waiting, or of the next try while moving
        self.done = False
        self.attempt = 0
        self.new_token_used = False
        self.hops = None  # moves right after one another: the second socket may have reached the same server
        self.counts = dict.fromkeys(("frames", "resyncs", "syncPassed", "syncFailed", "reconnects", "moves"), 0)

    # The application.

    def watch(self, kind, board, args):
        window = Window(kind, board, args)
        self.windows.append(window)
        if self.next is not None and self.next.state == "live":
            self.subscribe(self.next, window)
        elif self.main is not None and self.main.state == "live":
            self.subscribe(self.main, window)
        elif self.main is None and self.timer is None and not self.done:
            self.connect()
        return window

    def leave(self, window):
        self.windows.remove(window)
        for connection in self.connections():
            if connection.state == "live":
                connection.leave(window)
        self.finish_move()

    def stop(self, reason=None):
        self.done = True
        self.cancel_timer()
        for connection in self.connections():
            connection.shut()
        self.main = self.next = None
        self.tell("stopped", reason)

    # Small things.

    def connections(self):
        return [connection for connection in (self.main, self.next) if connection is not None]

    def count(self, what):
        self.counts[what] += 1

    def tell(self, name, *values):
        function = getattr(self.host, name, None)
        if function is not None:
            function(*values)

    def note(self, what, value):
        self.tell("note", what, value)

    def cancel_timer(self):
        if self.timer is not None:
            self.timer.cancel()
        self.timer = None

    def later(self, ms, then):
        self.cancel_timer()

        def run():
            self.timer = None
            then()
        self.timer = self.host.timer(ms, run)

    # Sockets.

    def connect(self):
        self.main = self.open(self.url)

    def open(self, url):
        connection = Connection(self, url, self.host.token())
        self.host.open(connection, url)
        return connection

    def welcomed(self, connection):
        for window in list(self.windows):
            self.subscribe(connection, window)
        self.finish_move()

    def steady(self):
        """A session has lasted: the next loss begins from the start."""
        self.attempt = 0
        self.new_token_used = False

    def subscribe(self, connection, window):
        if window.owner is not None:
            # Another socket moves the window: go on beside it, and show this one once it is whole.
            connection.add(window, window.view.fork())
            return
        sub = connection.add(window, window.view)
        window.view, window.owner = sub.view, sub

    def whole(self, connection, sub, changed):
        window = sub.window
        owner = window.owner
        if owner is not sub and connection is not self.main and owner is not None:
            if owner.view.epoch == sub.view.epoch and (owner.view.seq or 0) > sub.view.seq:
                return  # one history, and the other socket is ahead: showing this one would step back
        if owner is not sub:
            if owner is not None and connection is self.main:
                return  # the second socket has shown it already
            window.owner = sub
            changed = changed or window.view.seq != sub.view.seq
            window.view = sub.view
        if changed:
            self.tell("changed", window)
        self.finish_move()

    def refused(self, connection, sub):
        self.tell("note", "refused", {"kind": sub.window.kind, "board": sub.window.board, "code": sub.code})
        self.finish_move()

    def synced(self, window, seq, passed):
        self.count("syncPassed" if passed else "syncFailed")
        self.note("sync", {"kind": window.kind, "seq": seq, "passed": passed})

    # GOAWAY.

    def goes_away(self, connection):
        if connection is self.main and not self.moving:
            self.moving = True
            self.note("goaway", connection.goaway)
            wait = self.host.random() * connection.goaway[1] + self.hop_wait(connection.is_steady)
            self.later(wait, lambda: self.open_next(self.move_url()))

    def hop_wait(self, is_steady):
        if is_steady or self.hops is None:
            self.hops = 0
            return 0
        bound, _ = p.backoff_bound(self.hops, None)
        self.hops += 1
        return self.host.random() * bound

    def move_url(self):
        url = self.main.goaway[3]
        secure = url is not None and url.startswith("wss:")
        if secure or (url is not None and url.startswith("ws:") and self.main.url.startswith("ws:")):
            return url
        return self.main.url

    def open_next(self, url):
        self.next = self.open(url)

    def finish_move(self):
        if self.next is None or self.next.state != "live":
            return
        for window in self.windows:
            sub = self.next.find(window)
            if sub is not None and sub.state != "refused" and not (sub.state == "whole" and window.owner is sub):
                return
        self.count("moves")
        old = self.main
        self.promote()
        old.shut()
        if self.main.goaway is not None:
            self.goes_away(self.main)

    def promote(self):
        self.main, self.next, self.moving = self.next, None, False
        self.cancel_timer()
        self.adopt(self.main)

    def adopt(self, connection):
        """The other socket is gone: the windows are those of this one, and show what they showed until it is whole."""
        for sub in connection.subs:
            window = sub.window
            if not sub.left and window.owner is not sub:
                window.owner = None
                if sub.state == "whole":
                    self.whole(connection, sub, False)

    # Losses.

    def handshake_refused(self, connection, status, retry_after_ms):
        if status in (400, 403) and connection is self.main and self.next is None:
            self.main = None
            self.stop(f"HTTP {status}")
            return
        self.lost(connection, 1006, retry_after_ms)

    def lost(self, connection, code, extra_ms=0):
        self.note("lost", code)
        for window in self.windows:
            if window.owner in connection.subs:
                window.owner = None
                window.view.parts = None
        if connection is self.next:
            self.next = None
            self.adopt(self.main)
            if self.main.state == "live":
                for window in self.windows:  # those that came while the second socket was there
                    if self.main.find(window) is None:
                        self.subscribe(self.main, window)
            self.again(code, extra_ms, lambda: self.open_next(self.url))
        elif self.next is not None:
            self.promote()
            if self.main.state == "live" and self.main.goaway is not None:
                self.goes_away(self.main)
        elif connection is self.main:
            self.main, self.moving = None, False
            self.by_code(code, extra_ms)

    def by_code(self, code, extra_ms):
        answer = p.close_answer(code)
        if answer == "no" or (answer == "new-token" and self.new_token_used):
            self.stop(code)
            return
        if answer == "new-token":
            self.new_token_used = True
        self.again(code, extra_ms, self.connect)

    def again(self, code, extra_ms, then):
        self.count("reconnects")
        bound, on_top = p.backoff_bound(self.attempt, code)
        self.attempt += 1
        self.later(self.host.random() * bound + max(on_top, extra_ms), then)

    def network_is_back(self):
        """Section 9: the wait may be cut short where the client's own network or screen comes back."""
        if self.main is None and self.timer is not None:
            self.cancel_timer()
            self.connect()
