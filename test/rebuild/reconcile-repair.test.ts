/** What becomes of a repair that is interrupted, with stores that answer when the test wants them to. */

import { expect, it } from 'vitest';
import type { Mark } from '../../src/domain/marks.js';
import { repairMarked } from '../../src/rebuild/reconcile-repair.js';
import type { MarkedRanking, PlayerFolds } from '../../src/rebuild/settle-marks.js';
import { boardSeasonOf } from '../support/definitions.js';
import { until } from '../support/until.js';
import { silent } from '../truth/truth-database.js';

const SCOPE = boardSeasonOf();
const POSITIONS = [{ source: 'kafka:t', partition: 0, next: 5 }];

function markOf(playerId: string): Mark {
  return { playerId, markId: playerId, lists: [], positions: POSITIONS };
}

const RANKING: MarkedRanking = {
  marks: async () => Array.from({ length: 20 }, (_, n) => markOf(`pl-${n}`)),
  state: async () => ({ writtenHash: SCOPE.definition.hash, positions: POSITIONS }),
  settle: async () => 'settled',
};
const never = () => new Promise<never>(() => {});

it.each(['state', 'marks'] as const)('need not wait for a ranking that does not answer for its %s', async (name) => {
  const ending = new AbortController();
  const truth: PlayerFolds = { positions: async () => POSITIONS, fold: async () => [] };
  const ranking = { ...RANKING, [name]: never };
  const repaired = repairMarked(SCOPE, { ranking, truth, logger: silent, signal: ending.signal });
  ending.abort(new Error('interrupted'));
  await expect(repaired).rejects.toThrow('interrupted');
});

it('begins to settle no other player once it is interrupted', async () => {
  const ending = new AbortController();
  let begun = 0;
  let settled = 0;
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const truth: PlayerFolds = {
    positions: async () => POSITIONS,
    fold: async () => {
      begun += 1;
      await gate;
      return [];
    },
  };
  const ranking: MarkedRanking = {
    ...RANKING,
    settle: async () => {
      settled += 1;
      return 'settled';
    },
  };
  const repaired = repairMarked(SCOPE, { ranking, truth, logger: silent, signal: ending.signal });
  await until(() => expect(begun).toBeGreaterThan(0));
  const underWay = begun;
  ending.abort(new Error('interrupted'));
  await expect(repaired).rejects.toThrow('interrupted');
  open();
  await until(() => expect(settled).toBe(underWay));
  // Whoever was next would have begun in the turn in which the last one ended.
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toBe(underWay);
});
