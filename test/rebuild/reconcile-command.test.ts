/** `rankcast reconcile` as a process of its own, on real stores; no server runs beside it. */

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
import { type TestRedis, testRedis } from '../support/isolation.js';
import { type CommandEnd, runCommand } from '../support/server-process.js';
import { createTruthDatabase, databaseUrl, silent, type TruthDatabase } from '../truth/truth-database.js';
import { History, readBoards } from './history.js';

const BOARDS = `
modes: [{ id: arena, points: { max: 2097151 } }]
boards:
  - { id: arena, modes: [arena], scopes: [guild] }
  - { id: recent, modes: [arena], rule: latest }
calendar: { seasons: [{ id: '1', startsAt: 2026-01-01T00:00:00Z, endsAt: 2031-01-01T00:00:00Z }] }
`;
const PLAYERS = 50;
const RESULTS = 300;

let folder: string;
let database: TruthDatabase;
let redis: TestRedis;
let ranking: RedisRanking;
let history: History;
let prefix: string;
let seasons: BoardSeasons;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'rankcast-reconcile-'));
  await writeFile(path.join(folder, 'boards.yaml'), BOARDS);
  seasons = new BoardSeasons(loadBoards(path.join(folder, 'boards.yaml')));
  database = await createTruthDatabase();
  redis = await testRedis();
  prefix = redis.keyPrefix.slice(0, -1);
  ranking = new RedisRanking({ url: redis.url, prefix, logger: silent });
  history = new History(Date.now() - 3_600_000, PLAYERS);
  await history.store(database, 0, RESULTS);
});
afterEach(async () => {
  await ranking.close();
  await redis.drop();
  await database.drop();
  await rm(folder, { recursive: true });
});

async function run(args: readonly string[]): Promise<CommandEnd> {
  const env = {
    RANKCAST_TOKEN_SECRET: '0123456789abcdef0123456789abcdef',
    RANKCAST_BOARDS_FILE: path.join(folder, 'boards.yaml'),
    RANKCAST_DATABASE_URL: databaseUrl(),
    RANKCAST_DATABASE_SCHEMA: database.schema,
    RANKCAST_REDIS_URL: redis.url,
    RANKCAST_REDIS_PREFIX: prefix,
    // Nobody answers there: a reconcile needs the log of no one.
    RANKCAST_KAFKA_BROKERS: '127.0.0.1:1',
  };
  return await runCommand(['reconcile', ...args], env);
}

function scopeOf(boardId: string): BoardSeason {
  const scope = seasons.find(boardId, '1', Date.now());
  if (scope === undefined) throw new Error(`no board ${boardId}`);
  return scope;
}

async function fill(scope: BoardSeason): Promise<void> {
  const truth = new TruthSnapshots(database.pool);
  await fillTag(scope, { target: ranking, truth, logger: silent, maxFillChunk: 1_000 });
}

it('repairs what is wrong, and says what it did in one line', async () => {
  const scope = scopeOf('arena');
  await fill(scope);
  // Each of the 50 in the list of all, and in that of each guild he played for.
  const boards = history.boards(scope, RESULTS);
  const compared = Object.values(boards).reduce((n, rows) => n + Object.keys(rows).length, 0);
  const { code, stdout, stderr } = await run(['--board', 'arena']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(
    new RegExp(`^reconciled board=arena season=1 compared=${compared} differing=0 repaired=0 seconds=\\d+\\.\\d{3}\n$`),
  );

  const keys = new RankingKeys(prefix);
  await redis.client.zadd(keys.list(scope.tag, 1, 's'), 77, 'pl-1', 77, 'stranger');
  await redis.client.zrem(keys.list(scope.tag, 1, 's:guild:0'), 'pl-0');
  const repaired = await run(['--board', 'arena', '--season', '1']);
  expect(repaired).toMatchObject({ code: 0, stderr: '' });
  expect(repaired.stdout).toContain(`compared=${compared} differing=3 repaired=3 `);
  expect(await readBoards(ranking, scope, Object.keys(boards))).toEqual(boards);
  expect(await ranking.marks(scope.tag)).toEqual([]);
});

it('compares all boards of a season one after another', async () => {
  for (const scope of seasons.all) await fill(scope);
  const { code, stdout } = await run(['--board', 'all']);
  expect([code, stdout.split('\n').map((line) => line.slice(0, 25))]).toEqual([
    0,
    ['reconciled board=arena se', 'reconciled board=recent s', ''],
  ]);
});

it('says of a board that is not there that somebody has to fill it', async () => {
  const { code, stdout, stderr } = await run(['--board', 'arena']);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('there is no board arena:s1 under the definition of the boards file');
  expect(stderr).toContain('npx rankcast rebuild --board arena --season 1');
});

it.each([
  [[], 'reconcile needs --board with one of arena, recent, or --board all'],
  [['--board', 'arean'], 'board "arean" is not in the boards file (did you mean arena?)'],
])('refuses %j with a sentence', async (args, sentence) => {
  expect(await run(args)).toEqual({ code: 2, stdout: '', stderr: `rankcast: ${sentence}\n` });
});
