/** Which tags results go to: every board in every season that is on, or near enough. */

import type { BoardSeason, BoardSeasons } from '../domain/board-season.js';
import { packScore } from '../domain/packed-score.js';
import type { Result } from '../domain/result.js';
import { finalAt } from '../domain/season.js';

/** A season's boards are there, empty, before its first result. */
const OPEN_BEFORE_MS = 10 * 60_000;
/** The broker's time decides what a season takes; ours only when to stop confirming the positions of its boards. */
const OPEN_AFTER_GRACE_MS = 24 * 3_600_000;

export class OpenTags {
  constructor(private readonly seasons: BoardSeasons) {}

  openAt(now: number): BoardSeason[] {
    const { calendar } = this.seasons.boardSet;
    return this.seasons.all.filter(({ season }) => {
      const closesAt = finalAt(calendar, season) + OPEN_AFTER_GRACE_MS;
      return season.startsAt - OPEN_BEFORE_MS <= now && now < closesAt;
    });
  }

  /** Also of a season that is not open by our clock: then the log lags, or the clock is wrong. */
  taking(result: Result): BoardSeason[] {
    return this.seasons.all.filter(
      ({ board, season }) => season.seasonId === result.seasonId && board.modes.includes(result.mode),
    );
  }
}

/** A judged result as the tag's lists order it. */
export function scoreIn({ layout }: BoardSeason, result: Result): number {
  return packScore(layout, result.fields, result.achievedAt);
}
