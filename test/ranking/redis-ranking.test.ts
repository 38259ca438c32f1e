/** What the ranking in Redis promises beyond the contract. */

import { pack } from 'msgpackr';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Change } from '../../src/domain/change.js';
import { RankingKeys } from '../../src/ranking/keys.js';
import { RedisRanking } from '../../src/ranking/redis-ranking.js';
import { definitionOf, MAX_POINTS, seasonEntry, TestBoard } from '../contract/ranking-fixture.js';
import { type TestRedis, testRedis } from '../support/isolation.js';

let redis: TestRedis;
let ranking: RedisRanking;
let keys: RankingKeys;

beforeEach(async () => {
  redis = await testRedis();
  const prefix = `${redis.keyPrefix}ranking`;
  keys = new RankingKeys(prefix);
  ranking = new RedisRanking({ url: redis.url, prefix, logger: pino({ level: 'silent' }) });
});

afterEach(async () => {
  await ranking.close();
  await redis.drop();
});

it('keeps the merge of a definition beside it, with every digit', async () => {
  const { hash, merge } = definitionOf('sum', 'low', 2 ** 52 - 1);
  const board = new TestBoard(ranking, { hash, merge: { ...merge, timeSpan: 2 ** 52 } });
  await board.fill();
  expect(await redis.client.hgetall(keys.meta(board.tag))).toMatchObject({
    definition: hash,
    rule: 'sum',
    span: '4503599627370496',
    max: '4503599627370495',
    low: '1',
  });
  const high = new TestBoard(ranking);
  await high.fill();
  const fields = { rule: 'best', span: '4294967296', max: String(MAX_POINTS), low: '0' };
  expect(await redis.client.hgetall(keys.meta(high.tag))).toMatchObject(fields);
});

it('refuses results for a board of a version without rules, and writes nothing', async () => {
  const board = new TestBoard(ranking);
  await board.fill([seasonEntry('amy', 1)]);
  await redis.client.hdel(keys.meta(board.tag), 'rule', 'span', 'max', 'low');
  const before = await redis.client.hgetall(keys.meta(board.tag));
  expect(await board.submit(['amy', 2])).toEqual({ kind: 'other-definition' });
  expect(await redis.client.hgetall(keys.meta(board.tag))).toEqual(before);
  expect(await board.rows()).toEqual([{ playerId: 'amy', score: 1, rank: 1 }]);
});

it('reads changes that a version before labels wrote', async () => {
  const board = new TestBoard(ranking);
  await board.fill();
  const { epoch } = (await ranking.state(board.tag)) ?? { epoch: 0 };
  const flat = ['s', 'amy', false, false, 7, 1, 1_000, 's', 'bob', 3, 2, false, false, 2_000];
  const changes = await new Promise<readonly Change[]>((resolve) => {
    ranking.follow(board.ref(), 0, { changes: (set) => resolve(set.changes), position: () => {} });
    void redis.client.xadd(keys.changes(board.tag), '2-0', 'c', pack([epoch, 1, 2, flat]));
  });
  expect(changes).toEqual([
    { list: 's', playerId: 'amy', scoreBefore: null, rankBefore: null, score: 7, rank: 1, at: 1_000, label: null },
    { list: 's', playerId: 'bob', scoreBefore: 3, rankBefore: 2, score: null, rank: null, at: 2_000, label: null },
  ]);
});
