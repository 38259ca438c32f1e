/**
 * Marks: players whose entry a ranking cannot know by itself any more, so that it is computed anew from truth.
 *
 * A mark remembers the tag's positions as they were when it was set. Truth's rows below these positions, folded by the
 * rule, and what the ranking merged aside since, are together every result once: that is the entry, in each list.
 */

import type { TagList } from './lists.js';
import { countBehind, type Position } from './log-record.js';

export interface Mark {
  /** The subject: a player, or who else the board ranks. */
  readonly playerId: string;
  /** New with each mark of the player: what was folded for an earlier one is worth nothing. */
  readonly markId: string;
  /** Lists where his row may stand although truth has no result of his there; by name. */
  readonly lists: readonly string[];
  /** The tag's positions after the call that set it; a partition that is not among them is at 0. */
  readonly positions: readonly Position[];
}

/** What truth's rows below a mark's positions come to in one list; `null`: no row there, though one may stand in the list. */
export interface FoldedEntry {
  readonly list: TagList;
  /** Packed score. */
  readonly score: number | null;
}

/** How many marks one read answers at most. */
export const MAX_MARKS = 1_000;

/** Whether truth has considered everything below the mark's positions. */
export function isReached(mark: Mark, truth: readonly Position[]): boolean {
  return countBehind(truth, mark.positions) === 0;
}
