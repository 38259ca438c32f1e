/** What the ranking in Redis keeps of its lists: their time, their registry, and what a sweep drops of them. */

import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RankingKeys } from '../../src/ranking/keys.js';
import type { TagList } from '../../src/ranking/ranking.js';
import { RedisRanking } from '../../src/ranking/redis-ranking.js';
import { DAY, entryIn, GUILD, OTHER_DEFINITION, SEASON, seasonEntry, TestBoard } from '../contract/ranking-fixture.js';
import { type TestRedis, testRedis } from '../support/isolation.js';

const ALL = [SEASON, DAY, GUILD];

let redis: TestRedis;
let ranking: RedisRanking;
let keys: RankingKeys;
let board: TestBoard;

beforeEach(async () => {
  redis = await testRedis();
  const prefix = `${redis.keyPrefix}ranking`;
  keys = new RankingKeys(prefix);
  ranking = new RedisRanking({ url: redis.url, prefix, logger: pino({ level: 'silent' }) });
  board = new TestBoard(ranking);
});

afterEach(async () => {
  await ranking.close();
  await redis.drop();
});

async function registered(generation: number): Promise<readonly string[]> {
  return await redis.client.zrange(keys.registry(board.tag, generation), '0', '-1', 'WITHSCORES');
}

async function endOf(generation: number, list: TagList): Promise<number> {
  return await redis.client.pexpiretime(keys.list(board.tag, generation, list.name));
}

/** Keys of the tag that belong to a generation. */
async function keysOf(generation: number): Promise<readonly string[]> {
  const all = await redis.client.keys(`${redis.keyPrefix}*`);
  const [ofLists, registry] = [keys.list(board.tag, generation, ''), keys.registry(board.tag, generation)];
  return all.filter((key) => key.startsWith(ofLists) || key === registry);
}

async function sweepAll(): Promise<number> {
  let calls = 1;
  while (await ranking.sweep(board.tag)) calls += 1;
  return calls;
}

describe('a list', () => {
  const written = ['inf', String(DAY.keptUntil)];
  it('is registered with its end by its first row, whoever writes it', async () => {
    const byChunk = () => board.load('job', 0, [seasonEntry('amy', 1), entryIn(DAY, 'amy', 1)]);
    const bySubmit = () => board.submitIn([SEASON, DAY], ['amy', 1]);
    const bySettle = async () => {
      await board.order('recompute', 'amy', []);
      const folded = [SEASON, DAY].map((list) => ({ list, score: 1 }));
      await ranking.settle(board.tag, board.definition.hash, await board.markOf('amy'), folded);
    };
    for (const write of [byChunk, bySubmit, bySettle]) {
      board = new TestBoard(ranking);
      await board.begin({ jobId: 'job' });
      await write();
      expect(await registered(1)).toEqual([DAY.name, written[1], 's', written[0]]);
      expect(await endOf(1, DAY)).toBe(DAY.keptUntil);
      expect(await endOf(1, SEASON)).toBe(-1);
    }
  });

  it('gets its end again with the first row after its last', async () => {
    await board.fill();
    await board.submitIn([DAY], ['amy', 1]);
    await board.order('hide', 'amy', [DAY]);
    expect(await redis.client.exists(keys.list(board.tag, 1, DAY.name))).toBe(0);
    await board.submitIn([DAY], ['bob', 1]);
    expect(await endOf(1, DAY)).toBe(DAY.keptUntil);
  });

  it('keeps its end whatever is written behind the first row', async () => {
    await board.fill();
    await board.submitIn([DAY], ['amy', 1]);
    const earlier = (DAY.keptUntil ?? 0) - 1_000;
    await redis.client.pexpireat(keys.list(board.tag, 1, DAY.name), earlier);
    await board.submitIn([DAY], ['amy', 2], ['bob', 1]);
    expect(await endOf(1, DAY)).toBe(earlier);
  });

  it('leaves the registry some time after its end', async () => {
    await board.fill();
    await redis.client.zadd(keys.registry(board.tag, 1), Date.now() - 1, 'd:gone', Date.now() + 60_000, 'd:near');
    await board.submitIn([SEASON], ['amy', 1]);
    await board.submitIn([DAY], ['amy', 1]);
    expect((await registered(1)).filter((_, index) => index % 2 === 0)).toEqual(['d:near', DAY.name, 's']);
  });
});

