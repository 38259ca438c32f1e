/** Every board in every season, with all that is derived from its definition there. */

import { type Board, type BoardSet, scoreLayoutOf } from './board.js';
import { type ListRef, SEASON_LIST, TagLists } from './lists.js';
import type { ScoreLayout } from './packed-score.js';
import { type Period, type PeriodWindow, periodWindows } from './periods.js';
import { currentSeason, type Season } from './season.js';
import { type Tag, tagName } from './tag.js';
import { type TagDefinition, tagDefinition } from './tag-definition.js';

/** A board in a season. */
export interface BoardSeason {
  readonly tag: Tag;
  /** Of the tag: `arena:s12`. */
  readonly name: string;
  readonly board: Board;
  readonly season: Season;
  readonly layout: ScoreLayout;
  readonly definition: TagDefinition;
  readonly lists: TagLists;
}

/** One of its lists, default that of the whole season. */
export function listRef({ tag, definition }: BoardSeason, list: string = SEASON_LIST): ListRef {
  return { tag, definitionHash: definition.hash, list };
}

export class BoardSeasons {
  /** By season in the order of time, and in each by board as the file has them. */
  readonly all: readonly BoardSeason[];
  private readonly byName: ReadonlyMap<string, BoardSeason>;

  constructor(readonly boardSet: BoardSet) {
    this.all = boardSet.calendar.seasons.flatMap((season) => {
      const windowsOf = sharedWindows(season);
      return boardSet.boards.map((board) => boardSeason(boardSet, board, season, windowsOf));
    });
    this.byName = new Map(this.all.map((one) => [one.name, one]));
  }

  /** No season named: the one a reader means (see `currentSeason`). `undefined` where the file declares no such board or season. */
  find(boardId: string, seasonId: string | undefined, now: number): BoardSeason | undefined {
    const named = seasonId ?? currentSeason(this.boardSet.calendar, now).seasonId;
    return this.byName.get(tagName({ boardId, seasonId: named }));
  }
}

type WindowsOf = (period: Period, zone: string) => readonly PeriodWindow[];

/** The days and weeks of five years take some tenth of a second: boards of one zone share them. */
function sharedWindows(season: Season): WindowsOf {
  const known = new Map<string, readonly PeriodWindow[]>();
  return (period, zone) => {
    const key = `${period} ${zone}`;
    const windows = known.get(key) ?? periodWindows(period, zone, season);
    known.set(key, windows);
    return windows;
  };
}

/** Derives everything anew, so keep it. */
export function boardSeason(
  { modes }: BoardSet,
  board: Board,
  season: Season,
  windowsOf: WindowsOf = sharedWindows(season),
): BoardSeason {
  const tag = { boardId: board.boardId, seasonId: season.seasonId };
  const layout = scoreLayoutOf(board, modes, season);
  const windows = (period: Period) => (board.periods.includes(period) ? windowsOf(period, board.zone) : []);
  return {
    tag,
    name: tagName(tag),
    board,
    season,
    layout,
    definition: tagDefinition(board, modes, season, layout),
    lists: new TagLists({
      subject: board.subject,
      scopes: board.scopes,
      days: windows('day'),
      weeks: windows('week'),
    }),
  };
}
