import fc from 'fast-check';
import { Packr } from 'msgpackr';
import { describe, expect, it } from 'vitest';
import { BadFrameError, readClientFrame } from '../../src/wire/client-frames.js';
import { DecodeError, decodeFrame } from '../../src/wire/decode.js';
import { decodeVectors } from '../proto/vectors/decode-vectors.js';
import { encodeVectors } from '../proto/vectors/encode-vectors.js';
import { bytesOf } from '../proto/vectors/hex.js';
import { bytesOfParts, invalidVectors } from '../proto/vectors/invalid-vectors.js';

const packr = new Packr({ useRecords: false, variableMapSize: true, encodeUndefinedAsNil: true });

const seeds: Uint8Array[] = [
  ...encodeVectors.map((vector) => bytesOf(vector.hex)),
  ...decodeVectors.flatMap((vector) => vector.forms.map((form) => bytesOf(form.hex))),
  ...invalidVectors.map((vector) => bytesOfParts(vector.parts)).filter((bytes) => bytes.length < 5_000),
];

/** A vector after a few bytes were set, cut out or put in. */
const mutated = fc
  .tuple(
    fc.constantFrom(...seeds),
    fc.array(
      fc.record({
        at: fc.nat(),
        byte: fc.oneof(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0xc0, max: 0xdf })),
        how: fc.constantFrom('set', 'cut', 'insert'),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  )
  .map(([seed, edits]) => {
    const bytes = Array.from(seed);
    for (const { at, byte, how } of edits) {
      const index = at % (bytes.length + 1);
      if (how === 'set') bytes[index] = byte;
      else bytes.splice(index, how === 'cut' ? 1 : 0, ...(how === 'cut' ? [] : [byte]));
    }
    return Uint8Array.from(bytes);
  });

function isInSubset(value: unknown, depth = 0): boolean {
  if (value === null || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER && !Object.is(value, -0);
  if (typeof value === 'string') return value.isWellFormed();
  const inner: unknown[] = Array.isArray(value) ? value : Object.values(value as object);
  return depth < 8 && inner.every((element) => isInSubset(element, depth + 1));
}

function readsOrRefuses(bytes: Uint8Array): void {
  const before = bytes.slice();
  try {
    if (!isInSubset(decodeFrame(bytes))) throw new Error('decoded to a value outside the subset');
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
  }
  try {
    readClientFrame(bytes);
  } catch (error) {
    if (!(error instanceof BadFrameError)) throw error;
    if (error.reason.length > 122) throw new Error(`too long for a close frame: ${error.reason}`);
  }
  if (Buffer.compare(bytes, before) !== 0) throw new Error('the input was changed');
}

describe('any bytes', () => {
  it('are either a value of the subset or a DecodeError: mutated vectors', () => {
    fc.assert(fc.property(mutated, readsOrRefuses), { numRuns: 10_000 });
  });

  it('are either a value of the subset or a DecodeError: random bytes', () => {
    const codes = fc.oneof(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0x80, max: 0x9f }));
    const bytes = fc.array(codes, { maxLength: 120 }).map((values) => Uint8Array.from(values));
    fc.assert(fc.property(bytes, readsOrRefuses), { numRuns: 10_000 });
  });

  it('cut short at any place are refused', () => {
    for (const { hex } of encodeVectors) {
      const bytes = bytesOf(hex);
      for (let length = 0; length < bytes.length; length += 1) {
        expect(() => decodeFrame(bytes.subarray(0, length))).toThrow(DecodeError);
      }
    }
  });
});

describe('any value of the subset', () => {
  const numbers = fc.oneof(
    fc.maxSafeInteger(),
    fc.integer(),
    fc.integer({ min: -70_000, max: 70_000 }),
    fc.double({ noNaN: true, min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }).map((value) => value + 0),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 6 },
      fc.oneof(numbers, fc.string({ unit: 'binary' }), fc.string(), fc.boolean(), fc.constant(null)),
      fc.array(tie('value'), { maxLength: 20 }),
      fc.dictionary(
        fc.string().filter((key) => key !== '__proto__'),
        tie('value'),
        { maxKeys: 5 },
      ),
    ),
  }));

  it('comes back as it was packed by another encoder', () => {
    fc.assert(
      fc.property(value, (packed) => {
        expect(decodeFrame(packr.pack(packed))).toEqual(packed);
      }),
      { numRuns: 2_000 },
    );
  });
});
