/** All routes of the main port, in one table. */

import type { BoardSeasons } from '../domain/board-season.js';
import type { Readiness } from '../ops/readiness.js';
import { Access } from './access.js';
import { boardRoutes } from './board-routes.js';
import { friendRoutes } from './friend-routes.js';
import { healthRoutes } from './health-routes.js';
import type { Route } from './http.js';
import { orderRoutes } from './order-routes.js';
import { receiptRoutes } from './receipt-routes.js';
import { resultRoutes } from './result-routes.js';
import { seasonRoutes } from './season-routes.js';
import type { Friends, ProgressReader, ResultAppender, ResultFinder, TokenVerifier, WindowReader } from './stores.js';
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
  /** The bearer token of game servers; `null` closes `POST /v1/results`. */
  readonly ingestToken: string | null;
  readonly readiness: Readiness;
  /** The server's clock, epoch milliseconds. Default `Date.now`. */
  readonly now?: () => number;
}

export function apiRoutes(options: ApiOptions): readonly Route[] {
  const { seasons, reader, progress, results, appender, friends, readiness, now = Date.now } = options;
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
  ];
}
