/**
 * The composition root: builds everything from a checked configuration, starts it in the written order, stops it in
 * reverse. Start: admin port, database, ranking, log, friends, views, sockets, port, consumers. So the stop ends
 * consuming first, then tells the clients, and the database goes last.
 */

import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { SUBPROTOCOL } from '../proto/frames.js';
import { startRanking, startTruth } from './app/consumers.js';
import { startReconcileJob } from './app/reconcile-job.js';
import { startAdmin, startServing } from './app/serving.js';
import { openStores } from './app/stores.js';
import { loadBoards } from './boards.js';
import type { Config } from './config.js';
import type { BoardSet } from './domain/board.js';
import { BoardSeasons } from './domain/board-season.js';
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

/**
 * Starts a server; what had been started is stopped again where a later step fails, or when `signal` says so meanwhile
 * (then it rejects with StoppedError).
 */
export async function startApp(config: Config, logger: Logger, signal: AbortSignal): Promise<App> {
  const lifecycle = new Lifecycle({ logger });
  const readiness = new Readiness();
  const stopping = new AbortController();
  const stop = (): Promise<readonly string[]> => {
    readiness.drain();
    stopping.abort();
    return lifecycle.stop();
  };
  signal.addEventListener('abort', () => void stop(), { once: true });
  try {
    return { ...(await startParts(config, logger, lifecycle, readiness, stopping.signal)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(
  config: Config,
  logger: Logger,
  lifecycle: Lifecycle,
  readiness: Readiness,
  stopping: AbortSignal,
): Promise<Omit<App, 'stop'>> {
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
  // Without the gateway role nobody checks a player's token here; the friends routes then refuse every one.
  const tokens = new PlayerTokens(config.tokenSecret ?? randomBytes(32).toString('hex'));
  const isServing = config.roles.includes('gateway') || config.roles.includes('intake');
  const parts = { config, seasons, stores, lifecycle, logger, metrics };
  const serving = { ...parts, tokens, uws, readiness, reports, build: version };
  const served = isServing ? await startServing(serving) : null;
  const port = served?.port ?? null;
  const consuming = { ...parts, stopping };
  if (config.roles.includes('truth')) await startTruth(consuming);
  if (config.roles.includes('ranking')) await startRanking(consuming);
  if (config.roles.includes('truth')) await startReconcileJob(consuming, config.reconcileMs);
  readiness.serve();
  logger.info({ port, adminPort, roles: config.roles, stores: config.stores.kind, uws: packageName }, 'server.ready');
  return { port, adminPort, boardSet, log: stores.log, tokens, friends: served?.friends ?? null };
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
