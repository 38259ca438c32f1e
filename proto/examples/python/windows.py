"""What a window shows: folds of SNAPSHOT, DELTA and RANK (section 7). Nothing here knows of sockets or time.

Lists of rows are never changed in place: a fold makes a new list. So a gap in the middle changes nothing, and a second
socket can go on from the rows of the first without touching what is shown.
"""
import struct
import zlib
from typing import NamedTuple, Optional

import protocol as p
from protocol import take


class Row(NamedTuple):
    ref: int
    score: Optional[float]
    rank: Optional[int]
    order: Optional[float]
    player: Optional[str]
    name: Optional[str]


class Gap(Exception):
    """A row that cannot be placed: the same as a missing delta."""


def delta_rule(have, seq, span):
    """The table of 7.5."""
    if span == 0:
        return "drop" if seq < have else "apply" if seq == have else "gap"
    return "drop" if seq <= have else "apply" if seq - span <= have else "gap"


def placed_entry(entry):
    ref, score, _rank, player, name = take(entry, "u n u? s s?")
    return Row(ref, score, None, None, player, name)


def unplaced_entry(entry):
    ref, score, rank, _before, order, _at, player, name = take(entry, "u n? u? u? n? n? s s?")
    return Row(ref, score, rank, order, player, name)


def fold_placed(rows, removed, placed):
    known = {row.ref: row for row in rows}
    changes = []
    for change in placed:
        index, ref, score, _rank, player, name = take(change, "u u n u? s? s?")
        if player is None:  # no tail
            if ref not in known:
                raise Gap
            player, name = known[ref].player, known[ref].name
        changes.append((index, Row(ref, score, None, None, player, name)))
    gone = set(removed) | {row.ref for _, row in changes}
    result = [row for row in rows if row.ref not in gone]
    for index, row in changes:
        if index > len(result):
            raise Gap
        result.insert(index, row)
    return result


def fold_unplaced(rows, removed, placed):
    known = {row.ref: row for row in rows}
    for ref in removed:
        known.pop(ref, None)
    for change in placed:
        ref, score, rank, _before, order, _at, player, name = take(change, "u n? u? u? n? n? s? s?")
        if player is None:
            if ref not in known:
                raise Gap
            player, name = known[ref].player, known[ref].name
        known[ref] = Row(ref, score, rank, order, player, name)
    return sort_unplaced(known.values())


def sort_unplaced(rows):
    rows = list(rows)
    # By bytes: Python would compare code points, which gives the same order, but not every language does.
    ranked = [row for row in rows if row.order is not None]
    ranked.sort(key=lambda row: (row.order, row.player.encode("utf-8")), reverse=True)
    others = [row for row in rows if row.order is None]
    others.sort(key=lambda row: row.player.encode("utf-8"))
    return ranked + others


def checksum(rows, with_rank):
    """7.7.3. rows: (ref, score, rank) in the order shown."""
    data = bytearray()
    for ref, score, rank in rows:
        data += struct.pack("<I", ref)
        data += b"\xff" * 8 if score is None else struct.pack("<d", score)
        if with_rank:
            data += struct.pack("<I", rank or 0)
    return zlib.crc32(data)


class View:
    """One window: rows, position and the parts of a snapshot that is not complete."""

    def __init__(self, kind):
        self.kind = kind
        self.epoch = None
        self.seq = None  # nil: no position, whatever is shown
        self.first = 1
        self.total = None
        self.rows = None  # nil: nothing was shown yet
        self.parts = None  # (epoch, seq, entries)

    def fork(self):
        """The same rows at the same position, to go on from on another socket."""
        other = View(self.kind)
        other.epoch, other.seq, other.first = self.epoch, self.seq, self.first
        other.total, other.rows = self.total, self.rows
        return other

    def position(self):
        return (None, None) if self.seq is None else (self.epoch, self.seq)

    def drop_position(self, epoch):
        self.epoch, self.seq, self.parts = epoch, None, None

    def snapshot(self, frame):
        """True where it was the last part, and the window is replaced."""
        _topic, epoch, seq, first, total, entries, _at, more = p.fields(frame)
        if self.parts is None or self.parts[:2] != (epoch, seq):
            self.parts = (epoch, seq, [])
        self.parts[2].extend(entries)
        if more:
            return False
        entry = placed_entry if self.kind == p.TOP else unplaced_entry
        rows = [entry(item) for item in self.parts[2]]
        self.rows = rows if self.kind == p.TOP else sort_unplaced(rows)
        self.epoch, self.seq, self.first, self.total, self.parts = epoch, seq, first, total, None
        return True

    def delta(self, frame):
        """apply, drop or gap; only "apply" changed something."""
        _topic, seq, span, removed, placed, first, total, _at = p.fields(frame)
        if not all(p.is_u(ref) for ref in removed):
            raise p.NoFrame("a ref that is none")
        rule = delta_rule(self.seq, seq, span)
        if rule != "apply":
            return rule
        try:
            self.rows = (fold_placed if self.kind == p.TOP else fold_unplaced)(self.rows, removed, placed)
        except Gap:
            return "gap"
        self.seq = seq
        self.first = self.first if first is None else first
        self.total = self.total if total is None else total
        return "apply"

    def rank(self, frame):
        """True where it was applied (7.4)."""
        _topic, seq, rank, _before, score, total, _gap, _best, _at, epoch = p.fields(frame)
        if self.seq is not None and epoch == self.epoch and seq < self.seq:
            return False
        self.rows = [Row(0, score, rank, None, None, None)]
        self.epoch, self.seq, self.total = epoch, seq, total
        return True

    def table(self):
        """[playerId, score, rank] as shown; nil where nothing was shown yet."""
        if self.rows is None:
            return None
        if self.kind == p.TOP:
            return [[row.player, row.score, self.first + index] for index, row in enumerate(self.rows)]
        return [[row.player, row.score, row.rank] for row in self.rows]

    def check(self):
        return checksum([(row.ref, row.score, row.rank) for row in self.rows], self.kind != p.TOP)
