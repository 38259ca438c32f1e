/** Starts what people and game servers talk to: sockets, the HTTP API, the pages, and the admin port. */

import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { CloseCode } from '../../proto/close-codes.js';
import { ResyncWhy } from '../../proto/frames.js';
import type { Config } from '../config.js';
import type { BoardSeasons } from '../domain/board-season.js';
import { FlushSchedule } from '../gateway/flush-schedule.js';
import { type DrainOptions, Gateway, type GatewayCounters } from '../gateway/gateway.js';
import { BoardHubs, type ViewReports } from '../gateway/hub-directory.js';
import { TickPace } from '../gateway/tick-pace.js';
import type { UwsModule } from '../gateway/uws.js';
import { UwsServer } from '../gateway/uws-server.js';
import type { SocketEndpoint } from '../gateway/uws-sockets.js';
import { apiRoutes } from '../http/api-routes.js';
import { Endpoint } from '../http/endpoint.js';
import { adminRoutes } from '../http/health-routes.js';
import { staticPages } from '../http/static-pages.js';
import type { Lifecycle } from '../ops/lifecycle.js';
import type { Metrics } from '../ops/metrics.js';
import type { PlayerTokens } from '../ops/player-tokens.js';
import type { Readiness } from '../ops/readiness.js';
import { FriendGraph } from '../social/friend-graph.js';
import { Receipts } from '../truth/receipts.js';
import { type AccessStores, accessStores, startAuthenticator } from './access.js';
import type { OpenStores } from './stores.js';

export interface ServingOptions {
  readonly config: Config;
  readonly seasons: BoardSeasons;
  readonly stores: OpenStores;
  readonly tokens: PlayerTokens;
  readonly uws: UwsModule;
  readonly lifecycle: Lifecycle;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly reports: ViewReports;
  /** What WELCOME names. */
  readonly build: string;
  /** Whether other workers of this server listen beside us. */
  readonly isPortShared: boolean;
}

export const SOCKET_PATH = '/v1/socket';

/** Beside the compiled code; the sources have none. */
const PAGES_FOLDER = fileURLToPath(new URL('../../pages', import.meta.url));

/** Health and metrics, from before anything else is up. */
export async function startAdmin(
  options: Pick<ServingOptions, 'config' | 'uws' | 'lifecycle' | 'logger' | 'metrics' | 'readiness'>,
): Promise<number> {
  const { config, uws, lifecycle, logger, metrics, readiness } = options;
  const http = new Endpoint({ routes: adminRoutes(readiness, metrics), logger });
  const server = await lifecycle.start(
    'admin port',
    () => UwsServer.listen({ uws, ...config.admin, http, sockets: null }),
    (started) => started.stopListening(),
  );
  return server.port;
}

export interface Serving {
  readonly port: number;
  readonly friends: FriendGraph;
  /** Takes no new connections, and sends the clients elsewhere while all goes on. */
  drain(options: DrainOptions): Promise<void>;
}

/** Sockets and HTTP on one port. */
export async function startServing(options: ServingOptions): Promise<Serving> {
  const { config, seasons, stores, tokens, uws, lifecycle, logger, readiness, isPortShared } = options;
  const friends = await lifecycle.start(
    'friend graph',
    async () => {
      const graph = new FriendGraph({ pool: stores.pool, logger });
      await graph.start();
      return graph;
    },
    (graph) => graph.close(),
  );
  const access = accessStores(stores.pool);
  const gateway = config.roles.includes('gateway') ? await startGateway(options, friends, access) : null;
  const routes = [
    ...apiRoutes({
      seasons,
      reader: stores.ranking,
      progress: stores.ranking,
      results: new Receipts(stores.pool),
      appender: stores.log,
      friends,
      tokens,
      keys: access.keys,
      tickets: access.tickets,
      ingestToken: config.roles.includes('intake') ? config.ingestToken : null,
      readiness,
    }),
    ...(config.roles.includes('gateway') ? staticPages(PAGES_FOLDER) : []),
  ];
  const sockets = gateway === null ? null : socketEndpoint(gateway, options);
  const server = await lifecycle.start(
    'port',
    () => UwsServer.listen({ uws, ...config.listen, isPortShared, http: new Endpoint({ routes, logger }), sockets }),
    (started) => started.stopListening(),
  );
  return {
    port: server.port,
    friends,
    drain: async (rules) => {
      server.stopListening();
      await gateway?.drain(rules);
    },
  };
}

