/** The in-memory ranking keeps the contract. */

import { MemoryRanking } from '../../src/ranking/memory-ranking.js';
import { describeRankingContract } from './ranking-contract.js';

describeRankingContract('memory', async () => {
  const ranking = new MemoryRanking({ positionIntervalMs: 20 });
  return { ranking, close: () => ranking.close() };
});
