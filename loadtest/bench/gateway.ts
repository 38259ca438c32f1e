/**
 * `npm run bench -- gateway`: one gateway process, players who each watch their friends, and updates put into the board's
 * stream in an open loop. How long from a change in the stream until a friend's client has read the frame that shows it, and
 * what a delivered update costs the server beside a bare uWebSockets.js send loop of as many bytes. Rounds alternate.
 */

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PlayerTokens } from '../../src/ops/player-tokens.js';
import { assembleDelta, encodeElement } from '../../src/wire/assemble.js';
import { collectGarbage } from '../lib/collect-garbage.js';
import { pinApart } from '../lib/core-pinning.js';
import { ShownCursor } from '../lib/due-results.js';
import { ExpectedBoard, findDifference } from '../lib/expected-board.js';
import { chooseFriendPairs, friendsOfEach } from '../lib/friend-pairs.js';
import { type Close, runGuarded } from '../lib/guarded-run.js';
import { Latencies } from '../lib/latencies.js';
import { dueAtMs, runOpenLoop } from '../lib/open-loop.js';
import { parseOptions, readNumber } from '../lib/option-values.js';
import { ResultPlanner } from '../lib/players.js';
import { readProcessCost } from '../lib/process-cost.js';
import { median, printFigures, progress } from '../lib/report.js';
import { startServer } from '../lib/run-parts.js';
import { enterPlace } from '../lib/run-place.js';
import type { ServerProcess } from '../lib/server-process.js';
import { readMachineTime, stolenPercent } from '../lib/stolen-time.js';
import { writeFriendships } from '../lib/truth-rows.js';
import { seededRandom } from '../lib/zipf.js';
import { BareProcess, type BareRound, PROBE_EVERY } from './gateway/bare-process.js';
import { BoardLoad } from './gateway/board-load.js';
import { FilledBoard } from './gateway/filled-board.js';
import { FriendSocket, type Received } from './gateway/friend-socket.js';
import { LazyReads } from './gateway/lazy-reads.js';

const DEFAULTS = { sockets: '2000', friends: '20', rate: '2000', tick: '5', seconds: '10', rounds: '5', seed: '1' };
const CONNECTING = 50;
const AROUND_MS = 180_000;
const QUIET_MS = 2_000;
const MAX_POINTS = 2_097_151;

interface Options {
  readonly sockets: number;
  readonly friends: number;
  readonly rate: number;
  /** Updates of so many milliseconds are one entry of the stream, as the ranking writes them. */
  readonly tick: number;
  readonly seconds: number;
  readonly rounds: number;
  readonly seed: number;
}

interface Round {
  readonly updates: number;
  readonly cpuUs: number;
  readonly latencies: Latencies;
  readonly lateness: Latencies;
  readonly messages: number;
  readonly rows: number;
  readonly bytes: number;
  readonly stolenPercent: number;
}

export async function benchGateway(args: readonly string[], interrupted: AbortSignal): Promise<void> {
  const values = parseOptions(args, DEFAULTS);
  const options: Options = {
    sockets: readNumber('sockets', values.sockets, { min: 2, max: 8_000 }),
    friends: readNumber('friends', values.friends, { min: 1, max: 1_000 }),
    rate: readNumber('rate', values.rate, { min: 1, max: 50_000 }),
    tick: readNumber('tick', values.tick, { min: 1, max: 100 }),
    seconds: readNumber('seconds', values.seconds, { min: 1, max: 600 }),
    rounds: readNumber('rounds', values.rounds, { min: 1, max: 100 }),
    seed: readNumber('seed', values.seed, { min: 0, max: 2 ** 32 - 1 }),
  };
  const limitMs = options.rounds * options.seconds * 2_000 + AROUND_MS;
  await runGuarded(limitMs, interrupted, (signal, closers) => measure(options, signal, closers));
}

