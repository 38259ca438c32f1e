/** Property test of lists, orders and rebuilds together: after any history every list is what truth comes to. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TagDefinition } from '../../src/domain/tag-definition.js';
import { untilCovered } from '../support/until-covered.js';
import { type ListStep, ListsHistory } from './lists-history.js';
import { LIST_CHOICES, type ListRecord, ListsTruth, PLAYERS } from './lists-truth.js';
import { type RankingFactory, useRanking } from './ranking-fixture.js';
import { LOGS } from './ranking-model.js';

const RUNS = { numRuns: 40 };

const record: fc.Arbitrary<ListRecord> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('result' as const),
      playerId: fc.constantFrom(...PLAYERS),
      points: fc.nat(9),
      second: fc.nat(3),
      lists: fc.constantFrom(...LIST_CHOICES),
      isLate: fc.constantFrom(true, false, false, false, false, false),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('order' as const),
      playerId: fc.constantFrom(...PLAYERS),
      order: fc.constantFrom('hide', 'hide', 'unhide', 'correct', 'recompute'),
    }),
  },
);

const step: fc.Arbitrary<ListStep> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('submit' as const),
      logIndex: fc.nat(LOGS.length - 1),
      back: fc.nat(2),
      length: fc.nat(4),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('settle' as const), pick: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('mark' as const), playerId: fc.constantFrom(...PLAYERS) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('begin' as const),
      isOther: fc.boolean(),
      ahead: fc.nat(2),
    }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('load' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('abandon' as const, 'sweep' as const) }) },
);

export function describeListHistories(factory: RankingFactory, definition: TagDefinition): void {
  const { boardOf } = useRanking(factory);
  const histories = fc.record({
    records: fc.array(record, { minLength: 20, maxLength: 50 }),
    steps: fc.array(step, { minLength: 15, maxLength: 40, size: 'max' }),
  });

  it('is what truth comes to in every list, whoever is hidden, marked, or replaced meanwhile', async () => {
    const total = { hidden: 0, late: 0, settled: 0, settledInFill: 0, replaced: 0, redefined: 0 };
    const check = async ({ records, steps }: typeof histories extends fc.Arbitrary<infer T> ? T : never) => {
      const truth = new ListsTruth(definition, records);
      const history = new ListsHistory(boardOf(definition), truth, definition);
      await history.run(steps);
      for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += history.seen[key];
    };
    const counts = (): number[] => {
      const { late, ...others } = total;
      return [...(definition.merge.rule === 'sum' ? [late] : []), ...Object.values(others)];
    };
    const least = RUNS.numRuns / 8;
    await untilCovered(
      () => fc.assert(fc.asyncProperty(histories, check), RUNS),
      () => counts().every((count) => count > least),
    );
    for (const count of counts()) expect(count).toBeGreaterThan(least);
  });
}
