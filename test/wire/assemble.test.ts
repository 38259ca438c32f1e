import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_SERVER_FRAME_BYTES } from '../../proto/frames.js';
import {
  assembleBatch,
  assembleDelta,
  assembleSnapshots,
  encodeElement,
  MAX_BATCH_HEADER_BYTES,
} from '../../src/wire/assemble.js';
import { decodeFrame } from '../../src/wire/decode.js';
import { EncodeError, encodeValue } from '../../src/wire/encode.js';
import { hexOf } from '../proto/vectors/hex.js';

const u = fc.oneof(
  fc.constantFrom(0, 1, 127, 128, 255, 256, 65_535, 65_536, 2 ** 31, 2 ** 32 - 1),
  fc.integer({ min: 0, max: 2 ** 32 - 1 }),
);
const n = fc.oneof(u, fc.constantFrom(2 ** 32, 2 ** 53 - 1), fc.integer({ min: 0, max: 2 ** 53 - 1 }));
const orNil = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { nil: null });
const row = fc.tuple(u, orNil(n), orNil(u), orNil(u), orNil(n), orNil(n), fc.string({ unit: 'binary', maxLength: 40 }));

describe('assembleDelta', () => {
  it('gives the very bytes of the frame encoded as a whole', () => {
    const rows = fc.array(row, { maxLength: 20 });
    fc.assert(
      fc.property(u, n, u, fc.array(u, { maxLength: 20 }), rows, orNil(u), orNil(n), n, (...fields) => {
        const [topic, seq, span, removed, placed, first, total, at] = fields;
        const frame = assembleDelta({ topic, seq, span, removed, placed: placed.map(encodeElement), first, total, at });
        expect(hexOf(frame)).toBe(hexOf(encodeValue([33, topic, seq, span, removed, placed, first, total, at])));
      }),
    );
  });

  it('counts beyond what short array headers hold', () => {
    for (const count of [15, 16, 65_535, 65_536]) {
      const removed = Array.from({ length: count }, (_, index) => index);
      const placed = removed.map((ref) => encodeElement([ref]));
      const frame = assembleDelta({ topic: 1, seq: 2, span: 1, removed, placed, first: null, total: null, at: 3 });
      const decoded = decodeFrame(frame) as unknown[][];
      expect(decoded[4]).toEqual(removed);
      expect(decoded[5]).toHaveLength(count);
    }
  });

  it('gives memory of its own, which no later frame touches (case A20)', () => {
    const parts = { topic: 1, seq: 2, span: 1, removed: [], first: null, total: null, at: 3 };
    const first = assembleDelta({ ...parts, placed: [encodeElement([1, 'secret of pl-1'])] });
    const copy = first.slice();
    assembleDelta({ ...parts, placed: [encodeElement([2, 'secret of pl-2'])] });
    expect(first).toEqual(copy);
    const others = Array.from({ length: 1_000 }, () => assembleDelta({ ...parts, placed: [] }));
    const ends = (frame: Uint8Array) => [frame.byteOffset, frame.byteOffset + frame.byteLength] as const;
    const shared = others.filter((other) => other.buffer === first.buffer);
    const [from, to] = ends(first);
    expect(shared.every((other) => ends(other)[1] <= from || to <= ends(other)[0])).toBe(true);
    expect(first).toEqual(copy);
  });

  it('refuses numbers that the protocol does not have, and works on', () => {
    const parts = { topic: 1, seq: 2, span: 1, removed: [], placed: [], first: null, total: null, at: 3 };
    for (const wrong of [{ topic: -1 }, { topic: 2 ** 32 }, { span: 0.5 }, { seq: 2 ** 53 }, { at: Number.NaN }]) {
      expect(() => assembleDelta({ ...parts, ...wrong })).toThrow(EncodeError);
    }
    expect(decodeFrame(assembleDelta(parts))).toEqual([33, 1, 2, 1, [], [], null, null, 3]);
  });
});

describe('assembleSnapshots', () => {
  const head = {
    topic: 4_294_967_295,
    epoch: 3_405_691_582,
    seq: 2 ** 53 - 1,
    first: 4_294_967_295,
    total: 2 ** 53 - 1,
  };
  const at = 1_791_828_201_417;

  it('is one frame where it fits, without the field more', () => {
    const frames = assembleSnapshots({ ...head, at, entries: [encodeElement([1, 5, null, 'ada', 'Ada'])] });
    expect(frames.map((frame) => decodeFrame(frame))).toEqual([
      [32, head.topic, head.epoch, head.seq, head.first, head.total, [[1, 5, null, 'ada', 'Ada']], at],
    ]);
  });

  it('is one frame for an empty window', () => {
    const frames = assembleSnapshots({ ...head, at, entries: [] });
    expect(frames.map((frame) => decodeFrame(frame))).toEqual([
      [32, head.topic, head.epoch, head.seq, head.first, head.total, [], at],
    ]);
  });

  it('splits 10,000 friends into parts below the limit, more on all but the last, every row once and in order', () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => [
      index,
      1_518,
      null,
      null,
      2 ** 52,
      at,
      `player-${index}`,
    ]);
    const frames = assembleSnapshots({ ...head, at, entries: rows.map(encodeElement) });
    const decoded = frames.map((frame) => decodeFrame(frame) as unknown[]);
    expect(Math.max(...frames.map((frame) => frame.length))).toBeLessThanOrEqual(MAX_SERVER_FRAME_BYTES);
    expect(decoded.flatMap((frame) => frame[6])).toEqual(rows);
    expect(decoded.map((frame) => frame[8] ?? false)).toEqual(decoded.map((_, index) => index < decoded.length - 1));
    for (const frame of decoded) {
      expect([...frame.slice(0, 6), frame[7]]).toEqual([32, ...Object.values(head), at]);
    }
  });

  it('keeps every limit that leaves room for one row, however large the numbers of the header', () => {
    const rows = fc.array(
      fc.string({ maxLength: 30 }).map((text) => [1, text]),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(rows, fc.integer({ min: 100, max: 400 }), (entries, maxBytes) => {
        const frames = assembleSnapshots({ ...head, at, entries: entries.map(encodeElement), maxBytes });
        expect(Math.max(...frames.map((frame) => frame.length))).toBeLessThanOrEqual(maxBytes);
        expect(frames.flatMap((frame) => (decodeFrame(frame) as unknown[])[6])).toEqual(entries);
      }),
    );
  });

  it('sends an entry above the limit alone in its part', () => {
    const entries = ['a', 'b'.repeat(300), 'c'].map((text) => encodeElement([text]));
    const frames = assembleSnapshots({ ...head, at, entries, maxBytes: 100 });
    expect(frames.map((frame) => (decodeFrame(frame) as unknown[][])[6]?.length)).toEqual([1, 1, 1]);
  });
});

describe('assembleBatch', () => {
  it('holds complete frames in order, and adds no more than it says', () => {
    for (const count of [0, 1, 15, 16, 300]) {
      const frames = Array.from({ length: count }, (_, index) => encodeValue([3, index, 'x'.repeat(index % 50)]));
      const batch = assembleBatch(frames);
      expect(decodeFrame(batch)).toEqual([0, frames.map((frame) => decodeFrame(frame))]);
      const sum = frames.reduce((total, frame) => total + frame.length, 0);
      expect(batch.length - sum).toBeLessThanOrEqual(MAX_BATCH_HEADER_BYTES);
    }
  });
});
