import fc from 'fast-check';
import { unpack } from 'msgpackr';
import { describe, expect, it } from 'vitest';
import { encodeFrame } from '../../src/client/encode.js';
import { decodeFrame } from '../../src/wire/decode.js';

const scalar = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.nat(),
  fc.constantFrom(127, 128, 255, 256, 65_535, 65_536, 4_294_967_295, 4_294_967_296, Number.MAX_SAFE_INTEGER),
  fc.integer(),
  fc.double({ min: -1e15, max: 1e15, noNaN: true }).map((value) => value + 0),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', minLength: 250, maxLength: 300 }),
);
const frame = fc.array(fc.oneof(scalar, fc.array(scalar, { maxLength: 20 })), { maxLength: 20 });

describe('encodeFrame', () => {
  it('writes what both readers read back', () => {
    fc.assert(
      fc.property(frame, (value) => {
        const bytes = encodeFrame(value);
        // -0 has no meaning on the wire and comes back as 0 from the strict reader.
        const plain = JSON.parse(JSON.stringify(value)) as unknown;
        expect(decodeFrame(bytes)).toEqual(plain);
        expect(JSON.parse(JSON.stringify(unpack(bytes)))).toEqual(plain);
      }),
    );
  });

  it('writes integers in the shortest unsigned form', () => {
    expect([...encodeFrame([127, 128, 300, 70_000])]).toEqual([
      0x94, 0x7f, 0xcc, 0x80, 0xcd, 0x01, 0x2c, 0xce, 0x00, 0x01, 0x11, 0x70,
    ]);
  });

  it('writes the longest token that fits a frame', () => {
    const token = 'x'.repeat(4_000);
    expect(decodeFrame(encodeFrame([1, token, 'sdk', 3, null]))).toEqual([1, token, 'sdk', 3, null]);
  });

  it('refuses what no frame carries', () => {
    expect(() => encodeFrame([{ a: 1 }])).toThrow(TypeError);
    expect(() => encodeFrame([Number.NaN])).toThrow(TypeError);
    expect(() => encodeFrame([10n])).toThrow(TypeError);
  });
});
