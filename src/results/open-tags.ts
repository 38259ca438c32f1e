/** Which tags results go to: every board in every season that is on, or near enough. */

import { type Board, type BoardSet, scoreLayoutOf } from '../domain/board.js';
import { packScore, type ScoreLayout } from '../domain/packed-score.js';
import type { Result } from '../domain/result.js';
import type { Season } from '../domain/season.js';
import { type Tag, tagName } from '../domain/tag.js';
import type { TagDefinition } from '../domain/tag-definition.js';

/** A board in a season, with all that shapes its scores. */
export interface OpenTag {
  readonly tag: Tag;
  readonly name: string;
  readonly board: Board;
  readonly season: Season;
  readonly layout: ScoreLayout;
  readonly definition: TagDefinition;
}

export type DefineTag = (board: Board, season: Season) => TagDefinition;

/** A season's boards are there, empty, before its first result. */
const OPEN_BEFORE_MS = 10 * 60_000;
/** The broker's time decides what a season takes; ours only when to stop confirming the positions of its boards. */
const OPEN_AFTER_GRACE_MS = 24 * 3_600_000;

export class OpenTags {
  private readonly tags: readonly OpenTag[];
  private readonly graceMs: number;

  constructor(boardSet: BoardSet, defineTag: DefineTag) {
    this.graceMs = boardSet.calendar.graceMs;
    this.tags = boardSet.calendar.seasons.flatMap((season) =>
      boardSet.boards.map((board): OpenTag => {
        const tag = { boardId: board.boardId, seasonId: season.seasonId };
        return {
          tag,
          name: tagName(tag),
          board,
          season,
          layout: scoreLayoutOf(board, boardSet.modes, season),
          definition: defineTag(board, season),
        };
      }),
    );
  }

  openAt(now: number): OpenTag[] {
    return this.tags.filter(({ season }) => {
      const closesAt = season.endsAt + this.graceMs + OPEN_AFTER_GRACE_MS;
      return season.startsAt - OPEN_BEFORE_MS <= now && now < closesAt;
    });
  }

  /** Also of a season that is not open by our clock: then the log lags, or the clock is wrong. */
  taking(result: Result): OpenTag[] {
    return this.tags.filter(
      ({ board, season }) => season.seasonId === result.seasonId && board.modes.includes(result.mode),
    );
  }
}

/** A judged result as the tag's lists order it. */
export function scoreIn(tag: OpenTag, result: Result): number {
  return packScore(tag.layout, result.fields, result.achievedAt);
}
