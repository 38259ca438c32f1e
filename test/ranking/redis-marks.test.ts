/** What the ranking in Redis promises of marks beyond the contract: its clock, its histories, and what it leaves behind. */

import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RankingKeys } from '../../src/ranking/keys.js';
import { MAX_MARKS, type Mark, type SubmitReply } from '../../src/ranking/ranking.js';
import { RedisRanking } from '../../src/ranking/redis-ranking.js';
import {
  batchOf,
  DAY,
  definitionOf,
  pack,
  present,
  SEASON,
  seasonEntry,
  seasonFold,
  TestBoard,
} from '../contract/ranking-fixture.js';
import { type TestRedis, testRedis } from '../support/isolation.js';

const SUM = definitionOf('sum');

let redis: TestRedis;
let ranking: RedisRanking;
let keys: RankingKeys;
let board: TestBoard;

beforeEach(async () => {
  redis = await testRedis();
  const prefix = `${redis.keyPrefix}ranking`;
  keys = new RankingKeys(prefix);
  ranking = new RedisRanking({ url: redis.url, prefix, logger: pino({ level: 'silent' }) });
  board = new TestBoard(ranking, SUM);
});

afterEach(async () => {
  await ranking.close();
  await redis.drop();
});

/** A board of no memory: what it is told is late. */
async function submitLate(from: number, ...players: readonly string[]): Promise<SubmitReply> {
  return await board.submitBatch(batchOf(from, ...players.map((playerId) => [playerId, pack(1, 5)] as const)));
}

async function onlyMark(): Promise<Mark> {
  const [mark, ...others] = await ranking.marks(board.tag);
  expect(others).toEqual([]);
  return present(mark);
}

async function serverTime(): Promise<number> {
  const [seconds, micros] = await redis.client.time();
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}

it("takes a tag's birth and the time of a settled change from Redis's clock, in milliseconds", async () => {
  const before = await serverTime();
  await board.fill();
  const birth = Number(await redis.client.hget(keys.meta(board.tag), 'birth'));
  await submitLate(0, 'amy');
  const feed = board.follow(0);
  await ranking.settle(board.tag, board.definition.hash, await onlyMark(), seasonFold(pack(7, 5)));
  const after = await serverTime();
  await feed.reached(1);
  feed.close();
  const at = feed.allChanges[0]?.at ?? 0;
  for (const instant of [birth, at]) {
    expect(instant).toBeGreaterThanOrEqual(before);
    expect(instant).toBeLessThanOrEqual(after);
  }
});

it('settles on a new server under a new epoch, with and without a change', async () => {
  await board.fill([seasonEntry('amy', pack(7, 5))]);
  const epochs = [present(await ranking.state(board.tag)).epoch];
  for (const points of [7, 8]) {
    await submitLate(points - 7, 'amy');
    await redis.client.hset(keys.meta(board.tag), 'replid', 'another');
    expect(await ranking.settle(board.tag, board.definition.hash, await onlyMark(), seasonFold(pack(points, 5)))).toBe(
      'settled',
    );
    epochs.push(present(await ranking.state(board.tag)).epoch);
    expect(await board.seq()).toBe(points - 7);
  }
  expect(new Set(epochs).size).toBe(3);
  const feed = board.follow(0);
  await feed.reached(1);
  feed.close();
  expect(feed.sets).toMatchObject([
    { epoch: epochs[2], fromSeq: 1, changes: [{ playerId: 'amy', score: pack(8, 5) }] },
  ]);
});

it('keeps the positions of logs of any name, to the last offset', async () => {
  const positions = ['kafka:a:1', 'ü"\\/[0]'].map((source) => ({ source, partition: 7, next: 2 ** 53 - 1 }));
  await board.fill([], positions);
  await submitLate(0, 'amy');
  const { positions: marked } = await onlyMark();
  expect(new Set(marked)).toEqual(new Set(await board.positions()));
  expect(marked).toEqual(expect.arrayContaining(positions));
});