async function measure(options: Options, signal: AbortSignal, closers: Close[]): Promise<void> {
  const { sockets, friends, rate, tick, seconds, rounds } = options;
  const random = seededRandom(options.seed);
  const planner = new ResultPlanner({ players: sockets, maxPoints: MAX_POINTS, improve: 1, spread: 'uniform', random });
  const pinning = pinApart();
  const place = await enterPlace();
  closers.push(() => place.leave());
  const { RANKCAST_REDIS_URL: url = '', RANKCAST_REDIS_PREFIX: prefix = '' } = place.serverEnv;
  const board = new FilledBoard(url, prefix);
  closers.push(() => board.close());
  const load = new BoardLoad(board, planner);
  await load.fill();

  const secret = randomBytes(32).toString('hex');
  const env = { ...place.serverEnv, RANKCAST_TOKEN_SECRET: secret, RANKCAST_ROLES: 'gateway,intake' };
  const server = startServer(env, closers);
  await server.ready(signal);
  pinning.giveOwnCore(server.pid);
  const pairs = chooseFriendPairs(sockets, friends, random);
  await writeFriendships(place.pool, pairs, (index) => planner.players[index]?.playerId ?? '');
  const friendsOf = friendsOfEach(sockets, pairs);

  let recorder = new Latencies();
  let delivered = 0;
  const received: Received = { messages: 0, rows: 0, bytes: 0 };
  const tokens = new PlayerTokens({ secret });
  const audience: FriendSocket[] = [];
  closers.push(() => {
    for (const socket of audience) socket.close();
  });
  for (const player of planner.players) {
    const isProbe = player.index % PROBE_EVERY === 0;
    const shown = [player, ...(friendsOf[player.index] ?? []).flatMap((index) => planner.players[index] ?? [])];
    audience.push(
      new FriendSocket({
        url: `${server.url.replace('http', 'ws')}/v1/socket`,
        token: await tokens.sign(player.playerId, 3_600),
        cursors: new Map(shown.map(({ playerId, due }) => [playerId, new ShownCursor(due)] as const)),
        recorder: {
          record: (dueAtMs, shownAtMs) => {
            delivered += 1;
            if (isProbe) recorder.record(dueAtMs, shownAtMs);
          },
        },
        received,
      }),
    );
    if (audience.length % CONNECTING === 0) await Promise.all(audience.slice(-CONNECTING).map((one) => one.open()));
  }
  await Promise.all(audience.slice(audience.length - (audience.length % CONNECTING)).map((one) => one.open()));
  progress(`${audience.length} sockets show their friends`);

  const bare = await BareProcess.start();
  closers.push(() => bare.stop());
  pinning.giveOwnCore(bare.pid);
  await bare.connect(sockets);
  const watchers = planner.players.map(({ index }) => [index, ...(friendsOf[index] ?? [])]);

  const lazy = new LazyReads(
    audience.filter((_, index) => index % PROBE_EVERY !== 0).map(({ connection }) => connection),
  );
  const own: Round[] = [];
  const peer: BareRound[] = [];
  for (let number = 0; number <= rounds; number += 1) {
    // The first is for the compiler.
    const isMeasured = number > 0;
    recorder = new Latencies();
    const deliveredBefore = delivered;
    collectGarbage();
    const quiet = await play({ options, load, server, received, recorder, lazy, signal });
    const round = { ...quiet, updates: delivered - deliveredBefore };
    const frame = frameOf(Math.round(round.bytes / Math.max(1, round.messages)));
    collectGarbage();
    const bareRound = await bare.round({ rate, tick, seconds, frame, watchers });
    if (!isMeasured) continue;
    own.push(round);
    peer.push(bareRound);
    const costs = `${costOf(round).toFixed(2)} us an update, bare ${bareCost(bareRound).toFixed(2)}`;
    progress(
      `round ${number}: p50 ${round.latencies.percentileMs(50)} ms, p99 ${round.latencies.percentileMs(99)} ms, ${costs}`,
    );
  }
  await sleep(QUIET_MS, undefined, { signal });
  const expected = new ExpectedBoard(load.played, board.boardSeason.layout);
  const differences = audience.flatMap((socket, index) => {
    const ids = (watchers[index] ?? []).map((at) => planner.players[at]?.playerId ?? '');
    return findDifference(socket.entries(), expected.rowsOf(ids)) ?? [];
  });
  for (const difference of differences.slice(0, 3)) progress(`mismatch: ${difference}`);
  const ratios = own.map((round, index) => costOf(round) / bareCost(peer[index] as BareRound));
  printFigures({
    ...{ sockets, friends, rate, tick, seconds, rounds },
    change_to_frame_p50_ms: median(own.map(({ latencies }) => latencies.percentileMs(50))),
    change_to_frame_p99_ms: median(own.map(({ latencies }) => latencies.percentileMs(99))),
    change_to_frame_max_ms: Math.max(...own.map(({ latencies }) => latencies.maxMs)),
    generator_late_p99_ms: median(own.map(({ lateness }) => lateness.percentileMs(99))),
    delivered_per_s: median(own.map(({ updates }) => updates / seconds)),
    messages_per_s: median(own.map(({ messages }) => messages / seconds)),
    rows_per_s: median(own.map(({ rows }) => rows / seconds)),
    bytes_per_message: median(own.map(({ bytes, messages }) => bytes / messages)),
    server_us_per_update: median(own.map(costOf)),
    server_us_per_row: median(own.map(({ cpuUs, rows }) => cpuUs / rows)),
    bare_us_per_update: median(peer.map(bareCost)),
    ratio_to_bare: median(ratios),
    stolen_pct: median(own.map((round) => round.stolenPercent)),
    unshown: audience.reduce((sum, socket) => sum + socket.unshown, 0),
    mismatched: differences.length,
    pinned: pinning.isPinned ? 'yes' : 'no',
    node: process.version,
  });
}

