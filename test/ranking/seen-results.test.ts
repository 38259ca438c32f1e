/** How the ranking in Redis remembers results: small, and for as long as it has to. */

import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RankingKeys } from '../../src/ranking/keys.js';
import type { ResultIdentity, SubmitBatch, SubmitReply } from '../../src/ranking/ranking.js';
import { RedisRanking } from '../../src/ranking/redis-ranking.js';
import { AT, definitionOf, pack, SOURCE, TestBoard } from '../contract/ranking-fixture.js';
import { SEASON_LISTS } from '../support/definitions.js';
import { type TestRedis, testRedis } from '../support/isolation.js';

const HOUR_MS = 3_600_000;
const DEDUP_MS = 2 * HOUR_MS;
const SUM = definitionOf('sum');
const BUCKETS = 16_384n;

let redis: TestRedis;
let ranking: RedisRanking;
let keys: RankingKeys;
let board: TestBoard;

beforeEach(async () => {
  redis = await testRedis();
  const prefix = `${redis.keyPrefix}ranking`;
  keys = new RankingKeys(prefix);
  ranking = new RedisRanking({ url: redis.url, prefix, logger: pino({ level: 'silent' }), dedupMs: DEDUP_MS });
  board = new TestBoard(ranking, SUM);
  await board.fill();
  await redis.client.hincrby(keys.meta(board.tag), 'birth', -24 * HOUR_MS);
});

afterEach(async () => {
  await ranking.close();
  await redis.drop();
});

let next = 0;
beforeEach(() => {
  next = 0;
});

/** One point for each identity, as the next records of partition 0. */
function batchOfIdentities(identities: readonly (ResultIdentity | undefined)[]): SubmitBatch {
  const results = identities.map((identity, index) => ({
    playerId: `p${index}`,
    score: pack(1, 5),
    lists: SEASON_LISTS,
    offset: next + index,
    at: AT,
    ...(identity && { identity }),
  }));
  return { source: SOURCE, partition: 0, from: next, to: next + identities.length, results };
}

async function submit(...identities: readonly ResultIdentity[]): Promise<SubmitReply> {
  const batch = batchOfIdentities(identities);
  next = batch.to;
  return await board.submitBatch(batch);
}

/** Hashes of all sizes and both signs whose bucket is 5. */
function hashesOfOneBucket(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const step = 2n ** 63n / BUCKETS / BigInt(count);
    return String((index % 2 === 0 ? 1n : -1n) * BigInt(index) * step * BUCKETS + 5n);
  });
}

it('keeps 512 results of an hour and bucket in one packed set of integers', async () => {
  const achievedAt = Date.now();
  const identities = hashesOfOneBucket(512).map((hash) => ({ hash, achievedAt }));
  for (const from of [0, 256]) await submit(...identities.slice(from, from + 256));
  const [first] = identities;
  const key = first === undefined ? '' : keys.seen(board.tag, first);
  expect(await redis.client.scard(key)).toBe(512);
  expect(await redis.client.object('ENCODING', key)).toBe('intset');
  expect(await redis.client.smembers(key)).toEqual(expect.arrayContaining(identities.map(({ hash }) => hash)));
});

it('takes less than 12 bytes for each of 400 results', async () => {
  const identities = hashesOfOneBucket(400).map((hash) => ({ hash, achievedAt: Date.now() }));
  for (const from of [0, 200]) await submit(...identities.slice(from, from + 200));
  const [first] = identities;
  const bytes = first === undefined ? null : await redis.client.memory('USAGE', keys.seen(board.tag, first));
  expect(Number(bytes) / 400).toBeGreaterThan(8);
  expect(Number(bytes) / 400).toBeLessThan(12);
});

it('keeps a set for each hour and bucket, and each until an hour after its last result has become late', async () => {
  const now = Date.now();
  const identities = [now, now - HOUR_MS].flatMap((achievedAt) =>
    ['5', '6', '16389'].map((hash) => ({ hash, achievedAt })),
  );
  await submit(...identities);
  const stored = await redis.client.keys(
    keys.seen(board.tag, { hash: '0', achievedAt: 0 }).replace('seen:0:0', 'seen:*'),
  );
  expect(stored.toSorted()).toEqual(
    [...new Set(identities.map((identity) => keys.seen(board.tag, identity)))].toSorted(),
  );
  for (const identity of identities) {
    const hourEnd = (Math.floor(identity.achievedAt / HOUR_MS) + 1) * HOUR_MS;
    expect(await redis.client.pexpiretime(keys.seen(board.tag, identity))).toBe(hourEnd + DEDUP_MS + HOUR_MS);
  }
});

it('sets the end of a set when it is new, and never again', async () => {
  const achievedAt = Date.now();
  await submit({ hash: '5', achievedAt });
  const key = keys.seen(board.tag, { hash: '5', achievedAt });
  const end = Date.now() + HOUR_MS;
  await redis.client.pexpireat(key, end);
  expect(await submit({ hash: '16389', achievedAt })).toMatchObject({ outcomes: ['applied'] });
  expect(await redis.client.scard(key)).toBe(2);
  expect(await redis.client.pexpiretime(key)).toBe(end);
});

it('remembers nothing of late results, copies, other rules, or what was considered before', async () => {
  const achievedAt = Date.now();
  const early = achievedAt - DEDUP_MS - 1_000;
  const reply = await submit({ hash: '5', achievedAt }, { hash: '5', achievedAt }, { hash: '6', achievedAt: early });
  expect(reply).toMatchObject({ outcomes: ['applied', 'duplicate', 'late'] });
  next = 2;
  expect(await submit({ hash: '7', achievedAt })).toMatchObject({ outcomes: ['skipped'] });
  const best = new TestBoard(ranking);
  await best.fill();
  await best.submitBatch({ ...batchOfIdentities([{ hash: '8', achievedAt }]), from: 0 });
  const stored = await redis.client.keys(`${redis.keyPrefix}*:seen:*`);
  expect(stored).toEqual([keys.seen(board.tag, { hash: '5', achievedAt })]);
  expect(await redis.client.smembers(stored[0] ?? '')).toEqual(['5']);
});

it.each<[string, ResultIdentity | undefined]>([
  ['no identity', undefined],
  ['an empty hash', { hash: '', achievedAt: AT }],
  ['a hash that is no number', { hash: '12x', achievedAt: AT }],
  ['a hash longer than 64 bits', { hash: '123456789012345678901', achievedAt: AT }],
  ['a time that is no number', { hash: '5', achievedAt: Number.NaN }],
])('refuses a batch with a result of %s before it writes anything', async (_, wrong) => {
  const good = { hash: '4', achievedAt: Date.now() };
  const before = await redis.client.hgetall(keys.meta(board.tag));
  for (const identities of [[good, wrong], [wrong]]) {
    await expect(board.submitBatch(batchOfIdentities(identities))).rejects.toThrow('BADARG identity');
  }
  expect(await redis.client.hgetall(keys.meta(board.tag))).toEqual(before);
  expect(await board.rows()).toEqual([]);
  expect(await submit(good)).toMatchObject({ outcomes: ['applied'] });
});

it('writes nothing where somebody put another type in the place of a set', async () => {
  const achievedAt = Date.now();
  await redis.client.set(keys.seen(board.tag, { hash: '6', achievedAt }), 'x');
  await expect(submit({ hash: '5', achievedAt }, { hash: '6', achievedAt })).rejects.toThrow('WRONGTYPE');
  expect(await board.rows()).toEqual([]);
  expect(await board.positions()).toEqual([]);
});
