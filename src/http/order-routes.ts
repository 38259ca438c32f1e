/** Orders of game servers over HTTP: results taken back or corrected, players hidden and shown. Each is one record of the log. */

import type { BoardSet } from '../domain/board.js';
import { type ControlRecord, readControlRecord } from '../domain/control-record.js';
import { StoreUnavailableError } from '../domain/errors.js';
import { describeFinal, finalAt, finalSeasonAt } from '../domain/season.js';
import type { Access } from './access.js';
import { parseJson } from './body.js';
import { type HttpRequest, jsonResponse, type Route } from './http.js';
import { Problem } from './problem.js';
import type { ResultAppender, ResultFinder } from './stores.js';

export interface OrderRoutesOptions {
  readonly boardSet: BoardSet;
  readonly access: Access;
  readonly appender: ResultAppender;
  readonly results: ResultFinder;
  /** The server's clock, epoch milliseconds. */
  readonly now: () => number;
}

/**
 * Each answers 202 once its record is durable, 422 where it asks for what cannot be, 503 where it cannot be made durable now:
 * send it again, repeats are harmless. The open boards follow: at once where a player is hidden, else when truth has it.
 * A void or correction is answered 409 with the reason `season_final` where the result's season is final.
 *
 * `POST /v1/results/{matchId}/{playerId}/void`: takes one back, for good, also before it came.
 *
 * `POST /v1/results/{matchId}/{playerId}/correct` with `{"points":..., "mode"?:...}`: gives it other points, also before it
 * came; the last correction counts, a void outweighs it.
 *
 * `PUT` and `DELETE /v1/players/{playerId}/hidden`: takes the player out of the boards that rank players, and brings him back.
 */
export function orderRoutes(options: OrderRoutesOptions): readonly Route[] {
  const { boardSet, access, appender } = options;
  const route = (method: Route['method'], pattern: string, read: (request: HttpRequest) => unknown): Route => ({
    method,
    pattern,
    handle: async (request) => {
      access.requireGameServer(request);
      const record = checkRecord(await read(request), boardSet);
      if (record.kind === 'void' || record.kind === 'correct') await refuseWhereFinal(record, options);
      await appender.append([{ key: record.playerId, value: Buffer.from(JSON.stringify(toWire(record))) }]);
      return jsonResponse(202, { accepted: 1 });
    },
  });
  return [
    route('POST', '/v1/results/:matchId/:playerId/void', ({ params: [matchId, playerId] }) => {
      return { kind: 'void', matchId, playerId };
    }),
    route('POST', '/v1/results/:matchId/:playerId/correct', async ({ params: [matchId, playerId], body }) => {
      const { points, mode } = Object(parseJson(await body())) as Readonly<Record<string, unknown>>;
      return { kind: 'correct', matchId, playerId, points, mode };
    }),
    route('PUT', '/v1/players/:playerId/hidden', ({ params: [playerId] }) => ({ kind: 'hide', playerId })),
    route('DELETE', '/v1/players/:playerId/hidden', ({ params: [playerId] }) => ({ kind: 'unhide', playerId })),
  ];
}

/** As the log's readers judge it: game servers may write it there themselves. */
function checkRecord(asked: unknown, boardSet: BoardSet): ControlRecord {
  const record = readControlRecord(asked, boardSet);
  if (record === undefined) throw new Error('a route asks for a record of no known kind');
  if (record.kind !== 'rejected') return record;
  throw new Problem('unprocessable', record.rejection.message, { members: { rejected: [record.rejection] } });
}

/** Early, for whoever sends it: the log's readers judge it again, by its stamp, and where truth did not answer here. */
async function refuseWhereFinal(
  { matchId, playerId }: { readonly matchId: string; readonly playerId: string },
  { boardSet: { calendar }, results, now }: OrderRoutesOptions,
): Promise<void> {
  const at = now();
  // While no season is over yet there is nothing to ask.
  if (!calendar.seasons.some((season) => at >= finalAt(calendar, season))) return;
  const kept = await results.find(matchId, playerId).catch((error: unknown) => {
    if (error instanceof StoreUnavailableError) return null;
    throw error;
  });
  const season = kept === null ? undefined : finalSeasonAt(calendar, kept.achievedAt, at);
  if (season === undefined) return;
  throw new Problem('conflict', describeFinal(calendar, season), { members: { reason: 'season_final' } });
}

/** The mode is written down: a file that declares a second mode later must not make the record ambiguous. */
function toWire(record: ControlRecord): object {
  if (record.kind !== 'correct') return record;
  const { fields, ...rest } = record;
  return { ...rest, points: fields };
}
