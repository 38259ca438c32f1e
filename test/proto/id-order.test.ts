import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareIdBytes } from '../../proto/id-order.js';
import { compareIds } from '../../src/domain/ids.js';

/** Few letters from each region of Unicode, so that random ids share prefixes and meet at the borders. */
const letters = fc.constantFrom(
  'a',
  'b',
  '\u007f',
  'é',
  '\u07ff',
  '\u0800',
  '한',
  '\ud7ff',
  '\ue000',
  'Ａ',
  '\uffff',
  '𐀀',
  '🙂',
  '🙃',
  '\u{10ffff}',
);
const ids = fc.oneof(
  fc.array(letters, { maxLength: 4 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 6 }),
);

describe('compareIdBytes', () => {
  it('agrees with the order of the server for any two ids', () => {
    fc.assert(
      fc.property(ids, ids, (a, b) => {
        expect(Math.sign(compareIdBytes(a, b))).toBe(Math.sign(compareIds(a, b)));
      }),
      { numRuns: 5_000 },
    );
  });

  it('puts an emoji above a full-width letter, which < does not', () => {
    expect(compareIdBytes('🙂', 'Ａ')).toBeGreaterThan(0);
    expect('🙂' < 'Ａ').toBe(true);
  });

  it('puts a longer id above its own beginning, and an id beside itself', () => {
    expect(compareIdBytes('ab', 'a')).toBeGreaterThan(0);
    expect(compareIdBytes('', 'a')).toBeLessThan(0);
    expect(compareIdBytes('player', 'player')).toBe(0);
  });
});
