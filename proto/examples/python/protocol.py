"""Numbers by their names (from proto/enums.json), the shapes of frames (section 6), and frames as messages."""
import json
import math
import pathlib

import msgpack
from msgpack import NoFrame

ENUMS = json.loads((pathlib.Path(__file__).resolve().parents[2] / "enums.json").read_text("utf-8"))

MSGPACK, JSON = ENUMS["subprotocols"]
(BATCH, HELLO, WELCOME, PING, PONG, ERROR, GOAWAY, REFRESH, REFRESHED, SUBSCRIBE, SUBSCRIBED, UNSUBSCRIBE, UNSUBSCRIBED,
 RESYNC, SNAPSHOT, DELTA, RANK, SYNC) = (
    ENUMS["frameTypes"][name] for name in (
        "batch", "hello", "welcome", "ping", "pong", "error", "goaway", "refresh", "refreshed", "subscribe",
        "subscribed", "unsubscribe", "unsubscribed", "resync", "snapshot", "delta", "rank", "sync"))
TOP, ME, FRIENDS = (ENUMS["windowKinds"][name] for name in ("top", "me", "friends"))
CURRENT, DELTAS = ENUMS["starts"]["current"], ENUMS["starts"]["deltas"]
GAP, CHECKSUM = ENUMS["resyncWhys"]["gap"], ENUMS["resyncWhys"]["checksum"]
CAPS = sum(ENUMS["capabilities"].values())
MAX_CLIENT_FRAME = ENUMS["maxClientFrameBytes"]
MAX_SERVER_FRAME = ENUMS["maxServerFrameBytes"]

# The marks of section 4; "a" is an array, "r" a reqId of a client, which is never 0. A "?" allows nil.
FIELDS = {
    BATCH: "a", HELLO: "s? s u s?", WELCOME: "s n u n? s? a u s", PING: "u?", PONG: "u? n", ERROR: "u u s u?",
    GOAWAY: "u u u s?", REFRESH: "r s", REFRESHED: "u n?", SUBSCRIBE: "r u s a u? n? u? b?", SUBSCRIBED: "u u u u n a",
    UNSUBSCRIBE: "r u", UNSUBSCRIBED: "u u u s", RESYNC: "u u n u", SNAPSHOT: "u u n u n a n b?",
    DELTA: "u n u a a u? n? n", RANK: "u n u? u? n? n n? u? n u", SYNC: "u u n u?",
}


def is_u(value):
    return type(value) is int and 0 <= value <= 0xFFFFFFFF


_TESTS = {
    "u": is_u,
    "r": lambda value: is_u(value) and value != 0,
    "n": lambda value: type(value) in (int, float),
    "s": lambda value: type(value) is str,
    "b": lambda value: type(value) is bool,
    "a": lambda value: type(value) is list,
}


def take(values, marks):
    """As many elements as there are marks: missing ones are nil, extra ones are of later versions (section 5)."""
    if type(values) is not list:
        raise NoFrame("no array where one belongs")
    marks = marks.split()
    result = (values + [None] * len(marks))[:len(marks)]
    for value, mark in zip(result, marks):
        if not (_TESTS[mark[0]](value) or (value is None and mark.endswith("?"))):
            raise NoFrame(f"{value!r} where {mark} belongs")
    return result


def check(frame):
    """The frame, or NoFrame. What it does not know passes: the caller skips it."""
    if type(frame) is not list or not frame or not is_u(frame[0]):
        raise NoFrame("no array that begins with a type")
    if frame[0] in FIELDS:
        take(frame[1:], FIELDS[frame[0]])
    return frame


def fields(frame):
    return take(frame[1:], FIELDS[frame[0]])


def encode(frame, subprotocol):
    if subprotocol == JSON:
        return json.dumps(frame, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return msgpack.write(frame)


def decode(message, subprotocol, limit=None):
    """A frame from one message, by default one of the server. bytes: binary, str: text."""
    if limit is None:  # measured as msgpack, whose text may be six times as long (2.4)
        limit = MAX_SERVER_FRAME * (6 if subprotocol == JSON else 1)
    size = len(message) if isinstance(message, bytes) else len(message.encode("utf-8", "surrogatepass"))
    if size > limit:
        raise NoFrame("longer than a frame may be")
    if isinstance(message, str) != (subprotocol == JSON):
        raise NoFrame("the other kind of message")
    return check(_read_json(message) if subprotocol == JSON else msgpack.read(message))


def _read_json(text):
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise NoFrame(str(error)) from error
    return _same_rules(value, 0)


def _refuse(word):
    raise NoFrame(word)


def _same_rules(value, depth):
    """JSON can say what msgpack's reader refuses: too deep, too large, half a surrogate pair."""
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            raise NoFrame("half a surrogate pair") from error
        return value
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        return msgpack.number(value)
    if depth >= msgpack.MAX_NESTING:
        raise NoFrame("nested too deep")
    if isinstance(value, list):
        return [_same_rules(item, depth + 1) for item in value]
    return {_same_rules(key, depth + 1): _same_rules(item, depth + 1) for key, item in value.items()}


def close_answer(code):
    """yes, no or new-token (section 9)."""
    for entry in ENUMS["closeCodes"]:
        if entry["code"] == code:
            return entry["retry"]
    for entry in ENUMS["otherCloseCodes"]:
        if entry["from"] <= code <= entry["to"]:
            return entry["retry"]
    return "yes"


def error_again(code):
    """The one rule of section 8."""
    return code == 429 or code >= 500


def refresh_after(expires_in):
    """3.2: four fifths of it, or 60 s before the end where that is later."""
    return max(0, math.floor(expires_in * 4 / 5), expires_in - 60_000)


def backoff_bound(attempt, code):
    """Section 9: what the random factor is multiplied with, and what comes on top, in milliseconds."""
    bound = min(20_000, 500 * 2 ** min(attempt, 16))
    if code in (1001, 1012, 1013, 4503):
        bound = max(bound, 15_000)
    return bound, 10_000 if code == 4429 else 0
