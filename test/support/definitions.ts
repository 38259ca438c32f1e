/** The plainest definition of a board, for tests that are about something else. */

import type { Board, BoardSet, Mode } from '../../src/domain/board.js';
import { type BoardSeason, boardSeason } from '../../src/domain/board-season.js';
import type { TagList } from '../../src/domain/lists.js';
import type { ScoreKey } from '../../src/domain/packed-score.js';
import type { Season } from '../../src/domain/season.js';
import type { TagDefinition } from '../../src/domain/tag-definition.js';

/** One key, `points`, high first. */
export function pointsUpTo(max: number): ScoreKey[] {
  return [{ field: 'points', max, isLow: false }];
}

/** Rule `best` over `points` of mode `arena`. */
export const ARENA_BOARD: Board = {
  boardId: 'arena',
  title: 'Arena',
  modes: ['arena'],
  rule: 'best',
  keys: [{ field: 'points', order: 'high' }],
  maxTotal: null,
  subject: 'player',
  periods: [],
  zone: 'UTC',
  scopes: [],
  topSize: 100,
  tiers: null,
};

export function bestDefinition(hash = 'hash'): TagDefinition {
  return { hash, merge: { rule: 'best', timeSpan: 2 ** 32, maxTotal: 2_097_151, isLow: false } };
}

export const ARENA_MODE: Mode = { mode: 'arena', fields: { points: { min: 0, max: 2_097_151 } } };

/** Open for years around the clock of any test. */
export const LONG_SEASON: Season = {
  seasonId: '1',
  startsAt: Date.parse('2026-01-01T00:00:00Z'),
  endsAt: Date.parse('2031-01-01T00:00:00Z'),
};

/** Where every result counts that names no other list. */
export const SEASON_LISTS: readonly TagList[] = [{ name: 's', keptUntil: null }];

/** What the file would make of one board: `ARENA_BOARD` but for what is given. */
export function boardSeasonOf(
  board: Partial<Board> = {},
  season: Season = LONG_SEASON,
  modes = [ARENA_MODE],
): BoardSeason {
  const one = { ...ARENA_BOARD, ...board };
  return boardSeason(boardSetOf([one], season, modes), one, season);
}

export function boardSetOf(boards: readonly Board[], season: Season = LONG_SEASON, modes = [ARENA_MODE]): BoardSet {
  return { modes, boards, calendar: { seasons: [season], graceMs: 3_600_000 }, maxLatenessMs: 7 * 86_400_000 };
}
