import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mergeScores, type ScoreMerge } from '../../src/domain/rules.js';
import { mergedScore } from '../../src/truth/merge-scores.js';
import { Binder } from '../../src/truth/statement.js';
import { createTruthDatabase, type TruthDatabase } from './truth-database.js';

let database: TruthDatabase;
beforeAll(async () => {
  database = await createTruthDatabase({ isMigrated: false });
});
afterAll(() => database.drop());

const MAX_TOTAL = 2_097_151;
const MERGES: readonly ScoreMerge[] = (['best', 'latest', 'sum'] as const).flatMap((rule) =>
  [true, false].map((isLow) => ({ rule, timeSpan: 2 ** 32, maxTotal: MAX_TOTAL, isLow })),
);

it.each(MERGES)('two packed scores are merged in SQL as they are here ($rule, low first: $isLow)', async (merge) => {
  const { timeSpan } = merge;
  const value = fc.oneof(fc.constantFrom(0, 1, 7, MAX_TOTAL), fc.nat({ max: MAX_TOTAL }));
  const time = fc.oneof(fc.constantFrom(0, 1, timeSpan - 1), fc.nat({ max: timeSpan - 1 }));
  const score = fc.tuple(value, time).map(([points, rest]) => points * timeSpan + rest);
  const pairs = fc.array(fc.tuple(score, score), { minLength: 200, maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(pairs, async (some) => {
      const bind = new Binder();
      const merged = mergedScore(merge, 'held', 'incoming', bind);
      const held = bind.add(
        'bigint[]',
        some.map(([a]) => a),
      );
      const incoming = bind.add(
        'bigint[]',
        some.map(([, b]) => b),
      );
      const rows = await database.ask<{ merged: string }>(
        `SELECT (${merged})::text AS merged FROM unnest(${held}, ${incoming}) WITH ORDINALITY AS t (held, incoming, n) ORDER BY n`,
        bind.values,
      );
      expect(rows.map((row) => Number(row.merged))).toEqual(some.map(([a, b]) => mergeScores(merge, a, b)));
    }),
    { numRuns: 10 },
  );
});
