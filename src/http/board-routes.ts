/** What boards there are. */

import type { Board } from '../domain/board.js';
import { currentSeason } from '../domain/season.js';
import { jsonResponse, PUBLIC_WINDOW, type Route } from './http.js';
import { findBoard, type Targets } from './targets.js';

export function boardRoutes(targets: Targets): readonly Route[] {
  return [
    {
      method: 'GET',
      pattern: '/v1/boards',
      handle: async () => {
        const boards = targets.seasons.boardSet.boards.map((board) => describeBoard(targets, board));
        return jsonResponse(200, { boards }, PUBLIC_WINDOW);
      },
    },
    {
      method: 'GET',
      pattern: '/v1/boards/:boardId',
      handle: async ({ params: [boardId = ''] }) => {
        const board = findBoard(targets, boardId);
        return jsonResponse(200, describeBoard(targets, board), PUBLIC_WINDOW);
      },
    },
  ];
}

/** `season` is the current one; instants in epoch milliseconds. `order` is that of the first key, whose value rows show as `score`. `tiers`: `null`, or by what they go and the best first. */
function describeBoard({ seasons: { boardSet }, now }: Targets, board: Board) {
  const { seasonId, startsAt, endsAt } = currentSeason(boardSet.calendar, now());
  const { boardId, title, rule, keys, modes, subject, periods, zone, scopes, topSize, tiers } = board;
  const order = keys[0]?.order ?? 'high';
  const lists = { subject, periods, zone, scopes };
  return { boardId, title, seasonId, order, rule, keys, modes, ...lists, topSize, tiers, season: { startsAt, endsAt } };
}
