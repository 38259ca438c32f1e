/**
 * `npm run bench -- stalled`: one gateway process, players who watch their friends, and some who stop reading for half a
 * minute. What the stopped ones cost the server, what their stop costs those who read, and what becomes of them: a socket
 * that reads again in time is brought to the present, one that does not is closed.
 */

import { randomBytes } from 'node:crypto';
import { CloseCode } from '../../proto/close-codes.js';
import { PlayerTokens } from '../../src/ops/player-tokens.js';
import { ExpectedBoard } from '../lib/expected-board.js';
import { type Close, runGuarded } from '../lib/guarded-run.js';
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
import { FILL_WITHIN_MS, runStall, STALL_MS, StalledWindows } from './stalled/run-stall.js';
import { ServerWatch } from './stalled/server-watch.js';
import type { StallingSocket } from './stalled/stalling-socket.js';

const AROUND_MS = 180_000;
const MAX_POINTS = 2_097_151;

export async function benchStalled(args: readonly string[], interrupted: AbortSignal): Promise<void> {
  const options = readStalledOptions(args);
  const limitMs = options.seconds * 1_000 + FILL_WITHIN_MS + STALL_MS + AROUND_MS;
  await runGuarded(limitMs, interrupted, (signal, closers) => measure(options, signal, closers));
}

async function measure(options: StalledOptions, signal: AbortSignal, closers: Close[]): Promise<void> {
  const { players, sockets, stalled, resumed, seconds } = options;
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

  const windows = new StalledWindows();
  const url = `${server.url.replace('http', 'ws')}/v1/socket`;
  const tokens = new PlayerTokens({ secret });
  const audience = new StalledAudience({
    url,
    tokens,
    options,
    players: planner.players,
    pairs,
    recorder: windows.latencies,
  });
  closers.push(() => audience.close());
  await audience.open();
  const { stalling, readers } = audience;
  progress(`${readers.length} sockets show their friends, ${stalled} more friends and the top`);

  const watch = new ServerWatch(server);
  closers.push(() => watch.stop().catch(() => undefined));
  const [goingOn, leaving] = [stalling.slice(0, resumed), stalling.slice(resumed)];
  const run = await runStall({ options, load, goingOn, leaving, windows, watch, signal, closers });
  const { beforeAtMs, stopAtMs, firstBlockedAtMs, duringAtMs, endAtMs } = run;

  const expected = new ExpectedBoard(load.played, board.boardSeason.layout);
  const differences = audience.findDifferences(expected, leaving);
  for (const difference of differences.slice(0, 3)) progress(`mismatch: ${difference}`);
  const before = watch.peaksBetween(beforeAtMs, stopAtMs);
  const filling = watch.peaksBetween(stopAtMs, duringAtMs);
  const during = watch.peaksBetween(duringAtMs, endAtMs);
  const [latencyBefore, latencyDuring] = [windows.latencies.of('before'), windows.latencies.of('during')];
  const catchUps = goingOn.flatMap(({ catchUp }) => catchUp ?? []);
  const closeCodes = leaving.map(({ closeCode }) => closeCode);
  const closedTooSlow = closeCodes.filter((code) => code === CloseCode.tooSlow).length;
  const rowsPerWindow = players - sockets + 1;
  const unshown = readers.reduce((sum, socket) => sum + socket.unshown, 0);
  printFigures({
    ...options,
    blocked_first_s: (firstBlockedAtMs - stopAtMs) / 1_000,
    blocked_all_s: (duringAtMs - stopAtMs) / 1_000,
    blocked_sessions_max: during.blockedSessions,
    outbox_bytes_max: during.outboxBytes,
    outbox_bytes_per_session_max: during.outboxBytesPerSession,
    outbox_bytes_per_session_limit: outboxLimitBytes(rowsPerWindow),
    conflations: run.conflations,
    rss_before_mib: before.rssBytes / 2 ** 20,
    rss_filling_mib: filling.rssBytes / 2 ** 20,
    rss_during_mib: during.rssBytes / 2 ** 20,
    change_to_frame_p50_before_ms: latencyBefore.percentileMs(50),
    change_to_frame_p50_during_ms: latencyDuring.percentileMs(50),
    change_to_frame_p50_ratio: latencyDuring.percentileMs(50) / latencyBefore.percentileMs(50),
    change_to_frame_p99_before_ms: latencyBefore.percentileMs(99),
    change_to_frame_p99_during_ms: latencyDuring.percentileMs(99),
    change_to_frame_p99_ratio: latencyDuring.percentileMs(99) / latencyBefore.percentileMs(99),
    generator_late_p99_before_ms: windows.lateness.of('before').percentileMs(99),
    generator_late_p99_during_ms: windows.lateness.of('during').percentileMs(99),
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
