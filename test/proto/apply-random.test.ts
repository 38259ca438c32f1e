import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReferenceFold } from './reference-fold.js';

const SIZE = 8;

interface Row {
  readonly ref: number;
  readonly score: number;
}

/** The rule of a server for placed windows: who left, and each row that entered, changed, or was passed over. */
function difference(before: readonly Row[], after: readonly Row[]): { removed: number[]; placed: unknown[] } {
  const stays = new Set(after.map((row) => row.ref));
  const removed = before.filter((row) => !stays.has(row.ref)).map((row) => row.ref);
  const known = new Map(before.map((row) => [row.ref, row]));
  const same = after.filter((row) => known.get(row.ref)?.score === row.score).map((row) => row.ref);
  const placed = after.flatMap((row, index) => {
    if (same.includes(row.ref)) return [];
    const tail = known.has(row.ref) ? [] : [null, `p${row.ref}`, null];
    return [[index, row.ref, row.score, ...tail]];
  });
  return { removed, placed };
}

/** Rows with their old score keep their old order among each other: only the changed ones are to be placed. */
function top(scores: ReadonlyMap<number, number>): Row[] {
  return [...scores]
    .map(([ref, score]) => ({ ref, score }))
    .sort((a, b) => b.score - a.score || b.ref - a.ref)
    .slice(0, SIZE);
}

describe('deltas of a placed window', () => {
  it('leave the same window as a snapshot, one by one and merged, over random boards with ties', () => {
    const moves = fc.array(fc.tuple(fc.integer({ min: 1, max: 14 }), fc.integer({ min: 0, max: 6 })), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(moves, fc.integer({ min: 1, max: 5 }), (changes, every) => {
        const scores = new Map<number, number>();
        const fold = new ReferenceFold('placed');
        fold.apply([32, 1, 9, 0, 1, 0, [], 0]);
        let sent: Row[] = [];
        let sentSeq = 0;
        changes.forEach(([ref, score], index) => {
          scores.set(ref, score);
          const seq = index + 1;
          if (seq % every !== 0) return;
          const now = top(scores);
          const { removed, placed } = difference(sent, now);
          fold.apply([33, 1, seq, seq - sentSeq, removed, placed, null, scores.size, 0]);
          sent = now;
          sentSeq = seq;
        });
        expect(fold.resyncs).toBe(0);
        expect(fold.rows.map(({ ref, score, rank }) => ({ ref, score, rank }))).toEqual(
          sent.map((row, index) => ({ ...row, rank: index + 1 })),
        );
      }),
      { numRuns: 300 },
    );
  });
});
