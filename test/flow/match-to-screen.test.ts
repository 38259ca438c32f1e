/**
 * One real result's way, many times over: Kafka to PostgreSQL and Redis, to the screens of those it concerns.
 *
 * Set up: 500 players, 50 of them with a client and ten friends each; 2,000 results with repeats and ties.
 * Act: all of it through Kafka; once undisturbed, once with the ranking process killed in the middle of a batch, once
 * with Redis failed over to a replica that lacks the last writes.
 * Expect: every client shows what a brute-force ranking says, and PostgreSQL holds each result once.
 */
import { afterEach, expect, test } from 'vitest';
import type { Client, FriendEntry, MyRankState, RankedEntry, View, WindowState } from '../../src/client/index.js';
import { startRedisServer } from '../stack/redis-server.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';
import { type Flow, type FlowOptions, startFlow } from './flow.js';
import {
  bruteForceRanking,
  type MatchResult,
  makePlayers,
  makeResults,
  type RankedPlayer,
  tieShare,
} from './matches.js';

const RESULTS = 2_000;
const PLAYERS = 500;
const CLIENTS = 50;
const FRIENDS = 10;
const TOP_SIZE = 100;
const ABOVE = 2;
const BELOW = 3;
const RIVALS = [...makePlayers(PLAYERS).filter((_, index) => index % 17 === 3), 'nobody'];
const TEST_TIMEOUT_MS = 120_000;

interface Screen {
  readonly playerId: string;
  readonly friendIds: readonly string[];
  readonly client: Client;
  readonly top: View<WindowState<RankedEntry>>;
  readonly friends: View<WindowState<FriendEntry>>;
  readonly me: View<MyRankState>;
  /** Two above and three below. */
  readonly around: View<WindowState<RankedEntry>>;
  /** Some players whom it names itself. */
  readonly rivals: View<WindowState<FriendEntry>>;
}

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

test('every screen shows the brute-force ranking after 2,000 results', { timeout: TEST_TIMEOUT_MS }, async () => {
  const { flow, players } = await installation();
  await flow.startWorker();
  const screens = await openScreens(flow, players);
  const results = makeResults(players, RESULTS);
  expect(tieShare(results)).toBeGreaterThan(0.3);

  for (let from = 0; from < RESULTS; from += 50) await flow.produce(results.slice(from, from + 50));

  await expectRightScreens(screens, bruteForceRanking(results));
  await expectEachResultOnce(flow, results);
});

test('the same after the ranking was killed in the middle of a batch', { timeout: TEST_TIMEOUT_MS }, async () => {
  const { flow, players } = await installation();
  const worker = await flow.startWorker();
  const screens = await openScreens(flow, players);
  const results = makeResults(players, RESULTS);

  const producing = flow.produce(results);
  await until(() => expect(seqSeen(screens)).toBeGreaterThan(0));
  await worker.kill();
  await producing;
  await flow.startWorker();

  await expectRightScreens(screens, bruteForceRanking(results));
  await expectEachResultOnce(flow, results);
});

test('the same after Redis failed over and lost the last writes', { timeout: TEST_TIMEOUT_MS }, async () => {
  const master = await startRedisServer();
  cleanups.push(() => master.stop());
  const replica = await startRedisServer({ replicaOf: { host: '127.0.0.1', port: master.port } });
  cleanups.push(() => replica.stop());
  const proxy = await startTcpProxy();
  cleanups.push(() => proxy.close());
  proxy.setTarget('127.0.0.1', master.port);
  const { flow, players } = await installation({ redisUrl: `redis://127.0.0.1:${proxy.port}` });
  await flow.startWorker();
  const screens = await openScreens(flow, players);
  const results = makeResults(players, RESULTS);
  const half = results.slice(0, RESULTS / 2);

  await flow.produce(half);
  await expectRightScreens(screens, bruteForceRanking(half));
  const epochBefore = epochsSeen(screens);
  // From here on the replica hears nothing more; what follows is lost with the master.
  await replica.command('REPLICAOF', '127.0.0.1', '1');
  await flow.produce(results.slice(RESULTS / 2));
  await expectRightScreens(screens, bruteForceRanking(results));
  await master.kill();
  await replica.command('REPLICAOF', 'NO', 'ONE');
  proxy.setTarget('127.0.0.1', replica.port);

  await until(() => expect(epochsSeen(screens).some((epoch) => epochBefore.includes(epoch))).toBe(false), 20_000);
  await expectRightScreens(screens, bruteForceRanking(results));
  await expectEachResultOnce(flow, results);
});

