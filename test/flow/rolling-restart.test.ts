/**
 * A rolling restart under load, as the players see it: nothing.
 *
 * Set up: a core and two gateways; 1,000 players on the board; 500 clients that watch the top, every fifth himself and his
 * friends too. Act: 1,000 results a second from before SIGHUP until after it.
 * Expect: each picture that a client shows on the way is whole and was true at its seq; all are exact at the end; every
 * client was told to go before its server closed, and they did not come all at once.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { FrameType } from '../../proto/frames.js';
import { type Client, createClient, type RankedEntry, type View, type WindowState } from '../../src/client/index.js';
import { readFrames } from '../../src/client/read-frame.js';
import { PlayerTokens } from '../../src/ops/player-tokens.js';
import { startServer } from '../support/server-process.js';
import { until } from '../support/until.js';
import { BoardRecord, topText } from './board-record.js';
import { startFlow } from './flow.js';
import { bruteForceRanking, type MatchResult } from './matches.js';

const PLAYERS = 1_000;
const CLIENTS = 500;
const TOP = 20;
const FRIENDS = 10;
/** Who watches more than the top. */
const EVERY = 5;
const RESULTS_PER_STEP = 50;
const STEP_MS = 50;
/** Results that come into the top; most change the middle of the board, as in a season that has gone on for a while. */
const TOP_SHARE = 0.02;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

test('500 clients notice nothing of a rolling restart under 1,000 results/s', { timeout: 90_000 }, async () => {
  const flow = await startFlow();
  cleanups.push(() => flow.close());
  const server = await startServer({ ...flow.env, RANKCAST_WORKERS: '2', RANKCAST_DRAIN_SEC: '3' });
  cleanups.push(() => server.stop());
  const url = `http://127.0.0.1:${server.port}`;
  const players = Array.from({ length: PLAYERS }, (_, index) => `player-${index}`);
  const results = players.map((playerId, index) => resultOf(playerId, 1_000 + index));
  await flow.produce(results);
  await flow.befriend(players.filter(isKeen).flatMap((playerId) => friendsOf(playerId).map((id) => [playerId, id])));
  const { RANKCAST_REDIS_URL: redisUrl = '', RANKCAST_REDIS_PREFIX: redisPrefix = '' } = flow.env;
  const record = await until(async () => {
    const started = await BoardRecord.start({ redisUrl, redisPrefix, size: TOP });
    if (started.rowCount < PLAYERS) {
      await started.close();
      throw new Error(`${started.rowCount} rows`);
    }
    return started;
  });
  cleanups.push(() => record.close());

  const tokens = new PlayerTokens({ secret: flow.env['RANKCAST_TOKEN_SECRET'] ?? '' });
  const screens = await Promise.all(
    players.slice(0, CLIENTS).map(async (playerId) => {
      const token = await tokens.sign(playerId, 3_600);
      return new Screen(playerId, createClient({ url, getToken: () => token, WebSocket: WatchedSocket }));
    }),
  );
  cleanups.push(() => {
    for (const { client } of screens) client.close();
  });
  await Promise.all(screens.map((screen) => screen.ready()));
  const firstSockets = WatchedSocket.all.splice(0);

  const load = { isOn: true };
  const playing = play(load, players, async (batch) => {
    results.push(...batch);
    await flow.produce(batch);
  });
  await sleep(1_000);
  process.kill(server.pid, 'SIGHUP');
  await until(() => expect(server.output()).toContain('rolling_restart workers=2'), 40_000);
  load.isOn = false;
  await playing;

  const ranking = bruteForceRanking(results);
  const ranked = new Map(ranking.map((row) => [row.playerId, row]));
  const top = topText(ranking.slice(0, TOP).map(({ playerId, points }) => ({ playerId, score: points })));
  await until(() => {
    for (const screen of screens) {
      expect(screen.client.state).toBe('live');
      expect(topText(screen.top.current?.entries ?? [])).toBe(top);
      if (!isKeen(screen.playerId)) continue;
      expect(screen.me?.current?.rank).toBe(ranked.get(screen.playerId)?.rank);
      const friends = [screen.playerId, ...friendsOf(screen.playerId)].map((id) => ranked.get(id)?.rank ?? 0);
      expect(screen.friends?.current?.entries.map(({ rank }) => rank)).toEqual(friends.sort((a, b) => a - b));
    }
    expect(record.newestSeq).toBeGreaterThanOrEqual(screens[0]?.top.current?.seq ?? 0);
  }, 25_000);

  const shown = screens.flatMap((screen) => screen.shown);
  const wrong = shown.filter(({ seq, text }) => record.at(seq) !== undefined && record.at(seq) !== text);
  expect(shown.filter(({ seq }) => record.at(seq) !== undefined).length).toBeGreaterThan(CLIENTS * 10);
  expect(wrong.slice(0, 3)).toEqual([]);
  expect(screens.flatMap(({ faults }) => faults).slice(0, 5)).toEqual([]);
  expect(firstSockets.filter(({ goaways }) => goaways === 0)).toHaveLength(0);
  expect(
    largestShare(
      WatchedSocket.all.map(({ openedAt }) => openedAt),
      100,
    ),
  ).toBeLessThan(0.2);
  console.info(summary(server.output(), shown.length));
});

