/**
 * One process, no Kafka, no Redis: the database is the log, the ranking is in memory.
 *
 * Set up: a server on an embedded database. Act: results by HTTP; a clean stop, a SIGKILL, and starts in between.
 * Expect: what was acknowledged is on the board, in the database once, and on the screen, after each start.
 */
import { randomBytes } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createClient } from '../../src/client/index.js';
import { PlayerTokens } from '../../src/ops/player-tokens.js';
import { makeDataFolder } from '../support/data-folder.js';
import { type ServerProcess, startServer } from '../support/server-process.js';
import { until } from '../support/until.js';
import { bruteForceRanking, type MatchResult, makePlayers, makeResults } from './matches.js';

const INGEST_TOKEN = 'studio-ingest-token';
const RESULTS = 600;
const POSTS_AT_ONCE = 20;

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

test('keeps every acknowledged result through a stop and a kill', { timeout: 120_000 }, async () => {
  const { start, tokens } = await studio();
  const results = makeResults(makePlayers(60), RESULTS);
  const thirds = [0, 1, 2].map((n) => results.slice((n * RESULTS) / 3, ((n + 1) * RESULTS) / 3));

  const first = await start();
  await post(first, thirds[0] ?? []);
  await expectBoard(first, results.slice(0, RESULTS / 3));
  expect(await first.stop()).toBe(0);

  const second = await start();
  await expectBoard(second, results.slice(0, RESULTS / 3));
  await post(second, thirds[1] ?? []);
  await second.kill();

  const third = await start();
  const client = createClient({ url: urlOf(third), getToken: () => tokens.sign('z', 3_600), WebSocket });
  cleanups.push(async () => client.close());
  const me = client.me('arena');
  await me.ready();
  await post(third, thirds[2] ?? []);
  await expectBoard(third, results);
  const own = bruteForceRanking(results).find((row) => row.playerId === 'z');
  await until(() => expect([me.current?.rank, me.current?.score]).toEqual([own?.rank ?? null, own?.points ?? null]));
});

test('answers the path that game teams know with a plain array', { timeout: 60_000 }, async () => {
  const { start } = await studio();
  const server = await start();
  const achievedAt = Date.now() - 1_000;
  const players = [1, 2, 3, 4].map((n) => ({ matchId: `m${n}`, playerId: `p${n}`, points: n * 10, achievedAt }));
  expect(await read(server, '/seasons/1/leaderboard')).toEqual([]);
  await postJson(server, players);

  await until(async () => {
    expect(await read(server, '/seasons/1/leaderboard?limit=2')).toEqual([
      { rank: 1, playerId: 'p4', points: 40 },
      { rank: 2, playerId: 'p3', points: 30 },
    ]);
  });
  expect(await read(server, '/seasons/1/leaderboard/players/p2/around?radius=1')).toEqual([
    { rank: 2, playerId: 'p3', points: 30 },
    { rank: 3, playerId: 'p2', points: 20 },
    { rank: 4, playerId: 'p1', points: 10 },
  ]);
  expect(await read(server, '/seasons/1/leaderboard/players/nobody/around?radius=5')).toEqual([]);
  expect(await read(server, '/seasons/none/leaderboard')).toEqual([]);
});

test('names what it rejects and takes its neighbours', { timeout: 60_000 }, async () => {
  const { start } = await studio();
  const server = await start();
  const good = { matchId: 'm1', playerId: 'p1', points: 5, achievedAt: Date.now() };
  const response = await postJson(server, [
    { ...good, points: 1.5 },
    good,
    { ...good, playerId: 2 ** 53 + 2 },
    { ...good, mode: 'chess' },
  ]);

  expect(response.status).toBe(202);
  const answer = (await response.json()) as {
    accepted: number;
    rejected: { index: number; field: string; code: string }[];
  };
  expect(answer.accepted).toBe(1);
  expect(answer.rejected.map(({ index, field, code }) => [index, field, code])).toEqual([
    [0, 'points', 'points_not_integer'],
    [2, 'playerId', 'id_not_exact'],
    [3, 'mode', 'unknown_mode'],
  ]);
  const allBad = await postJson(server, [{ ...good, points: -1 }]);
  expect([allBad.status, allBad.headers.get('content-type')]).toEqual([422, 'application/problem+json']);
});

async function studio(): Promise<{ start: () => Promise<ServerProcess>; tokens: PlayerTokens }> {
  const folder = await makeDataFolder();
  cleanups.push(() => folder.remove());
  const secret = randomBytes(32).toString('hex');
  const env = {
    RANKCAST_DATA_DIR: folder.path,
    RANKCAST_TOKEN_SECRET: secret,
    RANKCAST_INGEST_TOKEN: INGEST_TOKEN,
    RANKCAST_HOST: '127.0.0.1',
    RANKCAST_PORT: '0',
    RANKCAST_ADMIN_PORT: '0',
  };
  const start = async (): Promise<ServerProcess> => {
    const server = await startServer(env);
    cleanups.push(() => server.stop());
    return server;
  };
  return { start, tokens: new PlayerTokens({ secret }) };
}

/** Many at a time, each with a few results. */
async function post(server: ServerProcess, results: readonly MatchResult[]): Promise<void> {
  const calls = Array.from({ length: Math.ceil(results.length / 5) }, (_, i) => results.slice(i * 5, i * 5 + 5));
  const postNext = async (): Promise<void> => {
    for (let call = calls.pop(); call !== undefined; call = calls.pop()) {
      expect((await postJson(server, call)).status).toBe(202);
    }
  };
  await Promise.all(Array.from({ length: POSTS_AT_ONCE }, postNext));
}

async function postJson(server: ServerProcess, body: unknown): Promise<Response> {
  const headers = { authorization: `Bearer ${INGEST_TOKEN}`, 'content-type': 'application/json' };
  return await fetch(`${urlOf(server)}/v1/results`, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function expectBoard(server: ServerProcess, results: readonly MatchResult[]): Promise<void> {
  const wanted = bruteForceRanking(results).map(({ rank, playerId, points }) => [rank, playerId, points]);
  await until(async () => {
    const board = (await read(server, '/v1/boards/arena/entries?limit=1000')) as {
      entries: { rank: number; playerId: string; score: number }[];
    };
    expect(board.entries.map(({ rank, playerId, score }) => [rank, playerId, score])).toEqual(wanted);
  });
}

async function read(server: ServerProcess, path: string): Promise<unknown> {
  const response = await fetch(`${urlOf(server)}${path}`);
  expect(response.status).toBe(200);
  return await response.json();
}

function urlOf(server: ServerProcess): string {
  return `http://127.0.0.1:${server.port}`;
}
