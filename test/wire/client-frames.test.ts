import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_CLIENT_FRAME_BYTES } from '../../proto/frames.js';
import { clientFrameSchema } from '../../proto/schema.js';
import { BadFrameError, checkClientFrame, readClientFrame } from '../../src/wire/client-frames.js';
import { encodeValue } from '../../src/wire/encode.js';

const CLIENT_TYPES = [1, 3, 7, 16, 18, 20];

function refusalOf(bytes: Uint8Array): BadFrameError {
  try {
    readClientFrame(bytes);
  } catch (error) {
    if (error instanceof BadFrameError) return error;
    throw error;
  }
  throw new Error('was accepted');
}

/** Values that sit at the borders of what fields allow. */
const field = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(0, 1, 3, 2 ** 32 - 1) },
  fc.constantFrom(-1, 0.5, 2 ** 32, 2 ** 53 - 1, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY),
  { weight: 2, arbitrary: fc.constantFrom('', 'arena', 'arena;s=12') },
  { weight: 2, arbitrary: fc.constant(null) },
  fc.constantFrom(true, [], [10], { a: 1 }),
);
/** One legal frame of each type; single fields are replaced, dropped or added. */
const legal: readonly (readonly unknown[])[] = [
  [1, 'token', 'sdk-js/0.1.0', 3, 'k3f9'],
  [3, 7],
  [7, 5, 'token'],
  [16, 1, 1, 'arena', [10], 5, 5_000_000_000],
  [16, 1, 5, 'arena', [['ada']], null, null, 250, true],
  [18, 1, 7],
  [20, 7, 5, 42, 1],
];
const changed = fc
  .tuple(
    fc.constantFrom(...legal),
    fc.array(fc.tuple(fc.nat({ max: 7 }), field), { maxLength: 2 }),
    fc.nat({ max: 9 }),
    fc.array(field, { maxLength: 2 }),
  )
  .map(([frame, changes, length, more]) => {
    const values = [...frame];
    for (const [index, value] of changes) if (index < values.length) values[index] = value;
    return [...values.slice(0, length), ...(length > values.length ? more : [])];
  });
const anything = fc
  .tuple(fc.constantFrom(...CLIENT_TYPES), fc.array(field, { maxLength: 8 }))
  .map(([type, rest]) => [type, ...rest]);

describe('readClientFrame', () => {
  it('accepts what the schema accepts, refuses what it refuses, and changes no field', () => {
    let accepted = 0;
    let refused = 0;
    fc.assert(
      fc.property(fc.oneof(changed, anything), (frame) => {
        fc.pre(CLIENT_TYPES.includes(frame[0] as number));
        const isLegal = clientFrameSchema.safeParse(frame).success;
        if (!isLegal) {
          refused += 1;
          expect(() => checkClientFrame(frame)).toThrow(BadFrameError);
          return;
        }
        accepted += 1;
        const checked: readonly unknown[] = checkClientFrame(frame);
        expect(checked).toEqual(checked.map((_, index) => frame[index] ?? null));
        // SUBSCRIBE has two fields more where they say something.
        const lengths = legal.filter(([type]) => type === frame[0]).map(({ length }) => length);
        expect(lengths).toContain(checked.length);
      }),
      { numRuns: 10_000 },
    );
    expect(accepted).toBeGreaterThan(1_000);
    expect(refused).toBeGreaterThan(1_000);
  });

  it('fills missing fields at the end with nil and drops those of later versions', () => {
    expect(readClientFrame(encodeValue([16, 1, 3, 'arena', []]))).toEqual([16, 1, 3, 'arena', [], null, null]);
    expect(readClientFrame(encodeValue([3, null, 'later', [1]]))).toEqual([3, null]);
  });

  it.each([0, 2, 4, 5, 6, 17, 32, 127, 4_000_000_000])('takes type %d, which no client sends, for unknown', (type) => {
    expect(readClientFrame(encodeValue([type, 'whatever']))).toEqual(['unknown', type]);
  });

  it('takes a frame at the limit and closes above it with 1009', () => {
    const frame = (bytes: number): Uint8Array => encodeValue([1, 'x'.repeat(bytes - 9), 'c', 3, null]);
    expect(frame(MAX_CLIENT_FRAME_BYTES)).toHaveLength(MAX_CLIENT_FRAME_BYTES);
    expect(readClientFrame(frame(MAX_CLIENT_FRAME_BYTES))[0]).toBe(1);
    expect(refusalOf(frame(MAX_CLIENT_FRAME_BYTES + 1)).closeCode).toBe(1_009);
  });

  it('refuses reqId 0, which answers use for "nobody asked"', () => {
    const subscribe = (reqId: number) => encodeValue([16, reqId, 1, 'arena', []]);
    const unsubscribe = (reqId: number) => encodeValue([18, reqId, 7]);
    const refresh = (reqId: number) => encodeValue([7, reqId, 'token']);
    expect(refusalOf(refresh(0)).reason).toBe('bad frame: reqId of REFRESH must not be 0');
    expect(refusalOf(subscribe(0)).reason).toBe('bad frame: reqId of SUBSCRIBE must not be 0');
    expect(refusalOf(unsubscribe(0)).reason).toBe('bad frame: reqId of UNSUBSCRIBE must not be 0');
    expect(refusalOf(unsubscribe(0)).closeCode).toBe(4_400);
    expect([readClientFrame(subscribe(1))[1], readClientFrame(unsubscribe(1))[1]]).toEqual([1, 1]);
  });

  it('gives a reason that names the field, fits into a close frame and quotes nothing', () => {
    const { closeCode, reason } = refusalOf(encodeValue([1, ['eyJ-a-secret-token'], 'client', 3]));
    expect(closeCode).toBe(4_400);
    expect(reason).toBe('bad frame: token of HELLO must be text');
    for (const { reason: other } of [refusalOf(encodeValue(['secret'])), refusalOf(new Uint8Array([0xc1]))]) {
      expect(other).not.toContain('secret');
      expect(new TextEncoder().encode(other).length).toBeLessThan(123);
    }
  });

  it('gives a frame that does not change when the memory of the message is used again', () => {
    const bytes = encodeValue([16, 1, 1, 'arena', [10], null, null]);
    const frame = readClientFrame(bytes);
    bytes.fill(0);
    expect(frame).toEqual([16, 1, 1, 'arena', [10], null, null]);
  });
});
