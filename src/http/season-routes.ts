/** The paths that game teams know from before: the default board as a plain array of rows. */

import type { Entry } from '../domain/change.js';
import { unpackPoints } from '../domain/packed-score.js';
import { tagged, windowTag } from './entity-tag.js';
import { type HttpRequest, jsonResponse, PUBLIC_WINDOW, type Route } from './http.js';
import { checkPlayerId } from './query.js';
import type { WindowReader, WindowReading } from './stores.js';
import { seasonTarget, type Target, type Targets } from './targets.js';
import { requireReading } from './window-body.js';
import { readLimit, readRadius } from './window-routes.js';

export interface SeasonRoutesOptions {
  readonly targets: Targets;
  readonly reader: WindowReader;
}

/** `[{rank, playerId, points}]`, and `[]` where the season or the player is absent. */
export function seasonRoutes({ targets, reader }: SeasonRoutesOptions): readonly Route[] {
  return [
    {
      method: 'GET',
      pattern: '/seasons/:season/leaderboard',
      handle: async (request) => {
        const target = defaultTarget(targets, request.params[0]);
        const limit = readLimit(request);
        return rowsResponse(request, target, (known) => reader.readRange(known.list, 1, limit));
      },
    },
    {
      method: 'GET',
      pattern: '/seasons/:season/leaderboard/players/:player/around',
      handle: async (request) => {
        const target = defaultTarget(targets, request.params[0]);
        const playerId = checkPlayerId(request.params[1] ?? '');
        const radius = readRadius(request);
        return rowsResponse(request, target, (known) => reader.readAround(known.list, playerId, radius, radius));
      },
    },
  ];
}

type Read = (target: Target) => Promise<WindowReading<Entry> | null>;

async function rowsResponse(request: HttpRequest, target: Target | null, read: Read) {
  if (target === null) return jsonResponse(200, [], PUBLIC_WINDOW);
  const reading = requireReading(target, await read(target));
  const points = (score: number) => unpackPoints(target.boardSeason.layout, score);
  const body = reading.rows.map(({ rank, playerId, score }) => ({ rank, playerId, points: points(score) }));
  return tagged(request, jsonResponse(200, body, PUBLIC_WINDOW), windowTag(target, reading));
}

/** The first board of the file in the named season; `null` where there is no such season. */
function defaultTarget({ seasons, now }: Targets, seasonId: string | undefined): Target | null {
  const [board] = seasons.boardSet.boards;
  if (board === undefined || seasonId === undefined) return null;
  const found = seasons.find(board.boardId, seasonId, now());
  return found === undefined ? null : seasonTarget(found);
}
