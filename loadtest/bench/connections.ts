/**
 * `npm run bench -- connections`: memory of a gateway per connection that watches its own rank and its friends, of whom a share
 * is online, after a full collection. Kernel memory of the sockets is not in it.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PlayerTokens } from '../../src/ops/player-tokens.js';
import { friendsOfEach } from '../lib/friend-pairs.js';
import { type Close, runGuarded } from '../lib/guarded-run.js';
import { parseOptions, readNumber } from '../lib/option-values.js';
import { printFigures, progress } from '../lib/report.js';
import { enterPlace } from '../lib/run-place.js';
import { environmentWithoutSettings } from '../lib/server-process.js';
import { writeFriendships } from '../lib/truth-rows.js';
import { ALL_FROM_ONE_ADDRESS } from '../lib/wide-limits.js';
import { seededRandom } from '../lib/zipf.js';
import { FilledBoard } from './gateway/filled-board.js';
import type { ServerReport } from './gateway/measured-server.js';
import { QuietSocket } from './gateway/quiet-socket.js';

const DEFAULTS = { sockets: '5000', friends: '200', online: '0.2', seed: '1' };
const PROGRAM = fileURLToPath(new URL('./gateway/measured-server.ts', import.meta.url));
const LIMIT_MS = 600_000;
const CONNECTING = 50;
/** Then what the server keeps for those who come at the same time is gone. */
const SETTLING_MS = 3_000;
/** Sessions of which the compiler and the pools are warm; nobody of the others is a friend of theirs. */
const WARM_UP = 500;

export async function benchConnections(args: readonly string[], interrupted: AbortSignal): Promise<void> {
  const values = parseOptions(args, DEFAULTS);
  const sockets = readNumber('sockets', values.sockets, { min: 10, max: 15_000 });
  const friends = readNumber('friends', values.friends, { min: 1, max: 1_000 });
  const online = readNumber('online', values.online, { min: 0.01, max: 1, isWhole: false });
  const random = seededRandom(readNumber('seed', values.seed, { min: 0, max: 2 ** 32 - 1 }));
  await runGuarded(LIMIT_MS, interrupted, async (_signal, closers) => {
    await measure({ sockets, friends, online, random }, closers);
  });
}

interface Options {
  readonly sockets: number;
  readonly friends: number;
  readonly online: number;
  readonly random: () => number;
}

async function measure({ sockets, friends, online, random }: Options, closers: Close[]): Promise<void> {
  const place = await enterPlace();
  closers.push(() => place.leave());
  const { RANKCAST_REDIS_URL: url = '', RANKCAST_REDIS_PREFIX: prefix = '' } = place.serverEnv;
  const board = new FilledBoard(url, prefix);
  closers.push(() => board.close());
  const warmUp = crowdOf(0, WARM_UP, online);
  const crowd = crowdOf(warmUp.players, sockets, online);
  const players = warmUp.players + crowd.players;
  const idOf = (index: number): string => `player-${index}`;
  await board.fill(
    Array.from({ length: players }, (_, index) => ({ playerId: idOf(index), points: index, achievedAt: Date.now() })),
  );
  const secret = randomBytes(32).toString('hex');
  const server = await startServer(
    { ...place.serverEnv, ...ALL_FROM_ONE_ADDRESS, RANKCAST_TOKEN_SECRET: secret },
    closers,
  );
  const pairs = [warmUp, crowd].flatMap((one) => pairsOf(one, { friends, online, random }));
  await writeFriendships(place.pool, [...new Map(pairs.map((pair) => [keyOf(pair), pair])).values()], idOf);
  const friendsOf = friendsOfEach(players, pairs);
  progress(`${players} players ranked, ${pairs.length} friendships`);

  const tokens = new PlayerTokens({ secret });
  const open = async ({ first, sockets: count }: Crowd): Promise<void> => {
    for (let index = first; index < first + count; index += CONNECTING) {
      const some = Array.from({ length: Math.min(CONNECTING, first + count - index) }, async (_, step) => {
        const socket = new QuietSocket(
          `ws://127.0.0.1:${server.port}/v1/socket`,
          await tokens.sign(idOf(index + step), 3_600),
        );
        closers.push(() => socket.close());
        await socket.open();
      });
      await Promise.all(some);
    }
  };
  await open(warmUp);
  await sleep(SETTLING_MS);
  const before = await server.memory();
  await open(crowd);
  await sleep(SETTLING_MS);
  const after = await server.memory();
  printFigures({
    ...{ sockets, friends, online, players },
    friends_avg: friendsOf.slice(crowd.first, crowd.first + sockets).reduce(addSize, 0) / sockets,
    rss_bytes_per_connection: Math.round((after.rssBytes - before.rssBytes) / sockets),
    heap_bytes_per_connection: Math.round((after.heapBytes - before.heapBytes) / sockets),
    rss_mib: after.rssBytes / 2 ** 20,
    node: process.version,
  });
}

/** Players and those of them who are online, who come first. */
interface Crowd {
  readonly first: number;
  readonly players: number;
  readonly sockets: number;
}

function crowdOf(first: number, sockets: number, online: number): Crowd {
  return { first, players: Math.ceil(sockets / online), sockets };
}

/** Only who is online needs his list; each friend is anybody, but of the same crowd: players whom the others watch already would cost nothing. */
function pairsOf(
  { first, players, sockets }: Crowd,
  { friends, online, random }: Omit<Options, 'sockets'>,
): (readonly [number, number])[] {
  return Array.from({ length: Math.round((sockets * friends) / (1 + online)) }, () => {
    return [first + Math.floor(random() * sockets), first + Math.floor(random() * players)] as const;
  }).filter(([one, other]) => one !== other);
}

function addSize(sum: number, list: readonly number[]): number {
  return sum + new Set(list).size;
}

function keyOf([one, other]: readonly [number, number]): string {
  return `${Math.min(one, other)} ${Math.max(one, other)}`;
}

type Memory = ServerReport & { readonly kind: 'memory' };

async function startServer(
  env: Readonly<Record<string, string>>,
  closers: Close[],
): Promise<{ readonly port: number; memory(): Promise<Memory> }> {
  const child = fork(PROGRAM, {
    execArgv: ['--import', 'tsx', '--expose-gc', '--min-semi-space-size=32', '--max-semi-space-size=32'],
    env: {
      ...environmentWithoutSettings(),
      ...{ RANKCAST_PORT: '0', RANKCAST_ADMIN_PORT: '0', RANKCAST_HOST: '127.0.0.1', RANKCAST_ROLES: 'gateway,intake' },
      ...{ RANKCAST_DRAIN_SEC: '0', ...env },
    },
  });
  closers.push(async () => {
    if (child.exitCode !== null) return;
    const ended = once(child, 'exit');
    if (child.connected) child.disconnect();
    await ended;
  });
  const ready = await nextReport(child);
  if (ready.kind !== 'ready') throw new Error('the server did not start');
  return {
    port: ready.port,
    async memory() {
      child.send('memory');
      const report = await nextReport(child);
      if (report.kind !== 'memory') throw new Error('the server told something else');
      return report;
    },
  };
}

async function nextReport(child: ChildProcess): Promise<ServerReport> {
  const [report] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the server ended with ${code}`))),
  ])) as [ServerReport];
  return report;
}
