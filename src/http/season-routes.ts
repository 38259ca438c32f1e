/** The paths that game teams know from before: the default board as a plain array of rows. */

import type { Entry } from '../domain/change.js';
import { unpackPoints } from '../domain/packed-score.js';
import { jsonResponse, PUBLIC_WINDOW, type Route } from './http.js';
import { checkPlayerId } from './query.js';
import type { WindowReader, WindowReading } from './stores.js';
import { type Target, type Targets, targetOf } from './targets.js';
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
        return rowsResponse(target, (known) => reader.readRange(known.tag, 1, limit));
      },
    },
    {
      method: 'GET',
      pattern: '/seasons/:season/leaderboard/players/:player/around',
      handle: async (request) => {
        const target = defaultTarget(targets, request.params[0]);
        const playerId = checkPlayerId(request.params[1] ?? '');
        const radius = readRadius(request);
        return rowsResponse(target, (known) => reader.readAround(known.tag, playerId, radius, radius));
      },
    },
  ];
}

async function rowsResponse(target: Target | null, read: (target: Target) => Promise<WindowReading<Entry> | null>) {
  if (target === null) return jsonResponse(200, [], PUBLIC_WINDOW);
  const { rows } = requireReading(target, await read(target));
  const points = (score: number) => unpackPoints(target.layout, score);
  const body = rows.map(({ rank, playerId, score }) => ({ rank, playerId, points: points(score) }));
  return jsonResponse(200, body, PUBLIC_WINDOW);
}

/** The first board of the file in the named season; `null` where there is no such season. */
function defaultTarget(targets: Targets, seasonId: string | undefined): Target | null {
  const { boards, calendar } = targets.boardSet;
  const [board] = boards;
  const season = calendar.seasons.find((candidate) => candidate.seasonId === seasonId);
  return board === undefined || season === undefined ? null : targetOf(targets, board, season);
}
