/** The parts that runs over the real services share: server, producer and audience, each closed with the run. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Board } from '../../src/domain/board.js';
import { PlayerTokens } from '../../src/ops/player-tokens.js';
import { Audience, type AudienceOptions } from './audience.js';
import { chooseFriendPairs, friendsOfEach } from './friend-pairs.js';
import type { Close } from './guarded-run.js';
import type { WatchedPlayer } from './players.js';
import { progress } from './report.js';
import { ResultProducer } from './result-producer.js';
import type { RunPlace } from './run-place.js';
import { ServerProcess } from './server-process.js';
import { writeFriendships } from './truth-rows.js';
import { ALL_FROM_ONE_ADDRESS } from './wide-limits.js';

const FIRST_RESULTS_LIMIT_MS = 30_000;
const TOKEN_LIFETIME_SEC = 24 * 3_600;

export function startServer(env: Readonly<Record<string, string>>, closers: Close[]): ServerProcess {
  const server = ServerProcess.start({ RANKCAST_HOST: '127.0.0.1', ...ALL_FROM_ONE_ADDRESS, ...env });
  closers.push(async () => {
    if (!(await server.stop())) progress(`the server did not stop in order, see ${server.logFile}`);
  });
  progress(`the server's log: ${server.logFile}`);
  return server;
}

export async function connectProducer(
  { kafka, topic }: RunPlace,
  { modes }: Board,
  closers: Close[],
): Promise<ResultProducer> {
  const producer = new ResultProducer(kafka, topic, modes[0] ?? '');
  closers.push(() => producer.close());
  await producer.connect();
  return producer;
}

/** Everybody is ranked before anybody watches. */
export async function untilConsidered(server: ServerProcess, results: number, signal: AbortSignal): Promise<void> {
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

export interface FriendsOfRun {
  readonly friendsOfEach: readonly (readonly number[])[];
  readonly average: number;
}

/** Before anybody connects. */
export async function makeFriends(
  pool: Pool,
  players: readonly WatchedPlayer[],
  friends: number,
  random: () => number,
): Promise<FriendsOfRun> {
  const pairs = chooseFriendPairs(players.length, friends, random);
  await writeFriendships(pool, pairs, (index) => players[index]?.playerId ?? '');
  return { friendsOfEach: friendsOfEach(players.length, pairs), average: (2 * pairs.length) / players.length };
}

/** Resolves when every window of every socket shows something. */
export async function connectAudience(
  options: Omit<AudienceOptions, 'sign'>,
  tokenSecret: string,
  closers: Close[],
  signal: AbortSignal,
): Promise<Audience> {
  const tokens = new PlayerTokens({ secret: tokenSecret });
  const audience = new Audience({ ...options, sign: (playerId) => tokens.sign(playerId, TOKEN_LIFETIME_SEC) });
  closers.push(() => audience.close());
  const connectingFromMs = performance.now();
  await audience.connect(signal);
  progress(`${audience.size} sockets show their windows after ${Math.round(performance.now() - connectingFromMs)} ms`);
  return audience;
}
