/** A rebuild under another definition that dies or is given up: what gets the tag out of that again. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Board } from '../../src/domain/board.js';
import { type BoardSeason, BoardSeasons, listRef } from '../../src/domain/board-season.js';
import { StartRefusedError } from '../../src/domain/errors.js';
import type { LogRecord, PartitionBatch } from '../../src/domain/log-record.js';
import { unpackPoints } from '../../src/domain/packed-score.js';
import { MAX_FILL_CHUNK, MAX_SUBMIT_RESULTS } from '../../src/ranking/ranking.js';
import { RedisRanking } from '../../src/ranking/redis-ranking.js';
import type { FillProgress } from '../../src/rebuild/fill-progress.js';
import { fillTag } from '../../src/rebuild/fill-tag.js';
import { rebuildTag } from '../../src/rebuild/rebuild-tag.js';
import { sweepTags } from '../../src/rebuild/sweep-tags.js';
import { RankingConsumer } from '../../src/results/ranking-consumer.js';
import { TruthConsumer } from '../../src/results/truth-consumer.js';
import { MatchResultsPostgres } from '../../src/truth/match-results-postgres.js';
import { TruthSnapshots } from '../../src/truth/truth-snapshot.js';
import { boardSet, resultJson } from '../results/log-fixture.js';
import { ARENA_BOARD } from '../support/definitions.js';
import { type TestRedis, testRedis } from '../support/isolation.js';
import { createTruthDatabase, silent, type TruthDatabase } from '../truth/truth-database.js';

const SOURCE = 'kafka:t';
const AT = Date.now();
let database: TruthDatabase;
let redis: TestRedis;
let ranking: RedisRanking;
beforeEach(async () => {
  database = await createTruthDatabase();
  redis = await testRedis();
  ranking = new RedisRanking({ url: redis.url, prefix: redis.keyPrefix.slice(0, -1), logger: silent });
});
afterEach(async () => {
  await ranking.close();
  await redis.drop();
  await database.drop();
});

/** The board that is rebuilt, and one beside it. */
function seasonsOf(board: Partial<Board>): BoardSeasons {
  return new BoardSeasons({
    ...boardSet,
    boards: [
      { ...ARENA_BOARD, ...board },
      { ...ARENA_BOARD, boardId: 'beside' },
    ],
  });
}

function boardIn({ all }: BoardSeasons, boardId = 'arena'): BoardSeason {
  const found = all.find(({ tag }) => tag.boardId === boardId);
  if (found === undefined) throw new Error(`no board ${boardId}`);
  return found;
}

const A = seasonsOf({});
const B = seasonsOf({ rule: 'latest' });

type Target = Parameters<typeof rebuildTag>[1]['target'];

/** With a checkpoint, as `rankcast rebuild` and the server have it. */
const truth = () => new TruthSnapshots(database.pool, Date.now, 'checkpoint');

/** What a process leaves that is killed behind its begin: neither abandon nor sweep arrives. */
const killed = (): Target => ({
  state: (...call) => ranking.state(...call),
  begin: (...call) => ranking.begin(...call),
  load: () => Promise.reject(new Error('killed')),
  finish: () => Promise.reject(new Error('killed')),
  abandon: () => Promise.reject(new Error('killed')),
  sweep: () => Promise.reject(new Error('killed')),
});

const failing = (): Target => ({
  ...killed(),
  abandon: (...call) => ranking.abandon(...call),
  sweep: (...call) => ranking.sweep(...call),
});

async function rebuild(seasons: BoardSeasons, more: Partial<Parameters<typeof rebuildTag>[1]> = {}) {
  const told: FillProgress[] = [];
  const options = { truth: truth(), target: ranking, report: (one: FillProgress) => void told.push(one) };
  const done = await rebuildTag(boardIn(seasons), { ...options, maxFillChunk: MAX_FILL_CHUNK, ...more }).then(
    () => 'rebuilt',
    (error: unknown) => String(error),
  );
  return { done, last: told.at(-1) };
}

