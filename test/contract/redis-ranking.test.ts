/** The ranking in Redis keeps the contract. */

import { Redis } from 'ioredis';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { RankingKeys } from '../../src/ranking/keys.js';
import { RedisRanking } from '../../src/ranking/redis-ranking.js';
import { DEFINITION } from './packing.js';
import { describeRankingContract } from './ranking-contract.js';
import {
  type BegunLongAgo,
  DAY,
  entryIn,
  GUILD,
  type RankingUnderTest,
  SEASON,
  useRanking,
} from './ranking-fixture.js';

const PREFIX = 'contract';
const DAYS_MS = 3 * 86_400_000;

function redisUrl(): string {
  const url = process.env['RANKCAST_TEST_REDIS_URL'];
  if (url === undefined) throw new Error('RANKCAST_TEST_REDIS_URL is not set: run the tests with npm test');
  return url;
}

async function redisRanking(): Promise<RankingUnderTest> {
  const url = redisUrl();
  const ranking = new RedisRanking({ url, prefix: PREFIX, logger: pino({ level: 'silent' }) });
  const keys = new RankingKeys(PREFIX);
  const client = new Redis(url);
  const begunLongAgo: BegunLongAgo = async (tag, begin) => {
    const answer = await begin();
    if (answer.kind === 'begun') await client.hincrby(keys.meta(tag), 'birth', -DAYS_MS);
    return answer;
  };
  const close = async () => {
    await ranking.close();
    client.disconnect();
  };
  return { ranking, begunLongAgo, close };
}

describeRankingContract('redis', redisRanking);

describe('what a sweep leaves in Redis', () => {
  const { ranking, boardOf } = useRanking(redisRanking);

  it('is the keys of the one generation that is shown, whatever was filled before', async () => {
    const client = new Redis(redisUrl());
    const board = boardOf(DEFINITION);
    const keysOfTag = async () => (await client.keys(`*${board.tag.boardId}*`)).toSorted();
    const guilds = Array.from({ length: 300 }, (_, index) => ({ ...GUILD, name: `s:guild:${index}` }));
    const entries = [SEASON, DAY, ...guilds].map((list) => entryIn(list, 'amy', 10));
    await board.fill(entries);
    const before = await keysOfTag();
    expect(before.length).toBeGreaterThan(entries.length);
    for (const jobId of ['crashed', 'given up', 'last']) {
      await board.begin({ jobId, replace: true });
      await board.load(jobId, 0, entries);
      await board.submitIn([SEASON, DAY], ['bob', 5]);
      if (jobId === 'given up') await ranking().abandon(board.tag, jobId);
    }
    expect(await board.finish('last', 1)).toBe('finished');
    expect((await keysOfTag()).length).toBeGreaterThan(4 * entries.length);
    while (await ranking().sweep(board.tag));
    // The results came after the first look, so there is a stream by now.
    expect((await keysOfTag()).length).toBe(before.length + 1);
    expect(await board.scores(DAY.name)).toEqual({ amy: 10, bob: 5 });
    client.disconnect();
  });
});
