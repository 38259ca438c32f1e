import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Change } from '../../src/domain/change.js';
import { compareOrderKeys, type OrderKey } from '../../src/domain/order-key.js';
import { CrossingCounts } from '../../src/views/crossing-counts.js';
import { TRICKY_IDS } from './support/brute-board.js';

const key = fc.record({ score: fc.nat({ max: 6 }), playerId: fc.constantFrom(...TRICKY_IDS) });
const row = fc.option(fc.nat({ max: 6 }), { nil: null });
const change = fc.record({ playerId: fc.constantFrom(...TRICKY_IDS), scoreBefore: row, score: row });
type Row = Pick<Change, 'playerId' | 'scoreBefore' | 'score'>;

function asChange({ playerId, scoreBefore, score }: Row): Change {
  return { list: 's', playerId, scoreBefore, score, rankBefore: null, rank: null, at: 0, label: null };
}

/** Net number of rows that came above the key, one by one. */
function countAbove(rows: readonly Row[], one: OrderKey): number {
  const isAbove = (score: number | null, playerId: string) =>
    Number(score !== null && compareOrderKeys({ score, playerId }, one) < 0);
  return rows.reduce(
    (sum, { playerId, scoreBefore, score }) => sum + isAbove(score, playerId) - isAbove(scoreBefore, playerId),
    0,
  );
}

it('counts what came above a key since any moment, among any keys, as a look at each row does', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(key, { maxLength: 12, selector: ({ score, playerId }) => `${score} ${playerId}` }),
      fc.array(change, { maxLength: 40 }),
      fc.array(fc.record({ at: fc.nat({ max: 40 }), key }), { maxLength: 8 }),
      (keys, changes, marks) => {
        const sorted = keys.toSorted(compareOrderKeys);
        const counts = new CrossingCounts(
          Float64Array.from(sorted, ({ score }) => score),
          sorted,
        );
        const made = new Map<(typeof marks)[number], ReturnType<CrossingCounts['mark']>>();
        changes.forEach((one, index) => {
          for (const mark of marks)
            if (mark.at === index) made.set(mark, counts.mark(mark.key.score, mark.key.playerId));
          counts.add(asChange(one));
        });
        for (const [{ at, key: marked }, mark] of made) {
          expect(counts.placesSince(mark)).toBe(countAbove(changes.slice(at), marked));
        }
        let places = 0;
        sorted.forEach((one, index) => {
          places += counts.net[index] ?? 0;
          // Who changes himself is no longer at his key; the tracker marks him.
          const isStill = changes.every(({ playerId }) => playerId !== one.playerId);
          if (isStill) expect(places).toBe(countAbove(changes, one));
        });
      },
    ),
    { numRuns: 2_000 },
  );
});
