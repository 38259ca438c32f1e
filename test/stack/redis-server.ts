/** Plain redis-server processes on free ports, without persistence: one for the stack, more for failover tests. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Redis } from 'ioredis';
import type { ProcessMark } from './child-process.js';
import {
  findFreePort,
  isOnPath,
  isSameProcessAlive,
  startDetached,
  stopProcess,
  waitUntilReady,
} from './child-process.js';
import { installPackages } from './debian.js';
import { stackDir } from './folders.js';

export interface RedisServerOptions {
  /** Default: a free one. */
  readonly port?: number;
  readonly replicaOf?: { readonly host: string; readonly port: number };
  /** More of redis-server's own arguments, such as `['--maxmemory', '64mb']`. */
  readonly extraArgs?: readonly string[];
}

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly mark: ProcessMark;
  /** Such as `7.0.15`. */
  readonly version: string;
  /** Runs one command on it, past any proxy. */
  command(name: string, ...args: string[]): Promise<unknown>;
  /** Ends it and waits until it is gone. */
  stop(): Promise<void>;
  /** The same by SIGKILL: what a crash looks like to clients. */
  kill(): Promise<void>;
}

/** Resolves when the server answers; a replica, when its link to the master is up. */
export async function startRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  if (!isOnPath('redis-server')) {
    await installPackages(['redis-server'], 'Install redis-server (7.0 or newer), or set RANKCAST_TEST_REDIS_URL.');
  }
  const port = options.port ?? (await findFreePort());
  const dir = path.join(stackDir, 'redis');
  await mkdir(dir, { recursive: true });
  const logFile = path.join(dir, `${port}.log`);
  const mark = await startDetached({
    command: 'redis-server',
    args: [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', '', '--appendonly', 'no'],
      ...['--maxmemory-policy', 'noeviction', '--repl-diskless-sync-delay', '0', '--daemonize', 'no'],
      ...(options.replicaOf ? ['--replicaof', options.replicaOf.host, String(options.replicaOf.port)] : []),
      ...(options.extraArgs ?? []),
    ],
    logFile,
  });
  const url = `redis://127.0.0.1:${port}`;
  const version = await waitUntilReady('redis-server', mark, logFile, () =>
    askRedis(url, options.replicaOf !== undefined),
  );
  return {
    url,
    port,
    pid: mark.pid,
    mark,
    version,
    async command(name, ...args) {
      const client = new Redis(url, { retryStrategy: () => null });
      try {
        return await client.call(name, ...args);
      } finally {
        client.disconnect();
      }
    },
    async stop() {
      await stopProcess(mark);
    },
    async kill() {
      if (isSameProcessAlive(mark)) await stopProcess(mark, { signal: 'SIGKILL' });
    },
  };
}

/** The version of the Redis at that address. @throws when it does not answer, or is a replica without its master. */
export async function askRedis(url: string, mustBeLinked = false): Promise<string> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const text = await client.info();
    if (mustBeLinked && !text.includes('master_link_status:up')) throw new Error('the replica is not linked yet');
    return /redis_version:(\S+)/.exec(text)?.[1] ?? 'unknown';
  } finally {
    client.disconnect();
  }
}