async function startGateway(options: ServingOptions, friends: FriendGraph, access: AccessStores): Promise<Gateway> {
  const { config, seasons, stores, tokens, lifecycle, logger, metrics, reports, build } = options;
  const pace = await lifecycle.start(
    'tick pace',
    () => {
      const started = new TickPace({ tickMs: config.tickMs });
      started.start();
      return started;
    },
    (started) => started.stop(),
  );
  const schedule = new FlushSchedule(pace, (error) => logger.error({ err: error }, 'gateway.flush_failed'));
  const hubs = await lifecycle.start(
    'board views',
    () => {
      const countReload = (why: string): void => metrics.reloads.inc({ why });
      const reader = stores.ranking;
      const maxLists = config.limits.lists;
      const countWrong = (ranks: number): void => metrics.wrongRanks.inc(ranks);
      const told = { countReload, countWrong, reports };
      const started = new BoardHubs({ seasons, reader, schedule, maxLists, logger, ...told });
      started.start();
      return started;
    },
    (started) => started.close(),
  );
  const { limits, tokens: tokenConfig } = config;
  const { graceMs, isAnonymousAllowed } = tokenConfig;
  const authenticator = await startAuthenticator({ access, tokens, isAnonymousAllowed, lifecycle, logger });
  const counters = countersOf(metrics);
  const rules = { authenticator, limits, graceMs };
  return await lifecycle.start(
    'sockets',
    () => new Gateway({ ...rules, friends, directory: hubs, schedule, counters, logger, build }),
    (started) => started.close(),
  );
}

function socketEndpoint(gateway: Gateway, { config, metrics }: ServingOptions): SocketEndpoint {
  return {
    path: SOCKET_PATH,
    allowedOrigins: config.allowedOrigins,
    trustedProxies: config.trustedProxies,
    limits: config.limits,
    onRefused: (reason) => metrics.handshakesRefused.inc({ reason }),
    open: (socket, handshake) => gateway.open(socket, handshake),
  };
}

/** What clients choose must not choose labels: each new one is a series that stays. */
const RESYNC_LABELS: Readonly<Record<number, string>> = {
  [ResyncWhy.gap]: 'gap',
  [ResyncWhy.checksum]: 'checksum',
};
const KNOWN_CODES: ReadonlySet<number> = new Set(Object.values(CloseCode));

function isKnownCode(code: number): boolean {
  // RFC 6455 has 16 of its own.
  return (code >= 1_000 && code <= 1_015) || KNOWN_CODES.has(code);
}

function countersOf(metrics: Metrics): GatewayCounters {
  return {
    opened: () => metrics.connections.inc(),
    closed: (code) => {
      metrics.connections.dec();
      metrics.disconnects.inc({ code: isKnownCode(code) ? String(code) : 'other' });
    },
    sent: (bytes) => {
      metrics.sent.messages += 1;
      metrics.sent.bytes += bytes;
    },
    received: (type) => metrics.framesReceived.inc({ type: type < 0 ? 'unknown' : String(type) }),
    conflated: () => metrics.conflations.inc(),
    blocked: (outbox) => metrics.blockedOutboxes.add(outbox),
    unblocked: (outbox) => metrics.blockedOutboxes.delete(outbox),
    resynced: (why) => metrics.resyncs.inc({ why: RESYNC_LABELS[why] ?? 'other' }),
    topic: (kind, step) => metrics.topics.inc({ kind }, step),
    pushed: (delayMs) => metrics.resultToPush.observe(delayMs / 1_000),
  };
}
