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
import { PlayerTokens } from '../../src/ops/player-tokens.js';
import { Audience } from '../lib/audience.js';
import { type FanoutResult, fanoutFigures, findDoubts } from '../lib/fanout-figures.js';
import { type FanoutOptions, readFanoutOptions } from '../lib/fanout-options.js';
import { chooseFriendPairs, friendsOfEach } from '../lib/friend-pairs.js';
import { ResultPlanner } from '../lib/players.js';
import { reckonWhenQuiet } from '../lib/reckoning.js';
import { printFigures, progress } from '../lib/report.js';
import { ResultLoad, type RunningLoad } from '../lib/result-load.js';
import { ResultProducer } from '../lib/result-producer.js';
import { enterPlace } from '../lib/run-place.js';
import { ServerProcess } from '../lib/server-process.js';
import { writeFriendships } from '../lib/truth-rows.js';
import { readUsage, type Usage, usageBetween } from '../lib/usage.js';
import { seededRandom } from '../lib/zipf.js';

/** Everything but the load itself: set-up, connecting, the reckoning. */
const AROUND_LOAD_MS = 180_000;
const FIRST_RESULTS_LIMIT_MS = 30_000;
const PROGRESS_EVERY_MS = 5_000;
const TOKEN_LIFETIME_SEC = 24 * 3_600;

/** Answers whether nothing was lost and nobody shows anything wrong. */
export async function runFanout(args: readonly string[], interrupted: AbortSignal): Promise<boolean> {
  const options = readFanoutOptions(args);
  const limitMs = (options.warmup + options.seconds) * 1_000 + AROUND_LOAD_MS;
  const signal = AbortSignal.any([interrupted, AbortSignal.timeout(limitMs)]);
  const closers: Close[] = [];
  const measuring = measure(options, signal, closers);
  try {
    return report(await Promise.race([measuring, rejectionBy(signal)]));
  } finally {
    await closeAll(closers);
    // A run that was cut off may have opened one thing more before it noticed.
    await measuring.catch(() => undefined);
    await closeAll(closers);
  }
}

type Close = () => void | Promise<void>;

async function closeAll(closers: Close[]): Promise<void> {
  for (let close = closers.pop(); close !== undefined; close = closers.pop()) await close();
}

/** What it opens it adds to `closers`, in the order of opening. */
async function measure(options: FanoutOptions, signal: AbortSignal, closers: Close[]): Promise<FanoutResult> {
  const place = await enterPlace();
  closers.push(() => place.leave());
  const tokenSecret = randomBytes(32).toString('hex');
  const server = startServer(
    { ...place.serverEnv, ...settingsOf(options), RANKCAST_TOKEN_SECRET: tokenSecret },
    closers,
  );
  await server.ready(signal);

  const boardSet = loadBoards();
  const board = defaultBoard(boardSet);
  const layout = scoreLayoutOf(board, boardSet.modes, currentSeason(boardSet.calendar, Date.now()));
  const maxPoints = layout.keys[0]?.max ?? 0;
  const random = seededRandom(options.seed);
  const { sockets, improve, spread } = options;
  const planner = new ResultPlanner({ players: sockets, maxPoints, improve, spread, random });
  const pairs = chooseFriendPairs(sockets, options.friends, random);
  await writeFriendships(place.pool, pairs, (index) => planner.players[index]?.playerId ?? '');

  const producer = new ResultProducer(place.kafka, place.topic, board.modes[0] ?? '');
  closers.push(() => producer.close());
  await producer.connect();
  const load = new ResultLoad(planner, producer);
  await load.sendFirst();
  await untilConsidered(server, producer.acknowledged.length, signal);

  const tokens = new PlayerTokens(tokenSecret);
  const audience = new Audience({
    url: server.url,
    boardId: board.boardId,
    topSize: board.topSize,
    topShare: options.topShare,
    players: planner.players,
    friends: friendsOfEach(sockets, pairs),
    sign: (playerId) => tokens.sign(playerId, TOKEN_LIFETIME_SEC),
  });
  closers.push(() => audience.close());
  const connectingFromMs = performance.now();
  await audience.connect(signal);
  progress(`${audience.size} sockets show their windows after ${Math.round(performance.now() - connectingFromMs)} ms`);

  const running = load.start(options, signal);
  audience.measureFrom(running.measuredFromMs);
  const usage = await watch(running, server, audience, producer, signal);
  await producer.settle();
  const outcome = await reckonWhenQuiet({ server, pool: place.pool, producer, audience, layout }, signal);
  for (const failure of producer.failures.slice(0, 3)) progress(`a send was not acknowledged: ${failure}`);
  for (const difference of outcome.differences) progress(`mismatch: ${difference}`);
  const friendsAvg = (2 * pairs.length) / sockets;
  const { produced } = producer;
  return {
    options,
    versions: place.versions,
    friendsAvg,
    produced,
    outcome,
    usage,
    lag: load.lag,
    acknowledgements: load.acknowledgements,
    audience,
  };
}

function settingsOf({ tick }: FanoutOptions): Record<string, string> {
  return { RANKCAST_HOST: '127.0.0.1', ...(tick === null ? {} : { RANKCAST_TICK_MS: String(tick) }) };
}

function startServer(env: Readonly<Record<string, string>>, closers: Close[]): ServerProcess {
  const server = ServerProcess.start(env);
  closers.push(async () => {
    if (!(await server.stop())) progress(`the server did not stop in order, see ${server.logFile}`);
  });
  progress(`the server's log: ${server.logFile}`);
  return server;
}

/** Everybody is ranked before anybody watches. */
async function untilConsidered(server: ServerProcess, results: number, signal: AbortSignal): Promise<void> {
  const deadlineAt = performance.now() + FIRST_RESULTS_LIMIT_MS;
  for (;;) {
    const considered = (await server.metrics()).sum('rankcast_results_total');
    if (considered >= results) return;
    if (performance.now() > deadlineAt) {
      const limit = `${FIRST_RESULTS_LIMIT_MS / 1_000} s`;
      throw new Error(`the ranking has considered ${considered} of the first ${results} results after ${limit}`);
    }
    await sleep(100, undefined, { signal });
  }
}

/** Reads the usage at both ends of the measured window, and tells a waiting person how it goes. */
async function watch(
  running: RunningLoad,
  server: ServerProcess,
  audience: Audience,
  producer: ResultProducer,
  signal: AbortSignal,
): Promise<Usage> {
  const telling = setInterval(() => {
    const { produced, acknowledged } = producer;
    const p99 = audience.pushes.count === 0 ? 'warming up' : `push p99 ${audience.pushes.percentileMs(99)} ms`;
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

function rejectionBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const refuse = (): void => reject(new Error('the run was cut off: interrupted, or over its time limit'));
    if (signal.aborted) refuse();
    signal.addEventListener('abort', refuse, { once: true });
  });
}
