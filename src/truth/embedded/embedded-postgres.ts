/** The database of a small studio: a real PostgreSQL that npm brought, run as a child on a data folder. */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from 'pino';
import { StartRefusedError } from '../../domain/errors.js';
import { findBinaries } from './binaries.js';
import { chooseHomeDir, openCluster, SUPERUSER } from './cluster-folder.js';
import { lockFolder } from './folder-lock.js';
import { messageOf } from './messages.js';
import type { PostmasterOptions } from './postmaster.js';
import { runPostmaster, stopPostmaster } from './postmaster.js';
import { chooseServerUser } from './server-user.js';

export interface EmbeddedPostgresOptions {
  /** Made when missing. Holds the files, the password (mode 0600) and the server's log. */
  readonly dataDir: string;
  readonly logger: Logger;
  /** `durable` (default) for the truth; `none` survives our death but not a power cut, for test servers. */
  readonly durability?: 'durable' | 'none';
  /** Default 100, of which one is ours and three are PostgreSQL's own. */
  readonly maxConnections?: number;
}

export interface EmbeddedPostgres {
  /** Carries the password: never log it. The host is 127.0.0.1, the port a free one, another after each start. */
  readonly url: string;
  /** As PostgreSQL says it, such as `18.4`. */
  readonly version: string;
  readonly pid: number;
  /** Stops the server, waits until it is gone, frees the folder. Every call gives the same promise. */
  stop(): Promise<void>;
  /** Frees the folder and leaves the server running; the next start takes it over. */
  detach(): Promise<void>;
}

/** Fit for a small machine; the rest is PostgreSQL's default. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '128MB',
  // A fold of a whole season locks each day's table and indexes: five years of days take some 10,000 locks, two folds at
  // once twice that. With 100 connections there is room for 51,200, in about 15 MB.
  max_locks_per_transaction: '512',
  // Short statements only: compiling them costs more than it saves.
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

const NO_DURABILITY: Readonly<Record<string, string>> = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
};

/**
 * Starts the database in `dataDir`, or takes over the server that a killed process left running on it.
 *
 * @throws {StartRefusedError} with one sentence: no binaries for this machine, a folder that cannot be used, another
 * living rankcast on it, or PostgreSQL's own reason.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = path.resolve(options.dataDir);
  const logger = options.logger;
  const user = chooseServerUser();
  const homeDir = await chooseHomeDir(dataDir, user);
  if (homeDir !== dataDir)
    logger.info({ dataDir, homeDir }, 'the user postgres cannot enter the data folder; using another');
  const binaries = await findBinaries(homeDir, user);
  const cluster = await openCluster(homeDir, binaries, user);
  const run: PostmasterOptions = {
    binaries,
    user,
    clusterDir: cluster.clusterDir,
    logFile: path.join(homeDir, 'server.log'),
    settings: {
      ...SETTINGS,
      max_connections: String(options.maxConnections ?? 100),
      ...(options.durability === 'none' ? NO_DURABILITY : {}),
    },
  };
  const postmaster = await runPostmaster(run);
  const url = `postgresql://${SUPERUSER}:${cluster.password}@127.0.0.1:${postmaster.port}/postgres`;
  const lock = await lockFolder(url, dataDir, logger).catch(async (error: unknown) => {
    // When another process holds the folder, the server is its server now, also if we started it.
    if (error instanceof StartRefusedError) throw error;
    if (!postmaster.isAdopted) await stopPostmaster(run, postmaster);
    throw new StartRefusedError(
      `The embedded PostgreSQL in ${homeDir} runs but cannot be used: ${messageOf(error)} (set RANKCAST_DATABASE_URL to use another).`,
      { cause: error },
    );
  });
  logger.info({ pid: postmaster.pid, port: postmaster.port, isAdopted: postmaster.isAdopted }, 'PostgreSQL is running');

  let isLeaving = false;
  void postmaster.exited.then(() => {
    if (!isLeaving && !postmaster.isAdopted) logger.error({ logFile: run.logFile }, 'PostgreSQL ended on its own');
  });
  const leave = async (): Promise<void> => {
    isLeaving = true;
    await lock.release();
  };
  let stopping: Promise<void> | null = null;
  return {
    url,
    version: binaries.version,
    pid: postmaster.pid,
    stop() {
      stopping ??= leave().then(async () => {
        const isGone = await stopPostmaster(run, postmaster);
        if (!isGone) logger.error({ pid: postmaster.pid }, 'PostgreSQL is still stopping; the next start waits for it');
      });
      return stopping;
    },
    detach: leave,
  };
}

/** Removes a stopped database, wherever its files lie. For test servers: nothing asks twice. */
export async function removeEmbeddedPostgres(dataDir: string): Promise<void> {
  const folder = path.resolve(dataDir);
  const homeDir = await chooseHomeDir(folder, chooseServerUser());
  await rm(homeDir, { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
}
