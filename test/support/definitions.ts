/** The plainest definition of a board, for tests that are about something else. */

import type { Board } from '../../src/domain/board.js';
import type { ScoreKey } from '../../src/domain/packed-score.js';
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
  topSize: 100,
};

export function bestDefinition(hash = 'hash'): TagDefinition {
  return { hash, merge: { rule: 'best', timeSpan: 2 ** 32, maxTotal: 2_097_151, isLow: false } };
}