it('keeps no key of marks once all are settled, and none of a fill once it is finished', async () => {
  await board.begin({ jobId: 'job' });
  await submitLate(0, 'amy', 'bob');
  for (const mark of await ranking.marks(board.tag))
    await ranking.settle(board.tag, board.definition.hash, mark, seasonFold(pack(1, 5)));
  expect(await redis.client.exists(keys.marks(board.tag), keys.aside(board.tag))).toBe(0);
  expect((await redis.client.smembers(keys.settled(board.tag))).toSorted()).toEqual(['amy', 'bob']);
  await board.finish('job', 0);
  expect(await redis.client.exists(keys.settled(board.tag))).toBe(0);
});

it('has no marks, and settles none, where only the meta of a tag was lost', async () => {
  await board.fill();
  await submitLate(0, 'amy');
  const mark = await onlyMark();
  await redis.client.del(keys.meta(board.tag));
  expect(await ranking.marks(board.tag)).toEqual([]);
  expect(await ranking.settle(board.tag, board.definition.hash, mark, seasonFold(pack(1, 5)))).toBe('superseded');
});

it('refuses to settle for a score that no list can hold, and keeps the mark', async () => {
  await board.fill();
  await submitLate(0, 'amy');
  const mark = await onlyMark();
  for (const score of [-1, 1.5, 2 ** 53, Number.NaN]) {
    await expect(ranking.settle(board.tag, board.definition.hash, mark, seasonFold(score))).rejects.toThrow(
      'BADARG score',
    );
  }
  expect(await onlyMark()).toEqual(mark);
});

it('reads at most so many marks of a tag that has more, and in time all of them', async () => {
  await board.fill();
  const players = Array.from({ length: MAX_MARKS + 200 }, (_, index) => `p${index}`);
  for (let from = 0; from < players.length; from += 300) await submitLate(from, ...players.slice(from, from + 300));
  const read = new Set<string>();
  for (let reads = 0; reads < 50 && read.size < players.length; reads += 1) {
    const marks = await ranking.marks(board.tag);
    expect(new Set(marks.map(({ playerId }) => playerId)).size).toBe(MAX_MARKS);
    for (const { playerId } of marks) read.add(playerId);
  }
  // One of 1,200 stays unread by 50 draws of 1,000 with a chance of 1e-36.
  expect([...read].toSorted()).toEqual(players.toSorted());
});

it('keeps what came aside for each list with every digit, and until when the list is kept', async () => {
  const full = new TestBoard(ranking, definitionOf('best'));
  await full.fill();
  await full.order('recompute', 'amy', [SEASON, DAY]);
  await full.submitIn([SEASON, DAY], ['amy', 2 ** 53 - 1]);
  await ranking.settle(full.tag, full.definition.hash, present((await ranking.marks(full.tag))[0]), []);
  expect(await full.scores('s')).toEqual({ amy: 2 ** 53 - 1 });
  expect(await full.scores(DAY.name)).toEqual({ amy: 2 ** 53 - 1 });
  expect(await redis.client.pexpiretime(keys.list(full.tag, 1, DAY.name))).toBe(DAY.keptUntil);
});

it('settles a mark of the version before, which knew one list', async () => {
  await board.fill([], [{ source: 'kafka:a', partition: 3, next: 7 }]);
  await redis.client.hset(keys.marks(board.tag), 'amy', JSON.stringify(['old:1', 'kafka:a', '3', '7']));
  await redis.client.hset(keys.aside(board.tag), 'amy', String(pack(2, 9)));
  const mark = await onlyMark();
  const positions = [{ source: 'kafka:a', partition: 3, next: 7 }];
  expect(mark).toEqual({ playerId: 'amy', markId: 'old:1', lists: [], positions });
  expect(await ranking.settle(board.tag, board.definition.hash, mark, seasonFold(pack(1, 5)))).toBe('settled');
  expect(await board.scores()).toEqual({ amy: pack(3, 9) });
});
