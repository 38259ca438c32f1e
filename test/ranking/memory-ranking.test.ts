/** What the in-memory ranking promises beyond the contract. */

import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RankcastError } from '../../src/domain/errors.js';
import { MemoryRanking, type MemoryRankingOptions } from '../../src/ranking/memory-ranking.js';
import {
  BIRTH_GRACE_MS,
  DEDUP_MS,
  MAX_FILL_CHUNK,
  MAX_MARKS,
  MAX_READ_PLAYERS,
  MAX_SUBMIT_RESULTS,
  type ScoredResult,
} from '../../src/ranking/ranking.js';
import {
  AT,
  batchIn,
  batchOf,
  DEFINITION,
  definitionOf,
  eventually,
  newIdentity,
  orderBatch,
  pack,
  seasonEntry,
  seasonFold,
  TestBoard,
} from '../contract/ranking-fixture.js';
import { SEASON_LISTS } from '../support/definitions.js';

const rankings: MemoryRanking[] = [];
afterEach(async () => {
  for (const ranking of rankings.splice(0)) await ranking.close();
});

function newBoard(options: MemoryRankingOptions = {}, definition = DEFINITION): TestBoard {
  const ranking = new MemoryRanking(options);
  rankings.push(ranking);
  return new TestBoard(ranking, definition);
}

async function boardOf(options: MemoryRankingOptions = {}, definition = DEFINITION): Promise<TestBoard> {
  const board = newBoard(options, definition);
  await board.fill();
  return board;
}

describe('MemoryRanking feed', () => {
  it('hands the changes over before submit answers, all of a batch at once', async () => {
    const board = await boardOf();
    const feed = board.follow(0);
    await board.submit(['amy', 1], ['bob', 2]);
    expect(feed.sets.map((set) => [set.fromSeq, set.toSeq])).toEqual([[1, 2]]);
  });

  it('lets a listener read the board that its changes describe', async () => {
    const board = await boardOf();
    const totals: (number | undefined)[] = [];
    board.ranking.follow(board.ref(), 0, {
      changes: async () => {
        totals.push((await board.ranking.readRange(board.ref(), 1, 1))?.total);
      },
      position: () => undefined,
    });
    await board.submit(['amy', 1], ['bob', 2], ['cat', 3]);
    await eventually(() => totals.length > 0, 'the listener read');
    expect(totals).toEqual([3]);
  });

  it('keeps the order for all followers where a listener submits', async () => {
    const board = await boardOf();
    const first = board.follow(0);
    board.ranking.follow(board.ref(), 0, {
      changes: (set) => {
        if (set.toSeq < 3) void board.submit(['amy', set.toSeq + 1]);
      },
      position: () => undefined,
    });
    const last = board.follow(0);
    await board.submit(['amy', 1]);
    for (const feed of [first, last]) expect(feed.sets.map((set) => set.fromSeq)).toEqual([1, 2, 3]);
  });

  it('keeps the submit and the other followers from what a listener throws, and logs it', async () => {
    const logged: string[] = [];
    const logger = pino({ level: 'error' }, { write: (line: string) => logged.push(line) });
    const board = await boardOf({ logger });
    const nothing = () => undefined;
    const fail = () => {
      throw new Error('listener broke');
    };
    board.ranking.follow(board.ref(), 0, { changes: fail, position: nothing });
    board.ranking.follow(board.ref(), 0, { changes: () => Promise.reject(new Error('later')), position: nothing });
    const feed = board.follow(0);
    expect(await board.submit(['amy', 1])).toMatchObject({ outcomes: ['applied'] });
    expect(await board.submit(['amy', 2])).toMatchObject({ outcomes: ['applied'] });
    expect(feed.sets.length).toBe(2);
    await eventually(() => logged.length === 4, 'all four errors were logged');
    expect(logged.join('')).toContain('listener broke');
  });

  it('goes on with a follower whose listener failed', async () => {
    const board = await boardOf();
    const heard: number[] = [];
    board.ranking.follow(board.ref(), 0, {
      changes: (set) => {
        heard.push(set.fromSeq);
        if (set.fromSeq === 1) throw new Error('listener broke');
      },
      position: () => undefined,
    });
    await board.submit(['amy', 1]);
    await board.submit(['amy', 2]);
    expect(heard).toEqual([1, 2]);
  });

  it('brings only what it kept, so that a reader far behind sees the gap', async () => {
    const board = await boardOf({ keptChanges: 8 });
    for (let score = 1; score <= 50; score += 1) await board.submit(['amy', score]);
    const feed = board.follow(0);
    await feed.reached(50);
    expect(feed.sets.length).toBeLessThanOrEqual(8);
    expect(feed.sets[0]?.fromSeq).toBeGreaterThan(1);
    const seqs = feed.sets.map((set) => set.fromSeq);
    expect(seqs).toEqual(seqs.map((_, index) => (seqs[0] ?? 0) + index));
    await eventually(() => feed.heard.length > 0, 'the position was told');
    expect(feed.heard[0]?.seq).toBe(50);
  });

  it('keeps the newest set even where it alone is larger than the limit', async () => {
    const board = await boardOf({ keptChanges: 2 });
    await board.submit(['amy', 1], ['bob', 2], ['cat', 3]);
    const feed = board.follow(0);
    await feed.reached(3);
    expect(feed.allChanges.length).toBe(3);
  });

  it('cuts a set to what lies above the seq of a follower', async () => {
    const board = await boardOf();
    await board.submit(['amy', 1], ['bob', 2], ['cat', 3]);
    const feed = board.follow(1);
    await feed.reached(3);
    expect(feed.sets).toMatchObject([{ fromSeq: 2, toSeq: 3, changes: [{ playerId: 'bob' }, { playerId: 'cat' }] }]);
  });

  it('brings a follower what happened before it came not before follow has returned', async () => {
    const board = await boardOf();
    await board.submit(['amy', 1]);
    const feed = board.follow(0);
    expect(feed.sets).toEqual([]);
    await feed.reached(1);
  });

  it('is silent after close, also about what was under way', async () => {
    const board = await boardOf({ positionIntervalMs: 5 });
    await board.submit(['amy', 1]);
    const [closed, open] = [board.follow(0), board.follow(0)];
    closed.close();
    await eventually(() => open.heard.length >= 3, 'the neighbour heard three positions');
    expect([closed.sets, closed.heard]).toEqual([[], []]);
    await board.ranking.close();
    const heardCount = open.heard.length;
    await board.submit(['amy', 2]);
    await new Promise(setImmediate);
    expect(open.sets.length).toBe(1);
    expect(open.heard.length).toBe(heardCount);
  });
});

