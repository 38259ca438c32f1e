/** Property test of counting once: after any history, settled by truth, a list is what all distinct results come to. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TagDefinition } from '../../src/domain/tag-definition.js';
import { untilCovered } from '../support/until-covered.js';
import { type RankingFactory, useRanking } from './ranking-fixture.js';
import { LOGS } from './ranking-model.js';
import { RecomputeHistory, type Step } from './recompute-history.js';
import { TruthModel } from './truth-model.js';

const PLAYERS = ['a', 'ab', 'Ａ', '😀', '{}'];
const RESULTS = 16;
const LOG_LENGTH = 14;
const RUNS = { numRuns: 60 };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('submit' as const),
      logIndex: fc.nat(LOGS.length - 1),
      back: fc.nat(3),
      length: fc.nat(6),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('settle' as const), pick: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('load' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('begin' as const),
      nexts: fc.tuple(fc.nat(LOG_LENGTH), fc.nat(LOG_LENGTH), fc.nat(LOG_LENGTH)),
    }),
  },
);

export function describeRecomputes(factory: RankingFactory, definition: TagDefinition): void {
  const { boardOf } = useRanking(factory);
  const { maxTotal } = definition.merge;
  const result = fc.record({
    playerId: fc.constantFrom(...PLAYERS),
    // Totals come to the end rarely: there a result that counts twice would not show.
    points: fc.oneof({ weight: 9, arbitrary: fc.nat(9) }, { weight: 1, arbitrary: fc.constant(maxTotal - 5) }),
    second: fc.nat(3),
  });
  const log = fc.array(fc.option(fc.nat(RESULTS - 1), { nil: undefined, freq: 8 }), {
    minLength: 4,
    maxLength: LOG_LENGTH,
  });
  const histories = fc.record({
    results: fc.array(result, { minLength: RESULTS, maxLength: RESULTS }),
    // Late from the first delivery on, from the second, or never.
    lateFrom: fc.array(fc.constantFrom(0, 1, 99, 99, 99), { minLength: RESULTS, maxLength: RESULTS }),
    logs: fc.tuple(log, log, log),
    steps: fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }),
  });

  it('is all distinct results, whatever came twice, late, or while truth was read', async () => {
    const total = { late: 0, duplicate: 0, settled: 0, superseded: 0, settledInFill: 0 };
    const check = async ({
      results,
      lateFrom,
      logs,
      steps,
    }: typeof histories extends fc.Arbitrary<infer T> ? T : never) => {
      const truth = new TruthModel(definition, results, logs);
      const history = new RecomputeHistory(boardOf(definition), truth, PLAYERS, lateFrom);
      await history.run(steps);
      for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += history.seen[key];
    };
    const least = RUNS.numRuns / 4;
    await untilCovered(
      () => fc.assert(fc.asyncProperty(histories, check), RUNS),
      () => Object.values(total).every((count) => count > least),
    );
    for (const count of Object.values(total)) expect(count).toBeGreaterThan(least);
  });
}
