/**
 * A client that was written from PROTOCOL.md alone, against the whole server.
 *
 * Set up: a core and two gateways; a client in Python for each subprotocol, with top, friends and own rank, and a token that
 * ends while they run; a newer one lies in its file.
 * Act: results through Kafka, a new friend, a rolling restart with results on the way.
 * Expect: each window shows what a brute-force ranking says, and the server's checksums say so as well; nothing was
 * ever asked for again.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { PlayerTokens } from '../../src/ops/player-tokens.js';
import { type Flow, startFlow } from '../flow/flow.js';
import { bruteForceRanking, type MatchResult, makePlayers, makeResults } from '../flow/matches.js';
import { startServer } from '../support/server-process.js';
import { until } from '../support/until.js';
import { PythonClient, type PythonRow } from './python.js';

const PLAYERS = 60;
const RESULTS = 600;
const TOP = 20;
const FRIENDS = 8;
const NEVER_PLAYED = 'never-played';
const FIRST_TOKEN_SEC = 8;
const WINDOWS = ['top', 'friends', 'me'];
/** SYNC comes every 10 s. */
const SYNC_WITHIN_MS = 15_000;

interface Screen {
  readonly playerId: string;
  readonly friendIds: string[];
  readonly client: PythonClient;
}

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

test('the client in Python is right through a restart, in both subprotocols', { timeout: 120_000 }, async () => {
  const flow = await startFlow();
  cleanups.push(() => flow.close());
  const server = await startServer({ ...flow.env, RANKCAST_WORKERS: '2', RANKCAST_DRAIN_SEC: '3' });
  cleanups.push(() => server.stop());
  const players = makePlayers(PLAYERS);
  const results = makeResults(players, RESULTS);
  const screens = await Promise.all([
    openScreen(flow, server.port, players, 0, []),
    openScreen(flow, server.port, players, 1, ['--json']),
  ]);

  await flow.produce(results.slice(0, RESULTS / 2));
  await expectRight(screens, results.slice(0, RESULTS / 2));
  for (const screen of screens) {
    const added = players[PLAYERS - 1] ?? '';
    screen.friendIds.push(added);
    await flow.befriend([[screen.playerId, added]]);
  }
  await expectRight(screens, results.slice(0, RESULTS / 2));

  process.kill(server.pid, 'SIGHUP');
  for (let from = RESULTS / 2; from < RESULTS; from += 10) await flow.produce(results.slice(from, from + 10));
  await until(() => expect(server.output()).toContain('rolling_restart workers=2'), 40_000);
  await expectRight(screens, results);
  await until(() => {
    for (const { client } of screens) for (const window of WINDOWS) expect(client.isConfirmed(window)).toBe(true);
  }, SYNC_WITHIN_MS);

  for (const { client } of screens) {
    const summary = await client.stop();
    expect(summary, client.complaint()).toMatchObject({ syncFailed: 0, resyncs: 0, errors: [], stopped: null });
    expect(summary.syncPassed).toBeGreaterThanOrEqual(WINDOWS.length);
    expect(summary.moves).toBeGreaterThanOrEqual(1);
  }
});

/** `player` is an index; each has friends of his own, one of whom never plays; others may not have played yet. */
async function openScreen(
  flow: Flow,
  port: number | null,
  players: readonly string[],
  player: number,
  args: readonly string[],
): Promise<Screen> {
  const playerId = players[player] ?? '';
  const friendIds = [NEVER_PLAYED, ...players.slice(2 + player * FRIENDS, 2 + (player + 1) * FRIENDS)];
  await flow.befriend(friendIds.map((id) => [playerId, id]));
  const tokens = new PlayerTokens({ secret: flow.env['RANKCAST_TOKEN_SECRET'] ?? '' });
  const folder = await mkdtemp(path.join(tmpdir(), 'rankcast-python-'));
  cleanups.push(() => rm(folder, { recursive: true }));
  const file = path.join(folder, 'token');
  await writeFile(file, await tokens.sign(playerId, FIRST_TOKEN_SEC));
  const url = `ws://127.0.0.1:${port}/v1/socket`;
  const windows = ['--board', 'arena', '--top', String(TOP), '--friends', '--me'];
  const client = await PythonClient.start(['--url', url, '--token-file', file, ...windows, ...args]);
  cleanups.push(() => client.kill());
  await until(() => expect(client.rows('friends'), client.complaint()).toHaveLength(friendIds.length + 1));
  await writeFile(file, await tokens.sign(playerId, 3_600));
  return { playerId, friendIds, client };
}

async function expectRight(screens: readonly Screen[], results: readonly MatchResult[]): Promise<void> {
  const ranking = bruteForceRanking(results).map(({ rank, playerId, points }): PythonRow => [rank, playerId, points]);
  const rowOf = (id: string): PythonRow => ranking.find(([, playerId]) => playerId === id) ?? [null, id, null];
  await until(() => {
    for (const { playerId, friendIds, client } of screens) {
      const [rank, , points] = rowOf(playerId);
      expect(client.rows('me'), client.complaint()).toEqual([[rank, null, points]]);
      expect(client.rows('top')).toEqual(ranking.slice(0, TOP));
      expect(client.rows('friends')).toEqual([playerId, ...friendIds].map(rowOf).sort(byRank));
    }
  }, 30_000);
}

/** Those without a rank last, by the bytes of their ids. */
function byRank([a, aId]: PythonRow, [b, bId]: PythonRow): number {
  if (a !== null || b !== null) return (a ?? Number.MAX_SAFE_INTEGER) - (b ?? Number.MAX_SAFE_INTEGER);
  return Buffer.compare(Buffer.from(aId ?? ''), Buffer.from(bId ?? ''));
}
