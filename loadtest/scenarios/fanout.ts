/**
 * `npm run loadtest -- fanout`: results through real Kafka, PostgreSQL and Redis to many sockets, in an open loop.
 * How long from the moment a send is due until a friend's client has decoded the frame that shows it, and whether in the
 * end nothing is lost and every window of every client is exactly right.
 */

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultBoard, loadBoards } from '../../src/boards.js';
import { scoreLayoutOf } from '../../src/domain/board.js';
import { currentSeason } from '../../src/domain/season.js';
import type { Audience } from '../lib/audience.js';
import { ExpectedBoard } from '../lib/expected-board.js';
import { type FanoutResult, fanoutFigures, findDoubts } from '../lib/fanout-figures.js';
import { type FanoutOptions, readFanoutOptions } from '../lib/fanout-options.js';
import { type Close, runGuarded } from '../lib/guarded-run.js';
import { Latencies } from '../lib/latencies.js';
import { ResultPlanner } from '../lib/players.js';
import { reckonWhenQuiet } from '../lib/reckoning.js';
import { printFigures, progress } from '../lib/report.js';
import { ResultLoad, type RunningLoad } from '../lib/result-load.js';
import type { ResultProducer } from '../lib/result-producer.js';
import { connectAudience, connectProducer, makeFriends, startServer, untilConsidered } from '../lib/run-parts.js';
import { enterPlace } from '../lib/run-place.js';
import type { ServerProcess } from '../lib/server-process.js';
import type { PlayedResult } from '../lib/standings.js';
import { readUsage, type Usage, usageBetween } from '../lib/usage.js';
import { seededRandom } from '../lib/zipf.js';

/** Everything but the load itself: set-up, connecting, the reckoning. */
const AROUND_LOAD_MS = 180_000;
const PROGRESS_EVERY_MS = 5_000;

/** Answers whether nothing was lost and nobody shows anything wrong. */
export async function runFanout(args: readonly string[], interrupted: AbortSignal): Promise<boolean> {
  const options = readFanoutOptions(args);
  const limitMs = (options.warmup + options.seconds) * 1_000 + AROUND_LOAD_MS;
  return report(await runGuarded(limitMs, interrupted, (signal, closers) => measure(options, signal, closers)));
}

/** What it opens it adds to `closers`. */
async function measure(options: FanoutOptions, signal: AbortSignal, closers: Close[]): Promise<FanoutResult> {
  const place = await enterPlace();
  closers.push(() => place.leave());
  const tokenSecret = randomBytes(32).toString('hex');
  const env = { ...place.serverEnv, ...settingsOf(options), RANKCAST_TOKEN_SECRET: tokenSecret };
  const server = startServer(env, closers);
  await server.ready(signal);

  const boardSet = loadBoards();
  const board = defaultBoard(boardSet);
  const layout = scoreLayoutOf(board, boardSet.modes, currentSeason(boardSet.calendar, Date.now()));
  const maxPoints = layout.keys[0]?.max ?? 0;
  const random = seededRandom(options.seed);
  const { sockets, improve, spread } = options;
  const planner = new ResultPlanner({ players: sockets, maxPoints, improve, spread, random });
  const { players } = planner;
  const friends = await makeFriends(place.pool, players, options.friends, random);

  const producer = await connectProducer(place, board, closers);
  const load = new ResultLoad(planner, producer);
  await load.sendFirst(planner.firstResults());
  await untilConsidered(server, producer.acknowledged.length, signal);

  const [pushes, ownRanks] = [new Latencies(), new Latencies()];
  const audience = await connectAudience(
    {
      url: server.url,
      boardId: board.boardId,
      topSize: board.topSize,
      topShare: options.topShare,
      players,
      friends: friends.friendsOfEach,
      pushes,
      ownRanks,
    },
    tokenSecret,
    closers,
    signal,
  );

  const running = load.start(options, signal);
  for (const latencies of [pushes, ownRanks]) latencies.measureFrom(running.measuredFromMs);
  const usage = await watch(running, server, audience, pushes, producer, signal);
  await producer.settle();
  const expect = (results: Iterable<PlayedResult>) => new ExpectedBoard(results, layout);
  const outcome = await reckonWhenQuiet({ server, pool: place.pool, producer, audience, expect }, signal);
  for (const failure of producer.failures.slice(0, 3)) progress(`a send was not acknowledged: ${failure}`);
  for (const difference of outcome.differences) progress(`mismatch: ${difference}`);
  const { produced } = producer;
  return {
    options,
    versions: place.versions,
    friendsAvg: friends.average,
    produced,
    outcome,
    usage,
    lag: load.lag,
    acknowledgements: load.acknowledgements,
    pushes,
    ownRanks,
    audience,
  };
}

function settingsOf({ tick }: FanoutOptions): Record<string, string> {
  return tick === null ? {} : { RANKCAST_TICK_MS: String(tick) };
}

/** Reads the usage at both ends of the measured window, and tells a waiting person how it goes. */
async function watch(
  running: RunningLoad,
  server: ServerProcess,
  audience: Audience,
  pushes: Latencies,
  producer: ResultProducer,
  signal: AbortSignal,
): Promise<Usage> {
  const telling = setInterval(() => {
    const { produced, acknowledged } = producer;
    const p99 = pushes.count === 0 ? 'warming up' : `push p99 ${pushes.percentileMs(99)} ms`;
    progress(`${produced} produced, ${acknowledged.length} acknowledged, ${audience.traffic.frames} frames, ${p99}`);
  }, PROGRESS_EVERY_MS);
  try {
    const readAt = async (atMs: number) => {
      await sleep(Math.max(0, atMs - performance.now()), undefined, { signal });
      return readUsage(server.pid, audience.traffic);
    };
    const [from, to] = await Promise.all([readAt(running.measuredFromMs), readAt(running.measuredToMs), running.done]);
    return usageBetween(from, to);
  } finally {
    clearInterval(telling);
  }
}

function report(result: FanoutResult): boolean {
  printFigures(fanoutFigures(result));
  for (const doubt of findDoubts(result.usage, result.lag)) progress(`warning: do not trust these figures: ${doubt}`);
  const { lost, mismatchedClients } = result.outcome;
  return lost === 0 && mismatchedClients === 0;
}
