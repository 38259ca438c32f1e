/**
 * Marks: players whose entry a ranking cannot know by itself any more, so that it is computed anew from truth.
 *
 * A mark remembers the tag's positions as they were when it was set. Truth's rows below these positions, folded by the
 * rule, and what the ranking merged aside since, are together every result once: that is the entry.
 */

import type { Position } from './log-record.js';

export interface Mark {
  readonly playerId: string;
  /** New with each mark of the player: what was folded for an earlier one is worth nothing. */
  readonly markId: string;
  /** The tag's positions after the call that set it; a partition that is not among them is at 0. */
  readonly positions: readonly Position[];
}

/** How many marks one read answers at most. */
export const MAX_MARKS = 1_000;

/** Whether truth has considered everything below the mark's positions. */
export function isReached(mark: Mark, truth: readonly Position[]): boolean {
  return mark.positions.every(({ source, partition, next }) => {
    const there = truth.find((position) => position.source === source && position.partition === partition);
    return next <= (there?.next ?? 0);
  });
}
