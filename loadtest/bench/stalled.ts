/**
 * `npm run bench -- stalled`: one gateway process, players who watch their friends, and some who stop reading for half a
 * minute. What the stopped ones cost the server, what their stop costs those who read, and what becomes of them: a socket
 * that reads again in time is brought to the present, one that does not is closed.
 */

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CloseCode } from '../../proto/close-codes.js';
import { PlayerTokens } from '../../src/ops/player-tokens.js';
import { ExpectedBoard } from '../lib/expected-board.js';
import { type Close, runGuarded } from '../lib/guarded-run.js';
import { MeasuredWindows } from '../lib/measured-windows.js';
import { runOpenLoop } from '../lib/open-loop.js';
import { ResultPlanner } from '../lib/players.js';
import { median, printFigures, progress } from '../lib/report.js';
import { startServer } from '../lib/run-parts.js';
import { enterPlace } from '../lib/run-place.js';
import { writeFriendships } from '../lib/truth-rows.js';
import { seededRandom } from '../lib/zipf.js';
import { BoardLoad } from './gateway/board-load.js';
import { FilledBoard } from './gateway/filled-board.js';
import { chooseStalledPairs, StalledAudience } from './stalled/audience.js';
import { findBroken, outboxLimitBytes } from './stalled/bounds.js';
import { readStalledOptions, type StalledOptions } from './stalled/options.js';
import { ServerWatch } from './stalled/server-watch.js';
import type { StallingSocket } from './stalled/stalling-socket.js';

const AROUND_MS = 180_000;
const WARM_UP_MS = 3_000;
const QUIET_MS = 2_000;
const MAX_POINTS = 2_097_151;
/** On the loopback address the kernel takes some megabytes of a socket before that is full. */
const FILL_WITHIN_MS = 15_000;
const ASK_EVERY_MS = 50;
/** From the block of the first: the server closes a socket after 30 s, and looks once a second. */
const GO_ON_AFTER_MS = 25_000;
const STALL_MS = 33_000;

type Kind = 'before' | 'during';

export async function benchStalled(args: readonly string[], interrupted: AbortSignal): Promise<void> {
  const options = readStalledOptions(args);
  const limitMs = options.seconds * 1_000 + FILL_WITHIN_MS + STALL_MS + AROUND_MS;
  await runGuarded(limitMs, interrupted, (signal, closers) => measure(options, signal, closers));
}

