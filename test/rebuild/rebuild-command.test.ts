/** `rankcast rebuild` as a process of its own, on real stores; no server runs beside it. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadBoards } from '../../src/boards.js';
import { type BoardSeason, BoardSeasons } from '../../src/domain/board-season.js';
import { RankingKeys } from '../../src/ranking/keys.js';
import { RedisRanking } from '../../src/ranking/redis-ranking.js';
import { type TestRedis, testRedis } from '../support/isolation.js';
import { type CommandEnd, runCommand } from '../support/server-process.js';
import { until } from '../support/until.js';
import { createTruthDatabase, databaseUrl, silent, type TruthDatabase } from '../truth/truth-database.js';
import { History, readBoards } from './history.js';

const BOARDS = `
modes: [{ id: arena, points: { max: 2097151 } }]
boards:
  - { id: arena, modes: [arena] }
  - { id: recent, modes: [arena], rule: latest }
calendar: { seasons: [{ id: '1', startsAt: 2026-01-01T00:00:00Z, endsAt: 2031-01-01T00:00:00Z }] }
`;
const PLAYERS = 50;

let folder: string;
let database: TruthDatabase;
let redis: TestRedis;
let ranking: RedisRanking;
let history: History;
let prefix: string;
let seasons: BoardSeasons;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'rankcast-rebuild-'));
  await writeFile(path.join(folder, 'boards.yaml'), BOARDS);
  seasons = new BoardSeasons(loadBoards(path.join(folder, 'boards.yaml')));
  database = await createTruthDatabase();
  redis = await testRedis();
  prefix = redis.keyPrefix.slice(0, -1);
  ranking = new RedisRanking({ url: redis.url, prefix, logger: silent });
  history = new History(Date.now() - 3_600_000, PLAYERS);
});
afterEach(async () => {
  await ranking.close();
  await redis.drop();
  await database.drop();
  await rm(folder, { recursive: true });
});

async function run(args: readonly string[], signal?: AbortSignal): Promise<CommandEnd> {
  const env = {
    RANKCAST_TOKEN_SECRET: '0123456789abcdef0123456789abcdef',
    RANKCAST_BOARDS_FILE: path.join(folder, 'boards.yaml'),
    RANKCAST_DATABASE_URL: databaseUrl(),
    RANKCAST_DATABASE_SCHEMA: database.schema,
    RANKCAST_REDIS_URL: redis.url,
    RANKCAST_REDIS_PREFIX: prefix,
    // Nobody answers there: a rebuild needs the log of no one.
    RANKCAST_KAFKA_BROKERS: '127.0.0.1:1',
  };
  return await runCommand(['rebuild', ...args], env, signal);
}

function scopeOf(boardId: string): BoardSeason {
  const scope = seasons.find(boardId, '1', Date.now());
  if (scope === undefined) throw new Error(`no board ${boardId}`);
  return scope;
}

it('fills the board of the current season and says what it did in one line', async () => {
  await history.store(database, 0, 300);
  const { code, stdout, stderr } = await run(['--board', 'arena']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^rebuilt board=arena season=1 entries=50 seconds=\d+\.\d{3} rate=\d+\n$/);
  expect(await readBoards(ranking, scopeOf('arena'), ['s'])).toEqual(history.boards(scopeOf('arena'), 300));
  expect(await ranking.state(scopeOf('recent').tag)).toBeNull();
});

it('fills all boards of a season one after another', async () => {
  await history.store(database, 0, 300);
  const { code, stdout } = await run(['--board', 'all', '--season', '1']);
  expect([code, stdout.split('\n').map((line) => line.slice(0, 22))]).toEqual([
    0,
    ['rebuilt board=arena se', 'rebuilt board=recent s', ''],
  ]);
  for (const scope of seasons.all) {
    expect(await readBoards(ranking, scope, ['s'])).toEqual(history.boards(scope, 300));
  }
});

it.each([
  [[], 'rebuild needs --board with one of arena, recent, or --board all'],
  [['--board', 'arean'], 'board "arean" is not in the boards file (did you mean arena?)'],
  [['--board', 'arena', '--season', '12'], 'season "12" is not in the boards file (did you mean 1?)'],
])('refuses %j with a sentence', async (args, sentence) => {
  expect(await run(args)).toEqual({ code: 2, stdout: '', stderr: `rankcast: ${sentence}\n` });
});

it('says without Redis that a restart does it', async () => {
  const env = { RANKCAST_TOKEN_SECRET: '0123456789abcdef0123456789abcdef', RANKCAST_DATABASE_URL: databaseUrl() };
  const { code, stderr } = await runCommand(['rebuild', '--board', 'arena'], env);
  expect([code, stderr]).toEqual([1, expect.stringContaining('restart the server instead')]);
});

it('gives the fill up when it is interrupted', async () => {
  const scope = scopeOf('arena');
  await run(['--board', 'arena']);
  // Nobody brings these to the database, so the rebuild waits.
  expect(await history.play(ranking, scope, 100)).toBe('done');
  const before = await ranking.state(scope.tag);
  const generations = () => redis.client.smembers(new RankingKeys(prefix).generations(scope.tag));
  const interrupt = new AbortController();
  const ending = run(['--board', 'arena'], interrupt.signal);
  await until(async () => expect(await generations()).toHaveLength(2), 20_000);
  interrupt.abort();
  const { code, stdout, stderr } = await ending;
  expect([code, stdout]).toEqual([130, '']);
  expect(stderr).toMatch(/^interrupted: [^\n]*\n$/m);
  expect(stderr).not.toContain('until it is filled');
  expect(await generations()).toHaveLength(1);
  expect(await ranking.state(scope.tag)).toEqual(before);
  expect(await readBoards(ranking, scope, ['s'])).toEqual(history.boards(scope, 100));
});

it('says what became of a board of another definition whose rebuild is interrupted', async () => {
  const scope = scopeOf('arena');
  await history.store(database, 0, 100);
  await run(['--board', 'arena']);
  const shown = await readBoards(ranking, scope, ['s']);
  await writeFile(path.join(folder, 'boards.yaml'), BOARDS.replace('id: arena, modes: [arena]', '$&, rule: latest'));
  // The fill has begun when it comes to read the rows.
  const reader = await database.pool.connect();
  try {
    await reader.query('BEGIN; LOCK TABLE match_results');
    const interrupt = new AbortController();
    const ending = run(['--board', 'arena', '--raw'], interrupt.signal);
    await until(async () => expect((await ranking.state(scope.tag))?.isWritten).toBe(false), 20_000);
    interrupt.abort();
    const { code, stderr } = await ending;
    expect([code, stderr]).toEqual([
      130,
      expect.stringContaining('run `npx rankcast rebuild --board arena --season 1`'),
    ]);
    expect(stderr).toContain('arena:s1 shows no new results until it is filled');
  } finally {
    await reader.query('ROLLBACK');
    reader.release();
  }
  expect(await readBoards(ranking, scope, ['s'])).toEqual(shown);
});
