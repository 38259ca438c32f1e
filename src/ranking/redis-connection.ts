/** The one fence around ioredis: connections, script calls and the checks at start. */

import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { StartRefusedError, StoreUnavailableError } from '../domain/errors.js';
import type { Script } from './script-loader.js';

export type { Redis } from 'ioredis';

export interface RedisConnectionOptions {
  readonly url: string;
  readonly name: string;
  readonly logger: Logger;
  /** A blocking reader waits for its server for ever; others give up after a few tries, so that callers can say 503. */
  readonly isBlocking?: boolean;
  /** The server answered that it is read-only: a failover has happened, other connections should look for it as well. */
  readonly onReadOnly?: () => void;
}

/**
 * Longest silence of a connection that waits for an answer; a script takes milliseconds, the feed's blocking read 250 ms.
 * Repeating what was cut off is safe: calls carry their positions.
 */
const SILENCE_MS = 5_000;

/** Opens a connection that comes back by itself, also from a server that became read-only in a failover. */
export function connectRedis(options: RedisConnectionOptions): Redis {
  const redis = new Redis(options.url, {
    // RESP3 in ioredis 6.0.0 misreads the top integers below 2^53; scores cross as decimal text anyway.
    protocol: 2,
    connectionName: `rankcast-${options.name}`,
    maxRetriesPerRequest: options.isBlocking === true ? null : 3,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 5), 1_000),
    // Calls of one event-loop turn (a batch of each partition, its chunks) leave in one system call.
    enableAutoPipelining: options.isBlocking !== true,
    // A server that vanished without a word would otherwise hold every call until TCP gives up, a quarter of an hour.
    socketTimeout: SILENCE_MS,
    // An address that takes connections and closes them, as a balancer's with no server left, is never silent long enough.
    ...(options.isBlocking !== true && { commandTimeout: SILENCE_MS }),
    // 2: reconnect and send the failed command again. Redis 6 wraps a script's error in a text of its own.
    reconnectOnError: (error) => {
      if (!error.message.includes('READONLY')) return false;
      options.onReadOnly?.();
      return 2;
    },
  });
  redis.on('error', (error: Error) =>
    options.logger.warn({ err: error.message, connection: options.name }, 'redis.error'),
  );
  return redis;
}

/** Runs a script by its hash, and by its text where the server does not know it (restart, flush, failover). */
export async function runScript(
  redis: Redis,
  script: Script,
  keys: readonly string[],
  args: readonly (string | number | Buffer)[],
): Promise<readonly unknown[]> {
  try {
    try {
      return (await redis.evalsha(script.sha, script.keyCount, ...keys, ...args)) as readonly unknown[];
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return (await redis.eval(script.source, script.keyCount, ...keys, ...args)) as readonly unknown[];
    }
  } catch (error) {
    throw asStoreError(script.name, error);
  }
}

/** Everything but a bug of ours (BADARG, a script that does not compile) can go away without a change of ours. */
function asStoreError(what: string, error: unknown): unknown {
  if (!(error instanceof Error) || error.message.startsWith('BADARG')) return error;
  return new StoreUnavailableError(`Redis could not run ${what}: ${error.message}`, { cause: error });
}

const OLDEST_REDIS = [6, 2] as const;

/** Refuses a server that may evict keys (a board would silently lose players) or is too old for `ZADD GT`. */
export async function checkRedis(redis: Redis): Promise<{ version: string }> {
  let text: string;
  try {
    text = await redis.info();
  } catch (error) {
    throw new StartRefusedError(`Redis does not answer (${String(error)}): check RANKCAST_REDIS_URL`, { cause: error });
  }
  const field = (name: string): string => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(text)?.[1] ?? '';
  const version = field('redis_version');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < OLDEST_REDIS[0] || (major === OLDEST_REDIS[0] && minor < OLDEST_REDIS[1])) {
    throw new StartRefusedError(`Redis ${version} is too old: Rankcast needs 6.2 or newer`);
  }
  if (field('redis_mode') === 'cluster') {
    throw new StartRefusedError('Redis runs as a cluster, which this version cannot use: name a single primary');
  }
  if (field('role') !== 'master' || field('master_replid') === '') {
    throw new StartRefusedError(
      'RANKCAST_REDIS_URL names no Redis primary: name the primary, replicas cannot be written to',
    );
  }
  const policy = field('maxmemory_policy');
  if (policy !== 'noeviction') {
    throw new StartRefusedError(
      `Redis runs with maxmemory-policy ${policy} and may throw boards away: set "maxmemory-policy noeviction" and start again`,
    );
  }
  return { version };
}