async function installation(options: FlowOptions = {}): Promise<{ flow: Flow; players: string[] }> {
  const flow = await startFlow(options);
  cleanups.push(() => flow.close());
  return { flow, players: makePlayers(PLAYERS) };
}

/** Clients that watch the top, their friends, neighbours and rivals, and themselves, some of them before they or their friends ever played. */
async function openScreens(flow: Flow, players: readonly string[]): Promise<Screen[]> {
  const watching = players.slice(0, CLIENTS);
  const friends = new Map(watching.map((playerId) => [playerId, new Set<string>()]));
  const pairs = watching.flatMap((playerId, i) =>
    Array.from({ length: FRIENDS }, (_, n) => [playerId, players[(i * 7 + n * 41 + 1) % PLAYERS] ?? ''] as const),
  );
  const friendships = pairs.filter(([a, b]) => a !== b);
  for (const [a, b] of friendships) {
    friends.get(a)?.add(b);
    friends.get(b)?.add(a);
  }
  await flow.befriend(friendships);
  return await Promise.all(
    watching.map(async (playerId) => {
      const client = await flow.connect(playerId);
      const top = client.top('arena');
      const friendView = client.friends('arena');
      const me = client.me('arena');
      const around = client.around('arena', { above: ABOVE, below: BELOW });
      const rivals = client.players('arena', RIVALS);
      await Promise.all([top, friendView, me, around, rivals].map((view) => view.ready()));
      const friendIds = [...(friends.get(playerId) ?? [])];
      return { playerId, friendIds, client, top, friends: friendView, me, around, rivals };
    }),
  );
}

async function expectRightScreens(screens: readonly Screen[], ranking: readonly RankedPlayer[]): Promise<void> {
  const ranked = new Map(ranking.map((row) => [row.playerId, row]));
  const top = ranking.slice(0, TOP_SIZE).map(({ rank, playerId, points }) => [rank, playerId, points]);
  await until(() => {
    for (const screen of screens) {
      const own = ranked.get(screen.playerId);
      expect([screen.me.current?.rank, screen.me.current?.score]).toEqual([own?.rank ?? null, own?.points ?? null]);
      expect(screen.top.current?.entries.map((row) => [row.rank, row.playerId, row.score])).toEqual(top);
      expect(screen.friends.current?.entries.map((row) => [row.rank, row.playerId, row.score])).toEqual(
        friendRows([screen.playerId, ...screen.friendIds], ranked),
      );
      expect(screen.rivals.current?.entries.map((row) => [row.rank, row.playerId, row.score])).toEqual(
        friendRows(RIVALS, ranked),
      );
      const near = own === undefined ? [] : ranking.slice(Math.max(0, own.rank - 1 - ABOVE), own.rank + BELOW);
      expect(screen.around.current?.entries.map((row) => [row.rank, row.playerId, row.score])).toEqual(
        near.map(({ rank, playerId, points }) => [rank, playerId, points]),
      );
    }
  }, 40_000);
}

/** Ranked ones by rank, then those without a result by id. */
function friendRows(ids: readonly string[], ranked: ReadonlyMap<string, RankedPlayer>): unknown[] {
  const rows = ids.map((playerId) => ({ playerId, row: ranked.get(playerId) }));
  rows.sort(
    (a, b) =>
      (a.row?.rank ?? Number.POSITIVE_INFINITY) - (b.row?.rank ?? Number.POSITIVE_INFINITY) ||
      Buffer.compare(Buffer.from(a.playerId), Buffer.from(b.playerId)),
  );
  return rows.map(({ playerId, row }) => [row?.rank ?? null, playerId, row?.points ?? null]);
}

async function expectEachResultOnce(flow: Flow, results: readonly MatchResult[]): Promise<void> {
  const wanted = [...new Set(results.map((result) => `${result.matchId}/${result.playerId}`))].sort();
  await until(async () => {
    const sql = `SELECT match_id || '/' || player_id AS identity FROM ${flow.schema}.match_results`;
    const { rows } = await flow.pool.query<{ identity: string }>(sql);
    expect(rows.map((row) => row.identity).sort()).toEqual(wanted);
  }, 20_000);
}

function seqSeen(screens: readonly Screen[]): number {
  return Math.max(...screens.map((screen) => screen.top.current?.seq ?? 0));
}

function epochsSeen(screens: readonly Screen[]): number[] {
  return screens.flatMap(({ top, friends, me }) => [top, friends, me].map((view) => view.current?.epoch ?? 0));
}
