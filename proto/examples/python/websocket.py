"""A WebSocket client (RFC 6455) on asyncio streams: what the protocol needs and nothing else. No compression."""
import asyncio
import base64
import email.utils
import hashlib
import os
import ssl
import time
from urllib.parse import urlsplit

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
MAX_MESSAGE = 256 * 1024
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Refused(Exception):
    """The handshake was answered with another status than 101."""

    def __init__(self, status, retry_after_ms):
        super().__init__(f"HTTP {status}")
        self.status, self.retry_after_ms = status, retry_after_ms


class Closed(Exception):
    """The socket is closed; 1006 where no close frame came."""

    def __init__(self, code, reason=""):
        super().__init__(f"{code} {reason}")
        self.code, self.reason = code, reason


async def connect(url, subprotocol, timeout=10):
    return await asyncio.wait_for(_connect(url, subprotocol), timeout)


async def _connect(url, subprotocol):
    parts = urlsplit(url)
    secure = parts.scheme == "wss"
    if parts.scheme not in ("ws", "wss"):
        raise ValueError("the URL has to begin with ws: or wss:")
    port = parts.port or (443 if secure else 80)
    context = ssl.create_default_context() if secure else None
    reader, writer = await asyncio.open_connection(parts.hostname, port, ssl=context, limit=MAX_MESSAGE)
    try:
        key = base64.b64encode(os.urandom(16)).decode()
        path = (parts.path or "/") + ("?" + parts.query if parts.query else "")
        host = parts.netloc.rpartition("@")[2]
        writer.write((
            f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: {subprotocol}\r\n\r\n"
        ).encode("ascii"))
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        status = int(head[0].split(" ")[1])
        headers = {}
        for line in head[1:]:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        if status != 101:
            raise Refused(status, _retry_after(headers.get("retry-after")))
        accept = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
        if headers.get("sec-websocket-accept") != accept or headers.get("upgrade", "").lower() != "websocket":
            raise ConnectionError("no WebSocket answers there")
        if headers.get("sec-websocket-protocol") != subprotocol or "sec-websocket-extensions" in headers:
            raise ConnectionError("another subprotocol, or an extension, than was offered")
        return WebSocket(reader, writer)
    except BaseException:
        writer.close()
        raise


def _retry_after(value):
    if not value:
        return 0
    if value.isdigit():
        return int(value) * 1000
    try:
        return max(0, int((email.utils.parsedate_to_datetime(value).timestamp() - time.time()) * 1000))
    except (TypeError, ValueError):
        return 0


def mask(data, key):
    """XOR with the key, four bytes again and again: as one large number, since a loop over bytes is slow in Python."""
    pad = (key * (len(data) // 4 + 1))[:len(data)]
    return (int.from_bytes(data, "big") ^ int.from_bytes(pad, "big")).to_bytes(len(data), "big")


class WebSocket:
    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer
        self.close_sent = False

    def send(self, message):
        """str: a text message, bytes: a binary one. Does not wait: client frames are few and small."""
        if self.close_sent:
            return
        if isinstance(message, str):
            self._frame(TEXT, message.encode())
        else:
            self._frame(BINARY, message)

    def _frame(self, opcode, data):
        size = len(data)
        head = bytes([0x80 | opcode])
        if size < 126:
            head += bytes([0x80 | size])
        elif size < 0x10000:
            head += bytes([0x80 | 126]) + size.to_bytes(2, "big")
        else:
            head += bytes([0x80 | 127]) + size.to_bytes(8, "big")
        key = os.urandom(4)
        if not self.writer.is_closing():
            self.writer.write(head + key + mask(data, key))

    async def receive(self):
        """The next message, its fragments put together; raises Closed."""
        try:
            return await self._receive()
        except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError, OSError) as error:
            self.writer.close()
            raise Closed(1006) from error

    async def _receive(self):
        kind, parts = None, []
        while True:
            last, opcode, data = await self._read_frame(sum(map(len, parts)))
            if opcode == CLOSE:
                self._answer_close(data)
            elif opcode == PING:
                self._frame(PONG, data)
            elif opcode == PONG:
                pass
            elif (opcode == 0) != (kind is not None) or opcode not in (0, TEXT, BINARY):
                self._fail(1002, "a fragment that does not fit")
            else:
                kind = kind or opcode
                parts.append(data)
                if last:
                    return self._text(b"".join(parts)) if kind == TEXT else b"".join(parts)

    async def _read_frame(self, before):
        first, second = await self.reader.readexactly(2)
        last, opcode, size = bool(first & 0x80), first & 0x0F, second & 0x7F
        if first & 0x70 or second & 0x80:
            self._fail(1002, "reserved bits, or a mask from a server")
        if opcode >= 8 and (size > 125 or not last):
            self._fail(1002, "a control frame that is long or in fragments")
        if size == 126:
            size = int.from_bytes(await self.reader.readexactly(2), "big")
        elif size == 127:
            size = int.from_bytes(await self.reader.readexactly(8), "big")
        if before + size > MAX_MESSAGE:
            self._fail(1009, "longer than any message of the protocol")
        return last, opcode, await self.reader.readexactly(size)

    def _text(self, data):
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            self._fail(1007, "text that is not UTF-8")

    def _answer_close(self, data):
        code = int.from_bytes(data[:2], "big") if len(data) >= 2 else 1005
        if not self.close_sent:
            self.close_sent = True
            self._frame(CLOSE, data[:2])
        self.writer.close()
        raise Closed(code, data[2:].decode("utf-8", "replace"))

    def _fail(self, code, reason):
        """The server broke the rules: say so, go, and count it as a lost connection."""
        if not self.close_sent:
            self.close_sent = True
            self._frame(CLOSE, code.to_bytes(2, "big") + reason.encode()[:123])
        self.writer.close()
        raise Closed(1006, reason)

    def close_soon(self, code=1000, reason=""):
        """Sends the close frame. Whoever reads goes on until the answer comes; without one the socket is cut."""
        if not self.close_sent:
            self.close_sent = True
            self._frame(CLOSE, code.to_bytes(2, "big") + reason.encode()[:123])
            asyncio.get_running_loop().call_later(2, self.writer.close)
