/** The in-memory ranking keeps the contract. */

import { MemoryRanking } from '../../src/ranking/memory-ranking.js';
import { describeRankingContract } from './ranking-contract.js';
import type { BegunLongAgo } from './ranking-fixture.js';

describeRankingContract('memory', async () => {
  let lag = 0;
  const ranking = new MemoryRanking({ positionIntervalMs: 20, now: () => Date.now() - lag });
  const begunLongAgo: BegunLongAgo = async (_tag, begin) => {
    lag = 3 * 86_400_000;
    const answer = begin();
    lag = 0;
    return await answer;
  };
  return { ranking, begunLongAgo, close: () => ranking.close() };
});
