/**
 * The composition root: builds everything from a checked configuration, starts it in the written order, stops it in
 * reverse. Start: admin port, database, ranking, log, friends, views, sockets, port, consumers. Before the stop comes
 * the drain: no new connections, and the clients go elsewhere while all goes on. Then the stop ends consuming, sends the
 * last frames, closes the sockets that stayed, and the database goes last.
 */

import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { GoawayReason, SUBPROTOCOL } from '../proto/frames.js';
import { startRanking, startTruth } from './app/consumers.js';
import { startReconcileJob } from './app/reconcile-job.js';
import { type Serving, startAdmin, startServing } from './app/serving.js';
import { openStores } from './app/stores.js';
import { loadBoards } from './boards.js';
import type { Config } from './config.js';
import type { BoardSet } from './domain/board.js';
import { BoardSeasons } from './domain/board-season.js';
import type { DrainOptions } from './gateway/gateway.js';
import { loadUws } from './gateway/uws.js';
import { Lifecycle } from './ops/lifecycle.js';
import { Metrics } from './ops/metrics.js';
import { PlayerTokens } from './ops/player-tokens.js';
import { Readiness } from './ops/readiness.js';
import type { LogReports } from './results/reports.js';
import type { ResultLog } from './results/result-log.js';
import type { FriendGraph } from './social/friend-graph.js';
import { readVersion } from './version.js';

export interface App {
  /** Where players connect; `null` where no role serves them. */
  readonly port: number | null;
  readonly adminPort: number;
  readonly boardSet: BoardSet;
  readonly log: ResultLog;
  readonly tokens: PlayerTokens;
  /** `null` where no role serves players. */
  readonly friends: FriendGraph | null;
  /** Stops everything, once; answers the names of steps that failed to stop. */
  stop(): Promise<readonly string[]>;
}

export interface StartOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** Stops it. A GoawayReason as its `reason` is what clients are told. */
  readonly signal: AbortSignal;
  /** One of several processes that are one server and share its port. Default false. */
  readonly isWorker?: boolean;
}

/**
 * Starts a server; what had been started is stopped again where a later step fails, or when `signal` says so meanwhile
 * (then it rejects with StoppedError).
 */
export async function startApp(options: StartOptions): Promise<App> {
  const { config, logger, signal } = options;
  const lifecycle = new Lifecycle({ logger });
  const readiness = new Readiness();
  const stopping = new AbortController();
  let serving: Serving | null = null;
  let stopped: Promise<readonly string[]> | null = null;
  const stopInOrder = async (): Promise<readonly string[]> => {
    readiness.drain();
    await serving?.drain(drainOptions(config, signal.reason));
    stopping.abort();
    return await lifecycle.stop();
  };
  const stop = (): Promise<readonly string[]> => {
    stopped ??= stopInOrder();
    return stopped;
  };
  signal.addEventListener('abort', () => void stop(), { once: true });
  try {
    const { served, ...parts } = await startParts(options, lifecycle, readiness, stopping.signal);
    serving = served;
    return { ...parts, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Half of the grace is for coming back where the first try fails. */
function drainOptions({ stores, drainMs }: Config, reason: unknown): DrainOptions {
  // Without Redis there is one process, and its clients have nowhere else to go.
  const graceMs = stores.kind === 'full' ? drainMs : 0;
  return {
    reason: reason === GoawayReason.upgrade ? reason : GoawayReason.drain,
    spreadMs: Math.floor(graceMs / 2),
    graceMs,
  };
}

async function startParts(
  { config, logger, isWorker = false }: StartOptions,
  lifecycle: Lifecycle,
  readiness: Readiness,
  stopping: AbortSignal,
): Promise<Omit<App, 'stop'> & { readonly served: Serving | null }> {
  const { packageName, uws } = loadUws();
  const boardSet = loadBoards(config.boardsFile);
  const seasons = new BoardSeasons(boardSet);
  const version = readVersion();
  const metrics = new Metrics({ version, proto: SUBPROTOCOL });
  await lifecycle.start(
    'metrics',
    () => metrics,
    (started) => started.close(),
  );
  const adminPort = await startAdmin({ config, uws, lifecycle, logger, metrics, readiness });
  const reports = reportsOf(readiness, metrics, logger);
  const stores = await openStores({ config, seasons: boardSet.calendar.seasons, lifecycle, logger, metrics, reports });
  const tokens = playerTokens(config, logger);
  const isServing = config.roles.includes('gateway') || config.roles.includes('intake');
  const parts = { config, seasons, stores, lifecycle, logger, metrics };
  const serving = { ...parts, tokens, uws, readiness, reports, build: version, isPortShared: isWorker };
  const served = isServing ? await startServing(serving) : null;
  const port = served?.port ?? null;
  const consuming = { ...parts, stopping };
  if (config.roles.includes('truth')) await startTruth(consuming);
  if (config.roles.includes('ranking')) await startRanking(consuming);
  if (config.roles.includes('truth')) await startReconcileJob(consuming, config.reconcileMs);
  readiness.serve();
  const facts = { port, adminPort, roles: config.roles, stores: config.stores.kind, uws: packageName };
  // The server of a worker is ready when all are; the supervisor says so.
  logger.info(facts, isWorker ? 'worker.ready' : 'server.ready');
  return { port, adminPort, boardSet, log: stores.log, tokens, friends: served?.friends ?? null, served };
}

function playerTokens({ tokens }: Config, logger: Logger): PlayerTokens {
  return new PlayerTokens({
    ...tokens,
    // Where none is set, one that nobody knows: no HS256 token counts.
    secret: tokens.secret ?? randomBytes(32).toString('hex'),
    onKeysUnavailable: (error) => logger.error({ err: error }, 'tokens.keys_unavailable'),
  });
}

function reportsOf(readiness: Readiness, metrics: Metrics, logger: Logger): LogReports {
  return {
    ready: (name) => readiness.markReady(name),
    notReady: (name, reason) => readiness.markNotReady(name, reason),
    lag: (group, partition, records) => metrics.ingestLag.set({ group, partition: String(partition) }, records),
    lost: (group, partition, records) => {
      metrics.lostRecords.inc({ group }, records);
      logger.error({ group, partition, records }, 'log.records_lost');
    },
  };
}