describe('MemoryRanking positions', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('tells them once a second', async () => {
    const board = await boardOf();
    const feed = board.follow(0);
    await vi.advanceTimersByTimeAsync(100);
    expect(feed.heard.length).toBe(1);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(feed.heard.length).toBe(4);
  });

  it('tells them at once when a fill is finished', async () => {
    const board = newBoard();
    const feed = board.follow(0);
    await vi.advanceTimersByTimeAsync(100);
    await board.fill();
    const state = await board.ranking.state(board.tag);
    expect(feed.heard).toEqual([null, { epoch: state?.epoch, seq: 0 }]);
  });
});

describe('MemoryRanking clock', () => {
  const sumBoard = (options: MemoryRankingOptions) => boardOf(options, definitionOf('sum'));

  it('knows a copy for six hours, and leaves it to truth from then on', async () => {
    let now = AT;
    const board = await sumBoard({ now: () => now });
    now += BIRTH_GRACE_MS;
    const match = newIdentity(now);
    await board.submit(['amy', pack(10, 5), match]);
    now += DEDUP_MS;
    expect(await board.submit(['amy', pack(10, 5), match])).toMatchObject({ outcomes: ['duplicate'] });
    now += 1;
    expect(await board.submit(['amy', pack(10, 5), match])).toMatchObject({ outcomes: ['late'] });
    expect(await board.scores()).toEqual({ amy: pack(10, 5) });
  });

  it('knows it for as long as it is told to', async () => {
    let now = AT;
    const board = await sumBoard({ now: () => now, dedupMs: 60_000 });
    now += BIRTH_GRACE_MS + 120_000;
    const results = [60_000, 60_001].map((age) => ['amy', pack(10, 5), newIdentity(now - age)] as const);
    expect(await board.submit(...results)).toMatchObject({ outcomes: ['applied', 'late'] });
  });

  it('says when a list is past, to the millisecond', async () => {
    let now = AT;
    const board = await boardOf({ now: () => now });
    const day = { name: 'd:2026-04-01', keptUntil: AT + 1_000 };
    now = day.keptUntil - 1;
    await board.submitIn([day], ['amy', 1]);
    expect(await board.players(day.name)).toEqual(['amy']);
    now = day.keptUntil;
    expect(await board.players(day.name)).toEqual([]);
    expect(await board.submitIn([day], ['amy', 2])).toMatchObject({ outcomes: ['no-record'] });
  });

  it('stamps what a settle changed', async () => {
    let now = AT;
    const board = await sumBoard({ now: () => now });
    await board.submit(['amy', pack(10, 5), newIdentity(AT)]);
    const feed = board.follow(0);
    now += 5;
    for (const mark of (await board.marked()).values())
      await board.ranking.settle(board.tag, board.definition.hash, mark, seasonFold(pack(10, 5)));
    expect(feed.allChanges).toMatchObject([{ playerId: 'amy', at: AT + 5 }]);
  });
});

