import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isWaiting,
  type LetterPosition,
  metadataOf,
  movedTo,
  readPosition,
} from '../../src/results/dead-letter-position.js';

const nothing = readPosition(-1, null, 100);

/** As a group that commits and is asked again. */
const committed = (position: LetterPosition, end: number): LetterPosition =>
  readPosition(position.first, metadataOf(position), end);

describe('the position of the letters', () => {
  it('says that everything waits where nothing was ever sent', () => {
    expect(isWaiting(nothing, 0, 'bad_json', false)).toBe(true);
  });

  it('leaves the letters of other reasons waiting, and forgets single reasons once all are sent', () => {
    const one = committed(movedTo(nothing, 'bad_json', 50, 3), 100);
    expect(one.first).toBe(3);
    expect(isWaiting(one, 49, 'bad_json', false)).toBe(false);
    expect(isWaiting(one, 50, 'bad_json', false)).toBe(true);
    expect(isWaiting(one, 3, 'too_late', false)).toBe(true);
    const all = committed(movedTo(one, null, 60, 60), 100);
    expect(all.sentOf.size).toBe(0);
    expect(isWaiting(all, 59, 'too_late', false)).toBe(false);
  });

  it('keeps what was cut waiting', () => {
    const all = committed(movedTo(nothing, null, 60, 7), 100);
    expect([isWaiting(all, 7, 'bad_json', true), isWaiting(all, 7, 'bad_json', false)]).toEqual([true, false]);
  });

  it.each(['', 'somebody else wrote this', '{"sent":"x","sentOf":{}}', '{"sent":1}', 'null'])(
    'takes an offset that was set by hand at its word (metadata %j)',
    (metadata) => {
      const position = readPosition(20, metadata, 100);
      expect([isWaiting(position, 19, 'a', false), isWaiting(position, 20, 'a', false)]).toEqual([false, true]);
    },
  );

  it('counts for nothing where the topic ends before it', () => {
    const position = movedTo(movedTo(nothing, null, 60, 60), 'bad_json', 80, 70);
    expect(isWaiting(committed(position, 79), 5, 'bad_json', false)).toBe(true);
    expect(isWaiting(committed(position, 80), 5, 'bad_json', false)).toBe(false);
  });

  it('agrees with a list of what was sent, whatever reasons are replayed in whatever order', () => {
    const reasons = ['a', 'b', 'c'];
    const letter = fc.record({ reason: fc.constantFrom(...reasons), isCut: fc.integer({ min: 0, max: 5 }) });
    const run = fc.record({
      reason: fc.option(fc.constantFrom(...reasons)),
      added: fc.array(letter, { maxLength: 6 }),
    });
    fc.assert(
      fc.property(fc.array(run, { maxLength: 8 }), (runs) => {
        let position = nothing;
        const letters: { reason: string; isCut: boolean; isSent: boolean }[] = [];
        for (const { reason, added } of runs) {
          letters.push(...added.map((one) => ({ reason: one.reason, isCut: one.isCut === 0, isSent: false })));
          const waiting = (index: number): boolean => {
            const { reason: own, isCut } = letters[index] ?? { reason: '', isCut: false };
            return index >= position.first && isWaiting(position, index, own, isCut);
          };
          expect(letters.map((_, index) => waiting(index))).toEqual(letters.map(({ isSent }) => !isSent));
          for (const one of letters) if (!one.isCut && (reason === null || one.reason === reason)) one.isSent = true;
          const first = letters.findIndex(({ isSent }) => !isSent);
          position = committed(movedTo(position, reason, letters.length, first < 0 ? letters.length : first), 1_000);
        }
      }),
    );
  });
});
