/** The ranking in Redis keeps the contract. */

import { pino } from 'pino';
import { RedisRanking } from '../../src/ranking/redis-ranking.js';
import { describeRankingContract } from './ranking-contract.js';

describeRankingContract('redis', async () => {
  const url = process.env['RANKCAST_TEST_REDIS_URL'];
  if (url === undefined) throw new Error('RANKCAST_TEST_REDIS_URL is not set: run the tests with npm test');
  const ranking = new RedisRanking({ url, prefix: 'contract', logger: pino({ level: 'silent' }) });
  return { ranking, close: () => ranking.close() };
});
