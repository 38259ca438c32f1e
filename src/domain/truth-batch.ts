/** What truth is asked to write, and what it answers. */

import type { Result } from './result.js';

export interface TruthRow {
  readonly result: Result;
  readonly offset: number;
  /** The log's stamp, epoch milliseconds. */
  readonly brokerAt: number;
}

/** A result that is taken back, whether it is there yet or not. */
export interface TruthVoid {
  readonly matchId: string;
  readonly playerId: string;
  /** The log's stamp, epoch milliseconds. */
  readonly brokerAt: number;
}

/** The accepted results of `[from, to)` of one partition; everything else in there was considered, too. */
export interface TruthBatch {
  readonly source: string;
  readonly partition: number;
  readonly from: number;
  readonly to: number;
  readonly rows: readonly TruthRow[];
  /** Taken back in this batch, before or behind their results. */
  readonly voids?: readonly TruthVoid[];
}

/** The same match and player with other content than the copy that came first. */
export interface TruthConflict {
  readonly row: TruthRow;
  readonly detail: string;
}

/**
 * A result that a ranking, which sees results only one by one, may have counted otherwise than truth did: other content
 * than the copy that is kept, a copy that came by another partition than that one, or a result that was taken back.
 */
export interface TruthDoubt {
  readonly row: TruthRow;
  /** Where the copies came from: behind both of them the player's entries are to be computed anew. */
  readonly partitions: readonly number[];
}

export type TruthReply =
  | {
      readonly kind: 'written';
      /** The position before this call: what lies below was considered by an earlier one. */
      readonly before: number;
      readonly next: number;
      readonly inserted: number;
      readonly duplicates: number;
      readonly conflicts: readonly TruthConflict[];
      readonly doubts: readonly TruthDoubt[];
    }
  /** `from` lies above `next`: none of the batch was written; read again from `next`. */
  | { readonly kind: 'behind'; readonly next: number };