describe('a sweep', () => {
  it('drops nothing of what is shown and what is filled', async () => {
    await board.fill();
    await board.submitIn(ALL, ['amy', 1]);
    await board.begin({ jobId: 'second', replace: true });
    await board.submitIn(ALL, ['bob', 1]);
    expect(await sweepAll()).toBe(1);
    expect((await keysOf(1)).length).toBe(4);
    expect((await keysOf(2)).length).toBe(4);
  });

  it('drops every list of what was shown before, some at a call', async () => {
    await board.fill();
    const guilds = Array.from({ length: 250 }, (_, index) => ({ name: `s:guild:${index}`, keptUntil: null }));
    await board.submitIn(guilds, ['amy', 1]);
    await board.begin({ jobId: 'second', replace: true });
    await board.finish('second', 0);
    await board.submitIn(ALL, ['bob', 1]);
    expect(await sweepAll()).toBe(3);
    expect(await keysOf(1)).toEqual([]);
    expect((await keysOf(2)).length).toBe(4);
    expect(await ranking.sweep(board.tag)).toBe(false);
  });

  it.each([
    ['given up', () => ranking.abandon(board.tag, 'second')],
    ['replaced', () => board.begin({ jobId: 'third', replace: true })],
  ])('drops every list of a fill that was %s', async (_, end) => {
    await board.fill();
    await board.submitIn(ALL, ['amy', 1]);
    await board.begin({ jobId: 'second', replace: true });
    await board.submitIn(ALL, ['bob', 1]);
    await end();
    await sweepAll();
    expect(await keysOf(2)).toEqual([]);
    expect((await keysOf(1)).length).toBe(4);
  });

  it('drops every list of a board whose meta was lost, and none of it shines through the next', async () => {
    await board.fill();
    await board.submitIn(ALL, ['amy', 1]);
    await redis.client.del(keys.meta(board.tag));
    const next = new TestBoard(ranking);
    Object.assign(next, { tag: board.tag });
    await next.fill([seasonEntry('bob', 1)]);
    expect(await next.players()).toEqual(['bob']);
    expect(await next.players(GUILD.name)).toEqual([]);
    await sweepAll();
    expect(await keysOf(1)).toEqual([]);
    expect((await keysOf(2)).length).toBe(2);
  });
});

describe('a board of the version before, with one list that is registered nowhere', () => {
  beforeEach(async () => {
    await board.fill([seasonEntry('amy', 1), seasonEntry('zed', 1)]);
    await redis.client.del(keys.registry(board.tag, 1), keys.generations(board.tag));
    await redis.client.hdel(keys.meta(board.tag), 'shown', 'shownJob');
  });

  it('is shown and written', async () => {
    expect(await board.submit(['amy', 2])).toMatchObject({ outcomes: ['applied'], isReadable: true });
    expect(await board.scores()).toEqual({ amy: 2, zed: 1 });
    expect(await ranking.state(board.tag)).toMatchObject({ definitionHash: board.definition.hash });
  });

  it('is dropped once another was filled, and does not shine through before', async () => {
    await board.begin({ jobId: 'second', replace: true });
    await board.finish('second', 0);
    expect(await board.players()).toEqual([]);
    await sweepAll();
    expect(await keysOf(1)).toEqual([]);
  });

  it.each([
    ['was given up', () => ranking.abandon(board.tag, 'second')],
    ['was replaced', () => board.begin({ jobId: 'third', replace: true }, OTHER_DEFINITION)],
  ])('is read on where a fill under another definition %s, also if it is of the very first', async (_, end) => {
    await redis.client.hdel(keys.meta(board.tag), 'last', 'rule', 'span', 'max', 'low', 'birth');
    await board.begin({ jobId: 'second', replace: true }, OTHER_DEFINITION);
    await end();
    expect(await board.scores()).toEqual({ amy: 1, zed: 1 });
    await sweepAll();
    expect(await board.scores()).toEqual({ amy: 1, zed: 1 });
  });

  it('says that it is not written where it is of the very first, so that nobody waits for its positions', async () => {
    await redis.client.hdel(keys.meta(board.tag), 'rule', 'span', 'max', 'low', 'birth');
    expect(await board.submit(['amy', 2])).toEqual({ kind: 'other-definition' });
    const { hash } = board.definition;
    expect(await ranking.state(board.tag)).toMatchObject({ definitionHash: hash, isWritten: false, writtenHash: null });
  });

  it('is passed over where its meta was lost', async () => {
    await redis.client.del(keys.meta(board.tag));
    await board.fill();
    expect(await board.players()).toEqual([]);
  });
});