/** An array of five, its type. */
const GOAWAY_BEGINS = Buffer.from([0x95, FrameType.goaway]);

/** Counts GOAWAY frames and notes when it was opened. */
class WatchedSocket extends WebSocket {
  static readonly all: WatchedSocket[] = [];
  readonly openedAt = performance.now();
  goaways = 0;

  constructor(address: string | URL, protocols?: string | string[]) {
    super(address, protocols);
    WatchedSocket.all.push(this);
    this.on('message', (bytes: ArrayBuffer | Buffer) => {
      const view = Buffer.from(bytes as ArrayBuffer);
      // Decoding each message would double the work of the test.
      if (!view.includes(GOAWAY_BEGINS)) return;
      this.goaways += readFrames(view).filter(([type]) => type === FrameType.goaway).length;
    });
  }
}

class Screen {
  readonly top: View<WindowState<RankedEntry>>;
  readonly me;
  readonly friends;
  readonly shown: { readonly seq: number; readonly text: string }[] = [];
  readonly faults: string[] = [];
  private readonly seqs = new Map<number, number>();

  constructor(
    readonly playerId: string,
    readonly client: Client,
  ) {
    this.top = client.top('arena', { limit: TOP });
    this.me = isKeen(playerId) ? client.me('arena') : null;
    this.friends = isKeen(playerId) ? client.friends('arena') : null;
  }

  async ready(): Promise<void> {
    await Promise.all([this.top.ready(), this.me?.ready(), this.friends?.ready()]);
    this.top.subscribe(() => this.checkTop());
    this.me?.subscribe(() => {
      if (this.me?.current?.rank === null) this.faults.push('an own rank vanished');
    });
    this.friends?.subscribe(() => {
      const count = this.friends?.current?.entries.length;
      if (count !== FRIENDS + 1) this.faults.push(`${count} friends are shown`);
    });
    this.client.on('state', (state) => {
      if (state === 'closed') this.faults.push('closed for good');
    });
  }

  private checkTop(): void {
    const { entries = [], total = 0, seq = 0, epoch = 0, stale = true } = this.top.current ?? {};
    if (entries.length !== TOP) this.faults.push(`${entries.length} rows at ${seq}`);
    if (total !== PLAYERS) this.faults.push(`a total of ${total} at ${seq}`);
    if (seq < (this.seqs.get(epoch) ?? 0)) this.faults.push(`back to ${seq} from ${this.seqs.get(epoch)}`);
    this.seqs.set(epoch, seq);
    if (!stale) this.shown.push({ seq, text: topText(entries) });
  }
}

function isKeen(playerId: string): boolean {
  return indexOf(playerId) < CLIENTS && indexOf(playerId) % EVERY === 0;
}

/** From those who watch no friends, so that each has just these. */
function friendsOf(playerId: string): string[] {
  return Array.from({ length: FRIENDS }, (_, index) => `player-${CLIENTS + ((indexOf(playerId) + index) % CLIENTS)}`);
}

function indexOf(playerId: string): number {
  return Number(playerId.slice('player-'.length));
}

let highest = 100_000;

async function play(
  load: { readonly isOn: boolean },
  players: readonly string[],
  produce: (batch: readonly MatchResult[]) => Promise<void>,
): Promise<void> {
  const startedAt = performance.now();
  for (let step = 1; load.isOn; step += 1) {
    await produce(Array.from({ length: RESULTS_PER_STEP }, () => randomResult(players)));
    await sleep(Math.max(0, startedAt + step * STEP_MS - performance.now()));
  }
}

function randomResult(players: readonly string[]): MatchResult {
  const playerId = players[Math.floor(Math.random() * players.length)] ?? '';
  if (Math.random() < TOP_SHARE) highest += Math.floor(Math.random() * 20);
  else return resultOf(playerId, 1_000 + Math.floor(Math.random() * 80_000));
  return resultOf(playerId, highest);
}

function resultOf(playerId: string, points: number): MatchResult {
  return { matchId: randomUUID(), playerId, mode: 'arena', points, achievedAt: Date.now() };
}

/** Of the times, the largest share that lies in one bucket. */
function largestShare(times: readonly number[], bucketMs: number): number {
  const counts = new Map<number, number>();
  for (const at of times) counts.set(Math.floor(at / bucketMs), (counts.get(Math.floor(at / bucketMs)) ?? 0) + 1);
  return Math.max(...counts.values()) / times.length;
}

function summary(output: string, pictures: number): string {
  return `${output.match(/rolling_restart workers=2 ms=\d+/)?.[0]} pictures=${pictures} sockets=${WatchedSocket.all.length}`;
}
