/** How `rankcast reconcile` ends where it does not end well: interrupted, without its stores, and where a row stays wrong. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadBoards } from '../../src/boards.js';
import { type BoardSeason, BoardSeasons } from '../../src/domain/board-season.js';
import { RankingKeys } from '../../src/ranking/keys.js';
import { RedisRanking } from '../../src/ranking/redis-ranking.js';
import { fillTag } from '../../src/rebuild/fill-tag.js';
import { TruthSnapshots } from '../../src/truth/truth-snapshot.js';
import { type Boards, History, readBoards } from '../rebuild/history.js';
import { type TestRedis, testRedis } from '../support/isolation.js';
import { type CommandEnd, runCommand } from '../support/server-process.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';
import { createTruthDatabase, databaseUrl, silent, type TruthDatabase } from '../truth/truth-database.js';

const BOARDS = `
modes: [{ id: arena, points: { max: 2097151 } }]
boards: [{ id: arena, modes: [arena], periods: [day], scopes: [guild] }]
calendar: { seasons: [{ id: '1', startsAt: 2026-01-01T00:00:00Z, endsAt: 2031-01-01T00:00:00Z }] }
`;
const RESULTS = 300;
/** The command's longest wait, for a ranking that is behind, is twice as long: an interrupt does not sit it out. */
const SOON_MS = 5_000;

let folder: string;
let database: TruthDatabase;
let redis: TestRedis;
let proxy: TcpProxy;
let ranking: RedisRanking;
let keys: RankingKeys;
let history: History;
let scope: BoardSeason;
let env: Readonly<Record<string, string>>;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'rankcast-reconcile-'));
  const file = path.join(folder, 'boards.yaml');
  await writeFile(file, BOARDS);
  const [only] = new BoardSeasons(loadBoards(file)).all;
  if (only === undefined) throw new Error('no board');
  scope = only;
  database = await createTruthDatabase();
  redis = await testRedis();
  const prefix = redis.keyPrefix.slice(0, -1);
  keys = new RankingKeys(prefix);
  ranking = new RedisRanking({ url: redis.url, prefix, logger: silent });
  proxy = await startTcpProxy();
  const { hostname, port } = new URL(redis.url);
  proxy.setTarget(hostname, Number(port));
  const throughProxy = new URL(redis.url);
  throughProxy.host = `127.0.0.1:${proxy.port}`;
  const asSchema = new URL(databaseUrl());
  asSchema.searchParams.set('application_name', database.schema);
  env = {
    RANKCAST_TOKEN_SECRET: '0123456789abcdef0123456789abcdef',
    RANKCAST_BOARDS_FILE: file,
    RANKCAST_DATABASE_URL: asSchema.href,
    RANKCAST_DATABASE_SCHEMA: database.schema,
    RANKCAST_REDIS_URL: throughProxy.href,
    RANKCAST_REDIS_PREFIX: prefix,
    // Nobody answers there: a reconcile needs the log of no one.
    RANKCAST_KAFKA_BROKERS: '127.0.0.1:1',
    RANKCAST_LOG_LEVEL: 'error',
  };
  history = new History(Date.now() - 3_600_000, 50);
  await history.store(database, 0, RESULTS);
  const truth = new TruthSnapshots(database.pool);
  await fillTag(scope, { target: ranking, truth, logger: silent, maxFillChunk: 1_000 });
  await redis.client.zadd(keys.list(scope.tag, 1, 's'), 77, 'stranger');
});
afterEach(async () => {
  await ranking.close();
  await proxy.close();
  await redis.drop();
  await database.drop();
  await rm(folder, { recursive: true });
});

async function run(signal?: AbortSignal): Promise<CommandEnd> {
  return await runCommand(['reconcile', '--board', 'arena'], env, signal);
}

async function shown(): Promise<Boards | null> {
  return await readBoards(ranking, scope, Object.keys(history.boards(scope, RESULTS)));
}

async function isLocked(): Promise<boolean> {
  const lock = await new TruthSnapshots(database.pool).lock(scope.name);
  await lock?.release();
  return lock === null;
}

