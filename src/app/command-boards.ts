/** What the commands on boards share: which boards and seasons a person named, and the ranking that they are in. */

import type { Logger } from 'pino';
import { nearestName } from '../config/nearest-name.js';
import type { Config } from '../config.js';
import type { BoardSet } from '../domain/board.js';
import { type BoardSeason, BoardSeasons } from '../domain/board-season.js';
import { StartRefusedError, UsageError } from '../domain/errors.js';
import { currentSeason } from '../domain/season.js';
import type { Lifecycle } from '../ops/lifecycle.js';
import { RedisRanking } from '../ranking/redis-ranking.js';

export interface NamedBoards {
  /** A board's id, or `all` for those of the season one after another. */
  readonly board: string | undefined;
  /** Default: the current one. */
  readonly season: string | undefined;
}

const ALL_BOARDS = 'all';

/** Throws `UsageError` where a name is missing or not in the boards file. */
export function chooseBoards(
  command: string,
  boardSet: BoardSet,
  { board, season }: NamedBoards,
): readonly BoardSeason[] {
  const seasonIds = boardSet.calendar.seasons.map(({ seasonId }) => seasonId);
  const boardIds = boardSet.boards.map(({ boardId }) => boardId);
  if (board === undefined) {
    throw new UsageError(`${command} needs --board with one of ${boardIds.join(', ')}, or --board ${ALL_BOARDS}`);
  }
  const seasonId = season ?? currentSeason(boardSet.calendar, Date.now()).seasonId;
  checkName('season', seasonId, seasonIds);
  if (board !== ALL_BOARDS) checkName('board', board, boardIds);
  return new BoardSeasons(boardSet).all.filter(
    ({ tag }) => tag.seasonId === seasonId && (board === ALL_BOARDS || tag.boardId === board),
  );
}

/** `otherwise`: what to do instead where the ranking is in the memory of a server. Throws `StartRefusedError` there. */
export async function openCommandRanking(
  config: Config,
  otherwise: string,
  lifecycle: Lifecycle,
  logger: Logger,
): Promise<RedisRanking> {
  const { stores, redisPrefix: prefix, dedupMs } = config;
  if (stores.kind !== 'full') {
    throw new StartRefusedError(`without RANKCAST_REDIS_URL the ranking is in the memory of the server, ${otherwise}`);
  }
  const ranking = await lifecycle.start(
    'ranking in Redis',
    () => new RedisRanking({ url: stores.redisUrl, prefix, logger, dedupMs }),
    (started) => started.close(),
  );
  await ranking.check();
  return ranking;
}

function checkName(what: string, name: string, names: readonly string[]): void {
  if (names.includes(name)) return;
  throw new UsageError(`${what} "${name}" is not in the boards file (did you mean ${nearestName(name, names)}?)`);
}
