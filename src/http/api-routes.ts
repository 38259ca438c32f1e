/** All routes of the main port, in one table. */

import type { BoardSeasons } from '../domain/board-season.js';
import type { Readiness } from '../ops/readiness.js';
import { Access } from './access.js';
import { boardRoutes } from './board-routes.js';
import { friendRoutes } from './friend-routes.js';
import { healthRoutes } from './health-routes.js';
import type { Route } from './http.js';
import { keyRoutes } from './key-routes.js';
import { orderRoutes } from './order-routes.js';
import { receiptRoutes } from './receipt-routes.js';
import { resultRoutes } from './result-routes.js';
import { seasonRoutes } from './season-routes.js';
import type {
  Friends,
  KeyStore,
  ProgressReader,
  ResultAppender,
  ResultFinder,
  TicketIssuer,
  TokenVerifier,
  WindowReader,
} from './stores.js';
import { ticketRoutes } from './ticket-routes.js';
import { windowRoutes } from './window-routes.js';

export interface ApiOptions {
  readonly seasons: BoardSeasons;
  readonly reader: WindowReader;
  /** The ranking that `reader` reads. */
  readonly progress: ProgressReader;
  readonly results: ResultFinder;
  readonly appender: ResultAppender;
  readonly friends: Friends;
  readonly tokens: TokenVerifier;
  readonly keys: KeyStore;
  readonly tickets: TicketIssuer;
  /** The bearer token of game servers; `null` closes what is theirs, `POST /v1/results` first of all. */
  readonly ingestToken: string | null;
  readonly readiness: Readiness;
  /** The server's clock, epoch milliseconds. Default `Date.now`. */
  readonly now?: () => number;
}

export function apiRoutes(options: ApiOptions): readonly Route[] {
  const { seasons, reader, progress, results, appender, friends, keys, tickets, readiness, now = Date.now } = options;
  const access = new Access(options);
  const targets = { seasons, now };
  return [
    ...healthRoutes(readiness),
    ...boardRoutes(targets),
    ...windowRoutes({ targets, reader, friends, access }),
    ...seasonRoutes({ targets, reader }),
    ...resultRoutes({ boardSet: seasons.boardSet, access, appender, now }),
    ...orderRoutes({ boardSet: seasons.boardSet, access, appender, results, now }),
    ...receiptRoutes({ targets, results, progress, reader, access }),
    ...friendRoutes({ friends, access }),
    ...keyRoutes({ boardSet: seasons.boardSet, access, keys }),
    ...ticketRoutes({ access, tickets, now }),
  ];
}