describe('MemoryRanking calls', () => {
  it.each([-1, 0.5, 2 ** 53])('does not settle to %d, and keeps the mark', async (score) => {
    const board = await boardOf({}, definitionOf('sum'));
    const { ranking } = board;
    await board.submit(['amy', pack(10, 5)]);
    const marks = await ranking.marks(board.tag);
    for (const mark of marks) {
      await expect(ranking.settle(board.tag, board.definition.hash, mark, seasonFold(score))).rejects.toThrow(
        RankcastError,
      );
    }
    expect(marks).toHaveLength(1);
    expect(await ranking.marks(board.tag)).toEqual(marks);
    expect(await board.rows()).toEqual([]);
  });

  it('finishes a fill once: a repeat keeps the epoch', async () => {
    const board = newBoard();
    const { ranking, tag } = board;
    await board.begin({ jobId: 'job' });
    await board.finish('job', 0);
    const state = await ranking.state(tag);
    expect(await board.finish('job', 0)).toBe('finished');
    expect(await ranking.state(tag)).toEqual(state);
    expect(await board.load('job', 0, [])).toBe('superseded');
  });

  it.each([
    ['too many results', batchOf(0, ...Array.from({ length: MAX_SUBMIT_RESULTS + 1 }, () => ['a', 1] as const))],
    ['a range that ends before it begins', { ...batchOf(0), from: 0, to: -1 }],
    ['a range that is no number', { ...batchOf(0), to: Number.NaN }],
    ['an id with a control character', batchOf(0, ['a\u0000', 1])],
    ['a result that counts nowhere', batchIn([], 0, ['a', 1])],
    ['a list without a name', batchIn([{ name: '', keptUntil: null }], 0, ['a', 1])],
    ['a list that ends at no time', batchIn([{ name: 'd:2026-10-12', keptUntil: Number.NaN }], 0, ['a', 1])],
    ['an order for an id with a control character', orderBatch(0, 'hide', 'a\u0000')],
    ['two results at one offset', { ...batchOf(0, ['a', 1], ['b', 1]), results: [0, 0].map(resultAt) }],
    ['falling offsets', { ...batchOf(0, ['a', 1], ['b', 1]), results: [1, 0].map(resultAt) }],
  ])('refuses a batch of %s with an error that is not worth a retry', async (_, batch) => {
    const board = await boardOf();
    const error: unknown = await board.submitBatch(batch).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(RankcastError);
    expect(error).toMatchObject({ isRetryable: false });
    expect(await board.rows()).toEqual([]);
    expect(await board.positions()).toEqual([]);
  });

  it('takes several orders of one record', async () => {
    const board = await boardOf();
    const results = ['amy', 'bob'].flatMap((playerId) => orderBatch(0, 'correct', playerId).results);
    expect(await board.submitBatch({ ...orderBatch(0, 'correct', 'amy'), results })).toMatchObject({ next: 1 });
    expect([...(await board.marked()).keys()]).toEqual(['amy', 'bob']);
  });

  it('refuses a chunk, a question or marks larger than one call may hold', async () => {
    const board = newBoard();
    const { ranking, tag, definition } = board;
    await board.begin({ jobId: 'job' });
    const ids = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`);
    const entries = ids(MAX_FILL_CHUNK + 1).map((playerId) => seasonEntry(playerId, 1));
    await expect(ranking.load(tag, 'job', 0, entries)).rejects.toThrow(RankcastError);
    await expect(ranking.load(tag, 'job', 0, [seasonEntry('a', 0.5)])).rejects.toThrow(RankcastError);
    await expect(ranking.readPlayers(board.ref(), ids(MAX_READ_PLAYERS + 1))).rejects.toThrow(RankcastError);
    const players = ids(MAX_MARKS + 1).map((playerId) => ({ playerId, lists: [] }));
    await expect(ranking.mark(tag, definition.hash, players)).rejects.toThrow(RankcastError);
    expect(await ranking.marks(tag)).toEqual([]);
    expect(await board.finish('job', 0)).toBe('finished');
    expect(await board.rows()).toEqual([]);
  });

  it('has nothing to sweep: what is not shown any more is gone at once', async () => {
    const board = await boardOf();
    await board.submit(['amy', 1]);
    await board.begin({ jobId: 'job', replace: true });
    await board.finish('job', 0);
    expect(await board.ranking.sweep(board.tag)).toBe(false);
  });
});

function resultAt(offset: number): ScoredResult {
  return { playerId: `p${offset}`, score: 1, lists: SEASON_LISTS, offset, at: AT };
}