function batch(from: number, points: readonly number[]): PartitionBatch {
  const records = points.map((value, index): LogRecord => {
    const json = resultJson({ playerId: 'amy', matchId: `m-${from + index}`, points: value, achievedAt: AT + from });
    return { offset: from + index, key: null, value: json, brokerAt: AT };
  });
  return { source: SOURCE, partition: 0, from, to: from + points.length, records };
}

interface TestServer {
  readonly consumer: RankingConsumer;
  /** Of the board that is rebuilt: how each fill that it was asked for ended. */
  readonly fills: string[];
}

function server(seasons: BoardSeasons, target: Target = ranking): TestServer {
  const fills: string[] = [];
  const options = { truth: truth(), logger: silent, maxFillChunk: MAX_FILL_CHUNK };
  const consumer = new RankingConsumer({
    ranking,
    seasons,
    fill: async (scope) => {
      const isRebuilt = scope === boardIn(seasons);
      const { kind } = await fillTag(scope, { ...options, target: isRebuilt ? target : ranking });
      if (isRebuilt) fills.push(kind);
    },
    voids: { voidedSince: async () => [] },
    counters: { count: () => {} },
    maxSubmitResults: MAX_SUBMIT_RESULTS,
    otherDefinition: ({ name }) => `rebuild ${name}`,
    lostResults: () => 'lost',
    logger: silent,
  });
  return { consumer, fills };
}

async function toTruth(one: PartitionBatch): Promise<void> {
  const consumer = new TruthConsumer({
    store: new MatchResultsPostgres({ pool: database.pool, ...boardSet }),
    deadLetters: { write: async () => {} },
    log: { append: async () => {} },
    boardSet,
    counters: { count: () => {} },
  });
  expect(await consumer.consume(one)).toBe(one.to);
}

/** Amy's points as readers of the definition see them; `null` where they see no board. */
async function pointsOf(seasons: BoardSeasons, boardId?: string): Promise<number | null> {
  const board = boardIn(seasons, boardId);
  const reading = await ranking.readRange(listRef(board), 1, 10);
  if (reading === null) return null;
  return unpackPoints(board.layout, reading.rows[0]?.score ?? 0);
}

/** A board of one result, shown under A. */
async function shownUnderA(): Promise<void> {
  await toTruth(batch(0, [5]));
  expect((await rebuild(A)).done).toBe('rebuilt');
}

/** What a feed brings of a log of two records, and behind them of nothing. */
async function feed({ consumer }: TestServer, from: number): Promise<number> {
  let next = from;
  for (let call = 0; call < 5; call++) next = await consumer.consume(batch(next, [5, 7].slice(next)));
  return next;
}

async function bring(started: TestServer): Promise<number> {
  return await feed(started, (await started.consumer.positions(SOURCE, [0])).get(0) ?? 0);
}

/** Generations of all tags that have lists. */
async function generations(): Promise<Set<string>> {
  const keys = await redis.client.keys(`${redis.keyPrefix}*`);
  return new Set(keys.flatMap((key) => /\}:(\d+):/.exec(key)?.[1] ?? []));
}

