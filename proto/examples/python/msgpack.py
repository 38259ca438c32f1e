"""The part of msgpack that the protocol uses: reader with its limits (PROTOCOL.md section 4), writer.

Values: None, bool, int, float, str, list, dict with text keys. A float without a fraction is read as an int, so that
5e9 is the same value whether the server wrote it as float64 or as uint64.
"""
import math
import struct

MAX_NESTING = 8
MAX_NUMBER = 2**53 - 1


class NoFrame(Exception):
    """The bytes are no frame: the client drops the socket and connects again (section 10)."""


def number(value):
    """One form for each number; refuses what `n` may not be."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise NoFrame("a number that is not finite")
        if value.is_integer():
            value = int(value)
    if not -MAX_NUMBER <= value <= MAX_NUMBER:
        raise NoFrame("a number beyond 2^53-1")
    return value


class _Reader:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, count):
        end = self.at + count
        if end > len(self.data):
            raise NoFrame("ends too early")
        part = self.data[self.at:end]
        self.at = end
        return part

    def unpack(self, form):
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def text(self, count):
        try:
            # Python is strict about surrogates and overlong forms, and keeps a leading U+FEFF.
            return self.take(count).decode("utf-8")
        except UnicodeDecodeError as error:
            raise NoFrame("text that is not UTF-8") from error

    def array(self, count, depth):
        self.room(count, depth)
        return [self.value(depth + 1) for _ in range(count)]

    def map(self, count, depth):
        self.room(2 * count, depth)
        result = {}
        for _ in range(count):
            key = self.value(depth + 1)
            if not isinstance(key, str):
                raise NoFrame("a map key that is no text")
            result[key] = self.value(depth + 1)
        return result

    def room(self, count, depth):
        if depth >= MAX_NESTING:
            raise NoFrame("nested too deep")
        # Each element has a byte at least. Without this, five bytes could ask for four billion elements.
        if count > len(self.data) - self.at:
            raise NoFrame("ends too early")

    def value(self, depth):
        code = self.take(1)[0]
        if code <= 0x7F:
            return code
        if code >= 0xE0:
            return code - 0x100
        if code <= 0x8F:
            return self.map(code & 0x0F, depth)
        if code <= 0x9F:
            return self.array(code & 0x0F, depth)
        if code <= 0xBF:
            return self.text(code & 0x1F)
        if code == 0xC0:
            return None
        if code in (0xC2, 0xC3):
            return code == 0xC3
        if code in _NUMBERS:
            return number(self.unpack(_NUMBERS[code]))
        if code in _TEXTS:
            return self.text(self.unpack(_TEXTS[code]))
        if code in (0xDC, 0xDD):
            return self.array(self.unpack(">H" if code == 0xDC else ">I"), depth)
        if code in (0xDE, 0xDF):
            return self.map(self.unpack(">H" if code == 0xDE else ">I"), depth)
        raise NoFrame(f"code 0x{code:02x}")  # bin, extensions, 0xc1


_NUMBERS = {
    0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q",
    0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q",
}
_TEXTS = {0xD9: ">B", 0xDA: ">H", 0xDB: ">I"}


def read(data):
    """One value, with nothing behind it."""
    reader = _Reader(bytes(data))
    value = reader.value(0)
    if reader.at != len(reader.data):
        raise NoFrame("bytes after the frame")
    return value


def write(value):
    if value is None:
        return b"\xc0"
    if isinstance(value, bool):  # before int: in Python True is one
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        return _write_int(value)
    if isinstance(value, float):
        return struct.pack(">Bd", 0xCB, value)
    if isinstance(value, str):
        data = value.encode("utf-8")
        return _head(len(data), 0xA0, 32, (0xD9, 0xDA, 0xDB)) + data
    if isinstance(value, (list, tuple)):
        return _head(len(value), 0x90, 16, (None, 0xDC, 0xDD)) + b"".join(write(item) for item in value)
    if isinstance(value, dict):
        pairs = b"".join(write(key) + write(item) for key, item in value.items())
        return _head(len(value), 0x80, 16, (None, 0xDE, 0xDF)) + pairs
    raise TypeError(f"cannot write {type(value).__name__}")


def _write_int(value):
    if -32 <= value <= 0x7F:
        return struct.pack(">b", value)
    if value >= 0:
        for code, form, top in ((0xCC, "B", 0xFF), (0xCD, "H", 0xFFFF), (0xCE, "I", 0xFFFFFFFF)):
            if value <= top:
                return struct.pack(">B" + form, code, value)
        return struct.pack(">BQ", 0xCF, value)
    for code, form, low in ((0xD0, "b", -(2**7)), (0xD1, "h", -(2**15)), (0xD2, "i", -(2**31))):
        if value >= low:
            return struct.pack(">B" + form, code, value)
    return struct.pack(">Bq", 0xD3, value)


def _head(count, short, below, codes):
    if count < below:
        return bytes([short | count])
    for code, form, top in zip(codes, "BHI", (0xFF, 0xFFFF, 0xFFFFFFFF)):
        if code is not None and count <= top:
            return struct.pack(">B" + form, code, count)
    raise ValueError("too long")
