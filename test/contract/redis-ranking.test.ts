/** The ranking in Redis keeps the contract. */

import { Redis } from 'ioredis';
import { pino } from 'pino';
import { RankingKeys } from '../../src/ranking/keys.js';
import { RedisRanking } from '../../src/ranking/redis-ranking.js';
import { describeRankingContract } from './ranking-contract.js';
import type { BegunLongAgo } from './ranking-fixture.js';

const PREFIX = 'contract';
const DAYS_MS = 3 * 86_400_000;

describeRankingContract('redis', async () => {
  const url = process.env['RANKCAST_TEST_REDIS_URL'];
  if (url === undefined) throw new Error('RANKCAST_TEST_REDIS_URL is not set: run the tests with npm test');
  const ranking = new RedisRanking({ url, prefix: PREFIX, logger: pino({ level: 'silent' }) });
  const keys = new RankingKeys(PREFIX);
  const client = new Redis(url);
  const begunLongAgo: BegunLongAgo = async (tag, begin) => {
    const answer = await begin();
    if (answer === 'begun') await client.hincrby(keys.meta(tag), 'birth', -DAYS_MS);
    return answer;
  };
  const close = async () => {
    await ranking.close();
    client.disconnect();
  };
  return { ranking, begunLongAgo, close };
});