describe('a server behind a rebuild under its own definition that was killed', () => {
  it('fills the board by itself, where that shows another one', async () => {
    await shownUnderA();
    expect((await rebuild(B, { target: killed() })).done).toContain('killed');
    const started = server(B);
    expect(await bring(started)).toBe(2);
    expect([started.fills, await pointsOf(B), await pointsOf(A)]).toEqual([['filled'], 7, null]);
  });

  it('fills the board by itself, where that shows its own one, as it was', async () => {
    await shownUnderA();
    expect((await rebuild(B, { target: killed() })).done).toContain('killed');
    expect((await rebuild(A, { target: killed() })).done).toContain('killed');
    const started = server(A);
    expect(await bring(started)).toBe(2);
    expect([started.fills, await pointsOf(A)]).toEqual([['filled'], 7]);
  });

  it('tries again after a fill that failed', async () => {
    await shownUnderA();
    expect((await rebuild(B, { target: killed() })).done).toContain('killed');
    await expect(bring(server(B, failing()))).rejects.toThrow('killed');
    expect(await generations()).toEqual(new Set(['1']));
    expect(await bring(server(B))).toBe(2);
    expect(await pointsOf(B)).toBe(7);
  });

  it('leaves the board to a process that has it in hand, while its other boards go on, and looks again', async () => {
    await shownUnderA();
    expect((await rebuild(B, { target: killed() })).done).toContain('killed');
    const elsewhere = await truth().lock(boardIn(B).name);
    expect(elsewhere).not.toBeNull();
    const started = server(B);
    expect(await bring(started)).toBe(2);
    expect([started.fills, await pointsOf(B), await pointsOf(B, 'beside')]).toEqual([['elsewhere'], null, 7]);
    await elsewhere?.release();
    await vi.waitFor(
      async () => {
        expect(await feed(started, 2)).toBe(2);
        expect(await pointsOf(B)).toBe(7);
      },
      { timeout: 10_000, interval: 50 },
    );
    expect(started.fills).toEqual(['elsewhere', 'filled']);
  });
});

describe('a server of neither definition that is written', () => {
  it.each([
    ['killed', killed],
    ['given up', failing],
  ])('leaves a board to a person whose rebuild under another definition was %s', async (_, targetOf) => {
    await shownUnderA();
    expect((await rebuild(B, { target: targetOf() })).done).toContain('killed');
    const fill = { target: ranking, truth: truth(), logger: silent, maxFillChunk: MAX_FILL_CHUNK };
    await expect(fillTag(boardIn(A), fill)).rejects.toBeInstanceOf(StartRefusedError);
    const started = server(A);
    await bring(started);
    expect([started.fills, await pointsOf(A), await pointsOf(A, 'beside')]).toEqual([[], 5, 7]);
    expect(started.consumer.problem()).toBe('rebuild arena:s1');
  });
});

describe('a rebuild back to the definition that is shown', () => {
  it.each([
    ['given up', failing],
    ['killed', killed],
  ])('ends, where the one under the other definition was %s', async (_, targetOf) => {
    await shownUnderA();
    expect((await rebuild(B, { target: targetOf() })).done).toContain('killed');
    // Truth goes on; nobody brings the tag any further.
    await toTruth(batch(1, [7]));
    const { done, last } = await rebuild(A, { signal: AbortSignal.timeout(10_000) });
    expect({ done, last: last?.phase, points: await pointsOf(A) }).toEqual({
      done: 'rebuilt',
      last: 'sweeping',
      points: 7,
    });
  });
});

describe('a rebuild that is killed when its board is shown', () => {
  it('leaves nothing of the old one once a server has started', async () => {
    await shownUnderA();
    const target = { ...killed(), load: ranking.load.bind(ranking), finish: ranking.finish.bind(ranking) };
    expect((await rebuild(A, { target })).done).toContain('killed');
    expect(await generations()).toEqual(new Set(['1', '2']));
    await sweepTags(A.all, { target: ranking, logger: silent, signal: new AbortController().signal });
    expect(await generations()).toEqual(new Set(['2']));
    expect(await pointsOf(A)).toBe(5);
  });

  it('has the other boards swept where one of them cannot be', async () => {
    const swept: string[] = [];
    const target = {
      sweep: async ({ boardId }: { readonly boardId: string }) => {
        if (boardId === 'arena') throw new Error('the store is away');
        swept.push(boardId);
        return false;
      },
    };
    await sweepTags(A.all, { target, logger: silent, signal: new AbortController().signal });
    expect(swept).toEqual(['beside']);
  });
});
