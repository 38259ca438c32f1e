"""One socket: greeting, heartbeat, REFRESH, and its windows with their topics (PROTOCOL.md 3.2, 3.3, 7.8).

It does no input or output itself. The host (client.py with asyncio, vectors_test.py with fake time) gives:
  open(connection, url)         open a socket, and report later (not before it returns) by opened(), message(frame),
                                closed(code), refused(status, retry_after_ms)
  send(connection, frame)       close(connection, code)
  timer(ms, function)           an object with cancel()
  random()                      0 <= x < 1
  token()                       what the application has now, or None
"""
import protocol as p

ANSWER_MS = 5000  # SUBSCRIBE, REFRESH and RESYNC are sent again after it
WELCOME_MS = 8000  # from the beginning, the opening of the socket included
STEADY_MS = 5000  # a session of this length ends the backoff
SILENCE_MS = 10_000  # on top of heartbeatMs


class Subscription:
    """A window on one socket. States of 7.8: wanted, asked, waiting, whole, later, refused; `left` beside them."""

    def __init__(self, window, view):
        self.window = window
        self.view = view
        self.state = "wanted"
        self.left = False
        self.request = None
        self.topic = None
        self.code = None  # of what refused it
        self.timer = None


class Connection:
    def __init__(self, client, url, token):
        self.client = client
        self.host = client.host
        self.url = url
        self.token = token  # the one that the session counts on
        self.state = "opening"  # greeting, live, closed
        self.goaway = None
        self.subs = []
        self.requests = {}  # reqId: subscription whose answer is awaited; not for those that nobody waits for any more
        self.next_request = 1
        self.refused_tokens = set()
        self.refreshing = None  # (reqId, token)
        self.expires_in = None
        self.is_steady = False
        self.timers = {}
        self.start("welcome", WELCOME_MS, lambda: self.drop(1006))

    # Timers by name: starting one ends the one before; all end with the socket.

    def start(self, name, ms, then):
        self.stop(name)
        self.timers[name] = self.host.timer(ms, then)

    def stop(self, name):
        if name in self.timers:
            self.timers.pop(name).cancel()

    def send(self, *frame):
        self.host.send(self, list(frame))

    # What the host reports.

    def opened(self):
        if self.state == "opening":
            self.state = "greeting"
            self.send(p.HELLO, self.token, self.client.name, p.CAPS, self.client.session_id)

    def closed(self, code):
        if self.state != "closed":
            self.end()
            self.client.lost(self, code)

    def refused(self, status, retry_after_ms=None):
        if self.state != "closed":
            self.end()
            self.client.handshake_refused(self, status, retry_after_ms or 0)

    def no_frame(self):
        """Bytes that are no frame: drop the socket and connect again (section 10)."""
        self.drop(1006)

    def message(self, frame):
        if self.state not in ("greeting", "live"):
            return
        try:
            self.frame(frame, False)
        except p.NoFrame:
            self.no_frame()

    # Endings.

    def end(self):
        self.state = "closed"
        for timer in self.timers.values():
            timer.cancel()
        for sub in self.subs:
            self.wait(sub, None)
        self.timers = {}

    def drop(self, code):
        """The client ends it, and comes back as if the server had closed with `code`."""
        if self.state != "closed":
            self.end()
            self.host.close(self, code if code >= 4000 else 1000)  # 1006 is never sent
            self.client.lost(self, code)

    def shut(self):
        """The client ends it for good."""
        if self.state != "closed":
            self.end()
            self.host.close(self, 1000)

    # Frames.

    def frame(self, frame, inside):
        if self.state == "closed":
            return  # an earlier frame of the BATCH ended it
        kind = p.check(frame)[0]
        if kind != p.BATCH:
            self.client.count("frames")
        if self.state == "greeting":
            if kind == p.WELCOME:
                self.welcome(p.fields(frame))
            return
        self.alive()
        if kind == p.BATCH:
            if not inside:
                for item in p.fields(frame)[0]:
                    self.frame(item, True)
        elif kind == p.SUBSCRIBED:
            self.subscribed(*p.fields(frame))
        elif kind == p.UNSUBSCRIBED:
            self.unsubscribed(*p.fields(frame))
        elif kind == p.ERROR:
            self.error(*p.fields(frame))
        elif kind == p.REFRESHED:
            self.refreshed(*p.fields(frame))
        elif kind == p.GOAWAY:
            if self.goaway is None:
                self.goaway = p.fields(frame)
                self.client.goes_away(self)
        elif kind in (p.SNAPSHOT, p.DELTA, p.RANK, p.SYNC):
            # A list: two windows of the application may be one for the server (a length left out, and the default).
            for sub in [sub for sub in self.subs if sub.topic == p.fields(frame)[0]]:
                self.window_frame(sub, kind, frame)

    def welcome(self, fields):
        session_id, _now, self.heartbeat, self.expires_in, _player, _limits, _caps, _build = fields
        self.state = "live"
        self.client.session_id = session_id
        self.stop("welcome")
        self.alive()
        self.start("steady", STEADY_MS, self.steady)
        self.plan_refresh()
        self.client.welcomed(self)

    def steady(self):
        self.is_steady = True
        self.client.steady()

    def alive(self):
        self.start("heartbeat", self.heartbeat + SILENCE_MS, lambda: self.drop(4504))

    # REFRESH.

    def plan_refresh(self):
        self.stop("refresh")
        if self.expires_in is not None:
            self.start("refresh", p.refresh_after(self.expires_in), self.refresh)

    def refresh(self):
        token = self.host.token()
        if token is None or token == self.token or token in self.refused_tokens:
            self.start("refresh", ANSWER_MS, self.refresh)  # the application has no other yet
            return
        self.refreshing = (self.request(None), token)
        self.send(p.REFRESH, *self.refreshing)
        self.start("refresh", ANSWER_MS, self.refresh)  # again, where no answer comes

    def refreshed(self, request, expires_in):
        if self.refreshing is None or request != self.refreshing[0]:
            return
        self.token = self.refreshing[1]
        self.refreshing = None
        self.expires_in = expires_in
        self.plan_refresh()
        if expires_in != 0:  # 0: taken within the grace, and private windows are refused still
            for sub in list(self.subs):
                if sub.state == "refused" and sub.code == 401:
                    self.subscribe(sub)

    # Windows.

    def request(self, sub):
        number = self.next_request
        self.next_request = number % 0xFFFFFFFF + 1  # never 0
        if sub is not None:
            self.requests[number] = sub
        return number

    def add(self, window, view):
        # Left before its answer came, and wanted again: the answer on its way serves the new one. A second SUBSCRIBE
        # would be ended by the UNSUBSCRIBE that the first answer calls for, as both have the same topic.
        for sub in self.subs:
            if sub.left and sub.window.key == window.key:
                sub.left = False
                sub.window = window
                return sub
        sub = Subscription(window, view)
        self.subs.append(sub)
        self.subscribe(sub)
        return sub

    def find(self, window):
        return next((sub for sub in self.subs if sub.window is window and not sub.left), None)

    def subscribe(self, sub):
        self.requests.pop(sub.request, None)
        sub.request = self.request(sub)
        sub.state = "asked"
        sub.topic = None  # what comes for the topic it had is dropped until the answer
        sub.view.parts = None
        window = sub.window
        self.send(p.SUBSCRIBE, sub.request, window.kind, window.board, window.args, *sub.view.position())
        self.wait(sub, ANSWER_MS)

    def wait(self, sub, ms):
        if sub.timer is not None:
            sub.timer.cancel()
        sub.timer = None if ms is None else self.host.timer(ms, lambda: self.waited(sub))

    def waited(self, sub):
        sub.timer = None
        if sub.left:
            return
        self.subscribe(sub)

    def resync(self, sub, why):
        self.client.count("resyncs")
        self.send(p.RESYNC, sub.topic, *sub.view.position(), why)
        # Forgotten, or a loss of the socket would bring a wrong window back as a current one.
        sub.view.drop_position(sub.view.epoch)
        sub.state = "waiting"
        self.wait(sub, ANSWER_MS)

    def leave(self, window):
        sub = self.find(window)
        if sub is None:
            return
        self.wait(sub, None)
        if sub.state == "asked":
            sub.left = True  # there is no topic to name yet
        else:
            self.forget(sub)

    def forget(self, sub):
        self.subs.remove(sub)
        if sub.topic is not None and not any(other.topic == sub.topic for other in self.subs):
            self.send(p.UNSUBSCRIBE, self.request(None), sub.topic)

    def subscribed(self, request, topic, start, epoch, _seq, board):
        sub = self.requests.pop(request, None)
        if sub is None:
            return
        self.wait(sub, None)
        sub.topic = topic
        if sub.left:
            self.forget(sub)
            return
        sub.window.info = board
        if start in (p.CURRENT, p.DELTAS) and sub.view.seq is not None:
            sub.view.epoch = epoch
            self.whole(sub, False)
        else:
            sub.view.drop_position(epoch)
            sub.state = "waiting"
            self.wait(sub, ANSWER_MS)

    def unsubscribed(self, request, topic, code, _message):
        for sub in [sub for sub in self.subs if sub.topic == topic]:
            if request != 0:
                self.subscribe(sub)  # got the topic after UNSUBSCRIBE was sent, and lost it with the answer
                continue
            sub.topic = None
            sub.view.parts = None
            if p.error_again(code):
                sub.state = "later"
                self.wait(sub, self.host.random() * 1000)
            else:
                self.refuse(sub, code)

    def refuse(self, sub, code):
        sub.state = "refused"
        sub.code = code
        self.wait(sub, None)
        self.client.refused(self, sub)

    def error(self, request, code, message, retry_after):
        self.client.note("error", {"code": code, "message": message})
        again = max(1, 1000 if retry_after is None else retry_after)
        if self.refreshing is not None and request == self.refreshing[0]:
            token = self.refreshing[1]
            self.refreshing = None
            if not p.error_again(code):
                self.refused_tokens.add(token)
                again = ANSWER_MS  # and only with another one
            self.start("refresh", again, self.refresh)
            return
        sub = self.requests.pop(request, None)
        if sub is None:
            return
        if sub.left:
            self.subs.remove(sub)
        elif p.error_again(code):
            sub.state = "later"
            self.wait(sub, again)
        else:
            self.refuse(sub, code)

    def window_frame(self, sub, kind, frame):
        if kind == p.SNAPSHOT and sub.view.kind != p.ME:
            if sub.view.snapshot(frame):
                self.whole(sub, True)
            elif sub.state == "waiting":
                self.wait(sub, ANSWER_MS)
        elif kind == p.RANK and sub.view.kind == p.ME:
            if sub.view.rank(frame):
                self.whole(sub, True)
        elif sub.state != "whole":
            return  # DELTA and SYNC wait until the window is whole
        elif kind == p.DELTA and sub.view.kind != p.ME:
            done = sub.view.delta(frame)
            if done == "apply":
                self.whole(sub, True)
            elif done == "gap":
                self.resync(sub, p.GAP)
        elif kind == p.SYNC and sub.view.parts is None:
            self.sync(sub, *p.fields(frame)[1:])

    def sync(self, sub, epoch, seq, check):
        why = None
        if (epoch, seq) != sub.view.position():
            why = p.GAP
        elif check is not None and check != sub.view.check():
            why = p.CHECKSUM
        self.client.synced(sub.window, seq, why is None)
        if why is not None:
            self.resync(sub, why)

    def whole(self, sub, changed):
        if sub.state != "whole":
            self.wait(sub, None)
        sub.state = "whole"
        self.client.whole(self, sub, changed)