async function measure(options: StalledOptions, signal: AbortSignal, closers: Close[]): Promise<void> {
  const { players, stalled, resumed, rate, seconds } = options;
  const random = seededRandom(options.seed);
  const planner = new ResultPlanner({ players, maxPoints: MAX_POINTS, improve: 1, spread: 'uniform', random });
  const place = await enterPlace();
  closers.push(() => place.leave());
  const { RANKCAST_REDIS_URL: redisUrl = '', RANKCAST_REDIS_PREFIX: prefix = '' } = place.serverEnv;
  const board = new FilledBoard(redisUrl, prefix);
  closers.push(() => board.close());
  const load = new BoardLoad(board, planner);
  await load.fill();
  const pairs = chooseStalledPairs(options, random);
  const secret = randomBytes(32).toString('hex');
  const env = { ...place.serverEnv, RANKCAST_TOKEN_SECRET: secret, RANKCAST_ROLES: 'gateway,intake' };
  // Who asks anew until his socket is full asks more than a client may.
  const server = startServer({ ...env, RANKCAST_LIMIT_FRAMES: '10000' }, closers);
  await server.ready(signal);
  await writeFriendships(place.pool, pairs, (index) => planner.players[index]?.playerId ?? '');

  const latencies = new MeasuredWindows<Kind>();
  const lateness = new MeasuredWindows<Kind>();
  const begin = (kind: Kind | null): number => {
    const now = performance.now();
    for (const windows of [latencies, lateness]) windows.begin(kind, now);
    return now;
  };
  const url = `${server.url.replace('http', 'ws')}/v1/socket`;
  const tokens = new PlayerTokens({ secret });
  const audience = new StalledAudience({ url, tokens, options, players: planner.players, pairs, recorder: latencies });
  closers.push(() => audience.close());
  await audience.open();
  const { stalling, readers } = audience;
  progress(`${readers.length} sockets show their friends, ${stalled} more friends and the top`);

  const watch = new ServerWatch(server);
  closers.push(() => watch.stop().catch(() => undefined));
  const ending = new AbortController();
  const startAtMs = performance.now();
  const loading = runOpenLoop({
    ...{ rate, count: Number.POSITIVE_INFINITY, startAtMs, signal, end: ending.signal },
    release: (from, to) => {
      const now = performance.now();
      for (let event = from; event < to; event += 1) lateness.record(startAtMs + (event * 1_000) / rate, now);
      load.release(to - from);
    },
  });
  loading.catch(() => undefined);
  closers.push(() => ending.abort());
  await sleep(WARM_UP_MS, undefined, { signal });

  // Looked at when the window is over: their many rows would be most of the generator's work.
  for (const { connection } of stalling) connection.hold();
  const beforeAtMs = begin('before');
  await sleep(seconds * 1_000, undefined, { signal });
  const stopAtMs = begin(null);
  for (const socket of stalling) socket.stop();
  const firstBlockedAtMs = await fillAll(stalling, watch, signal);
  const conflatedBefore = watch.last.conflations;
  const allBlockedAt = Date.now();
  const duringAtMs = begin('during');
  const [firstBlockedS, allBlockedS] = [firstBlockedAtMs, duringAtMs].map((atMs) => (atMs - stopAtMs) / 1_000);
  progress(
    `the first stopped socket is full after ${firstBlockedS?.toFixed(1)} s, the last after ${allBlockedS?.toFixed(1)} s`,
  );

  const [goingOn, leaving] = [stalling.slice(0, resumed), stalling.slice(resumed)];
  await sleep(firstBlockedAtMs + GO_ON_AFTER_MS - performance.now(), undefined, { signal });
  for (const socket of goingOn) socket.goOn(allBlockedAt);
  await sleep(duringAtMs + STALL_MS - performance.now(), undefined, { signal });
  const endAtMs = begin(null);
  await watch.stop();
  const conflations = watch.last.conflations - conflatedBefore;
  ending.abort();
  await loading;
  await load.settle();
  for (const { connection } of leaving) connection.goOnReading();
  for (const { connection } of goingOn) connection.letGo();
  await sleep(QUIET_MS, undefined, { signal });

  const expected = new ExpectedBoard(load.played, board.boardSeason.layout);
  const differences = audience.findDifferences(expected, leaving);
  for (const difference of differences.slice(0, 3)) progress(`mismatch: ${difference}`);
  const before = watch.peaksBetween(beforeAtMs, stopAtMs);
  const filling = watch.peaksBetween(stopAtMs, duringAtMs);
  const during = watch.peaksBetween(duringAtMs, endAtMs);
  const [latencyBefore, latencyDuring] = [latencies.of('before'), latencies.of('during')];
  const catchUps = goingOn.flatMap(({ catchUp }) => catchUp ?? []);
  const closeCodes = leaving.map(({ closeCode }) => closeCode);
  const closedTooSlow = closeCodes.filter((code) => code === CloseCode.tooSlow).length;
  const rowsPerWindow = players - options.sockets + 1;
  const unshown = readers.reduce((sum, socket) => sum + socket.unshown, 0);
  printFigures({
    ...options,
    blocked_first_s: firstBlockedS ?? Number.NaN,
    blocked_all_s: allBlockedS ?? Number.NaN,
    blocked_sessions_max: during.blockedSessions,
    outbox_bytes_max: during.outboxBytes,
    outbox_bytes_per_session_max: during.outboxBytesPerSession,
    outbox_bytes_per_session_limit: outboxLimitBytes(rowsPerWindow),
    conflations,
    rss_before_mib: before.rssBytes / 2 ** 20,
    rss_filling_mib: filling.rssBytes / 2 ** 20,
    rss_during_mib: during.rssBytes / 2 ** 20,
    change_to_frame_p50_before_ms: latencyBefore.percentileMs(50),
    change_to_frame_p50_during_ms: latencyDuring.percentileMs(50),
    change_to_frame_p50_ratio: latencyDuring.percentileMs(50) / latencyBefore.percentileMs(50),
    change_to_frame_p99_before_ms: latencyBefore.percentileMs(99),
    change_to_frame_p99_during_ms: latencyDuring.percentileMs(99),
    change_to_frame_p99_ratio: latencyDuring.percentileMs(99) / latencyBefore.percentileMs(99),
    generator_late_p99_before_ms: lateness.of('before').percentileMs(99),
    generator_late_p99_during_ms: lateness.of('during').percentileMs(99),
    delivered_per_s_before: latencyBefore.count / seconds,
    delivered_per_s_during: latencyDuring.count / ((endAtMs - duringAtMs) / 1_000),
    closed_too_slow: closedTooSlow,
    closed_otherwise: closeCodes.length - closedTooSlow,
    taken_before_full_bytes: median(catchUps.map(({ oldBytes }) => oldBytes)),
    catch_up_bytes_max: Math.max(0, ...catchUps.map(({ bytes }) => bytes)),
    catch_up_messages_max: Math.max(0, ...catchUps.map(({ messages }) => messages)),
    unshown,
    mismatched: differences.length,
    node: process.version,
  });
  const broken = findBroken({
    ...{ rowsPerWindow, closeCodes, catchUps, unshown },
    outboxBytesPerSession: during.outboxBytesPerSession,
    failures: await failuresOf(audience, leaving),
    mismatched: differences.length,
  });
  if (broken.length > 0) throw new Error(broken.join('; '));
}

/** Answers when the first was full, `performance.now()`. Then they ask no more. */
async function fillAll(stalling: readonly StallingSocket[], watch: ServerWatch, signal: AbortSignal): Promise<number> {
  const untilMs = performance.now() + FILL_WITHIN_MS;
  let firstAtMs = Number.POSITIVE_INFINITY;
  while (watch.last.blockedSessions < stalling.length) {
    if (performance.now() > untilMs) throw new Error(`${watch.last.blockedSessions} stopped sockets are full at last`);
    for (const socket of stalling) socket.askAnew();
    await sleep(ASK_EVERY_MS, undefined, { signal });
    if (watch.last.blockedSessions > 0) firstAtMs = Math.min(firstAtMs, watch.last.atMs);
  }
  return firstAtMs;
}

/** Of those who were to stay, in words. */
async function failuresOf(
  { readers, stalling }: StalledAudience,
  leaving: readonly StallingSocket[],
): Promise<string[]> {
  const opened = await Promise.allSettled(readers.map((reader) => reader.open()));
  const ofReaders = opened.flatMap((one) => (one.status === 'rejected' ? [`a reader: ${String(one.reason)}`] : []));
  const ofStalling = stalling.flatMap((socket) => {
    const isClosed = socket.closeCode !== null && !leaving.includes(socket);
    return [socket.failure ?? [], isClosed ? `one that read again was closed with ${socket.closeCode}` : []].flat();
  });
  return [...ofReaders, ...ofStalling];
}
