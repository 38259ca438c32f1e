/** Changes: what one atomic call to the ranking did to a tag, in order. Every view is a fold over them. */

/** One row of a list: packed score, and the 1-based rank. */
export interface Entry {
  readonly playerId: string;
  readonly score: number;
  readonly rank: number;
}

/** A player's place, both `null` where the player has no row. */
export interface Standing {
  readonly playerId: string;
  readonly score: number | null;
  readonly rank: number | null;
  /** There only where it is true: he is hidden, and nobody but himself is to see that he is there. */
  readonly isHidden?: true;
}

/** Whose neighbours are asked for: up to so many rows above and below. */
export interface AroundAsk {
  readonly playerId: string;
  readonly above: number;
  readonly below: number;
}

/** Rows that one read of neighbours may come to: it takes Redis about 2 ms. */
export const MAX_NEIGHBOUR_ROWS = 2_000;

/** At most so many rows come of it. */
export function rowsAsked(asked: readonly AroundAsk[]): number {
  return asked.reduce((sum, { above, below }) => sum + above + 1 + below, 0);
}

/** Standings that one read may ask for. More would block Redis for over 3 ms and come near the end of Lua's stack. */
export const MAX_READ_PLAYERS = 1_000;

/** One row moved. Ranks are those right before and right after this change, with all earlier ones applied. */
export interface Change {
  /** Its name, see lists.ts. */
  readonly list: string;
  readonly playerId: string;
  /** Packed score before, `null` where the player had no row. */
  readonly scoreBefore: number | null;
  readonly rankBefore: number | null;
  /** Packed score after, `null` where the row went away. */
  readonly score: number | null;
  readonly rank: number | null;
  /** Broker time of the result that caused it, epoch milliseconds. */
  readonly at: number;
  /** Why it changed, where no result did it. */
  readonly label: ChangeLabel | null;
}

/** `correction`: results were voided or changed. `hide`: the player was hidden or shown again. */
export type ChangeLabel = 'correction' | 'hide';

/**
 * All changes of one call, `fromSeq` to `toSeq` inclusive, one number each: nobody sees half a batch.
 * Epoch is a uint32 compared for equality only, new whenever history was replaced.
 */
export interface ChangeSet {
  readonly epoch: number;
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly changes: readonly Change[];
}

/** Where a tag stands. */
export interface TagPosition {
  readonly epoch: number;
  readonly seq: number;
}