interface Play {
  readonly options: Options;
  readonly load: BoardLoad;
  readonly server: ServerProcess;
  readonly received: Received;
  readonly recorder: Latencies;
  readonly lazy: LazyReads;
  readonly signal: AbortSignal;
}

/** A frame that clients read, of about so many bytes. */
function frameOf(bytes: number): string {
  const parts = { topic: 2 ** 31, seq: 1, span: 1, removed: [], first: null, total: null, at: Date.now() };
  const bare = assembleDelta({ ...parts, placed: [encodeElement(['x'])] });
  const text = 'x'.repeat(Math.max(1, bytes - bare.byteLength));
  return Buffer.from(assembleDelta({ ...parts, placed: [encodeElement([text])] })).toString('base64');
}

async function play({
  options,
  load,
  server,
  received,
  recorder,
  lazy,
  signal,
}: Play): Promise<Omit<Round, 'updates'>> {
  const { rate, tick, seconds } = options;
  const lateness = new Latencies();
  const startAtMs = performance.now() + 50;
  for (const latencies of [recorder, lateness]) latencies.measureFrom(startAtMs);
  const before = { ...received };
  const cpuBefore = readProcessCost(server.pid).cpuSec;
  const timeBefore = readMachineTime();
  lazy.start();
  await runOpenLoop({
    ...{ rate, count: rate * seconds, startAtMs, tickMs: tick, signal },
    release: (from, to) => {
      // What is due within a tick is released at its end.
      lateness.record(dueAtMs(startAtMs, rate, from) + tick, performance.now());
      load.release(to - from);
    },
  });
  await load.settle();
  const cpuUs = (readProcessCost(server.pid).cpuSec - cpuBefore) * 1e6;
  const timeAfter = readMachineTime();
  lazy.stop();
  await sleep(QUIET_MS, undefined, { signal });
  lazy.letGo();
  return {
    cpuUs,
    latencies: recorder,
    lateness,
    stolenPercent: stolenPercent(timeBefore, timeAfter),
    messages: received.messages - before.messages,
    rows: received.rows - before.rows,
    bytes: received.bytes - before.bytes,
  };
}

function costOf({ cpuUs, updates }: Round): number {
  return cpuUs / updates;
}

function bareCost({ cpuUs, sends }: BareRound): number {
  return cpuUs / sends;
}