/** Holds the command where it reads the database; `work` is called when it is there. */
async function whileReading(work: () => Promise<void>): Promise<void> {
  const holder = await database.pool.connect();
  try {
    await holder.query('BEGIN; LOCK TABLE board_checkpoint');
    await until(async () => {
      const waiting = await database.ask(
        `SELECT pid FROM pg_locks WHERE NOT granted AND relation = 'board_checkpoint'::regclass`,
      );
      expect(waiting).toHaveLength(1);
    }, 20_000);
    await work();
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
}

/** One sentence, below what a slow machine has time to tell meanwhile, and nothing of where in the code it comes from. */
function expectSentence(stderr: string, words: RegExp): void {
  expect(stderr).toMatch(words);
  expect(stderr).toMatch(/^(arena:s1: [^\n]+\n)*rankcast: [^\n]+\n$/);
}

async function expectInterrupted(ending: Promise<CommandEnd>, interrupt: AbortController): Promise<void> {
  const before = [await shown(), await ranking.state(scope.tag)];
  const startedAt = performance.now();
  interrupt.abort();
  expect(await ending).toEqual({
    code: 130,
    stdout: '',
    stderr: expect.stringMatching(/^interrupted: whoever was marked until now is settled by the servers\n$/m),
  });
  expect(performance.now() - startedAt).toBeLessThan(SOON_MS);
  expect([await shown(), await ranking.state(scope.tag)]).toEqual(before);
  expect(await ranking.marks(scope.tag)).toEqual([]);
}

it('ends soon when it is interrupted while the database works for it, touches nothing and lets the board go', async () => {
  const interrupt = new AbortController();
  const ending = run(interrupt.signal);
  await whileReading(async () => {
    expect(await isLocked()).toBe(true);
    await expectInterrupted(ending, interrupt);
    expect(await isLocked()).toBe(false);
  });
  expect(await run()).toMatchObject({ code: 0, stdout: expect.stringContaining(' differing=1 repaired=1 ') });
});

it('ends soon when it is interrupted while it waits for a board that is behind', async () => {
  await history.store(database, RESULTS, RESULTS + 10);
  const interrupt = new AbortController();
  const ending = run(interrupt.signal);
  await until(async () => expect(await isLocked()).toBe(true), 20_000);
  await expectInterrupted(ending, interrupt);
  expect(await isLocked()).toBe(false);
});

it('ends soon when it is interrupted while another process has the board', async () => {
  const lock = await new TruthSnapshots(database.pool).lock(scope.name);
  const interrupt = new AbortController();
  const ending = run(interrupt.signal);
  await until(async () => {
    const asking = await database.ask(
      `SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND query LIKE 'SELECT pg_try_advisory_lock%'`,
      [database.schema],
    );
    expect(asking).toHaveLength(1);
  }, 20_000);
  await expectInterrupted(ending, interrupt);
  expect(await isLocked()).toBe(true);
  await lock?.release();
});

it('says that a board is behind, and that a process with the role ranking must be running', async () => {
  await history.store(database, RESULTS, RESULTS + 10);
  const { code, stdout, stderr } = await run();
  expect([code, stdout]).toEqual([1, '']);
  expectSentence(stderr, /board arena:s1 is behind the database .* role ranking must be running/);
  expect(await isLocked()).toBe(false);
});

it('says that the database is behind, and that a process with the role truth must be running', async () => {
  history.goLive(RESULTS);
  expect(await history.play(ranking, scope, 10)).toBe('done');
  const { code, stdout, stderr } = await run();
  expect([code, stdout]).toEqual([1, '']);
  expectSentence(stderr, /the database is behind board arena:s1.* role truth must be running/);
  expect(await isLocked()).toBe(false);
});

it('ends with a sentence where Redis goes away in the middle, and repairs once it is back', async () => {
  const ending = run();
  await whileReading(async () => proxy.setTarget('127.0.0.1', 1));
  const { code, stdout, stderr } = await ending;
  expect([code, stdout]).toEqual([1, '']);
  expectSentence(stderr, /Redis/);
  expect(await isLocked()).toBe(false);

  const { hostname, port } = new URL(redis.url);
  proxy.setTarget(hostname, Number(port));
  expect(await run()).toMatchObject({ code: 0, stdout: expect.stringContaining(' differing=1 repaired=1 ') });
  expect(await shown()).toEqual(history.boards(scope, RESULTS));
});

it('ends with a sentence where the database cuts it off in the middle, and lets the board go', async () => {
  const ending = run();
  await whileReading(async () => {
    await database.ask(
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted AND relation = 'board_checkpoint'::regclass`,
    );
  });
  const { code, stdout, stderr } = await ending;
  expect([code, stdout]).toEqual([1, '']);
  expectSentence(stderr, /database|PostgreSQL/);
  expect(await isLocked()).toBe(false);
});

it('ends with code 1 and its line where a row is wrong again at the end', async () => {
  let isOver = false;
  let written = 0;
  const writing = (async () => {
    while (!isOver) written += await redis.client.zadd(keys.list(scope.tag, 1, 's'), 77, 'stranger');
  })();
  const { code, stdout, stderr } = await run().finally(() => {
    isOver = true;
  });
  await writing;
  expect(code, stderr).toBe(1);
  expect(stdout).toMatch(/^reconciled board=arena season=1 compared=\d+ differing=1 repaired=0 seconds=\d+\.\d{3}\n$/);
  // It was repaired in between.
  expect(written).toBeGreaterThan(0);
});
