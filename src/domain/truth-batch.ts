/** What truth is asked to write, and what it answers. */

import type { ListedResult } from './lists.js';
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
  readonly offset: number;
  /** The log's stamp, epoch milliseconds. */
  readonly brokerAt: number;
}

/** What a result is changed to, whether it is there yet or not; the last one of an identity counts. */
export interface TruthCorrection {
  readonly matchId: string;
  readonly playerId: string;
  readonly mode: string;
  /** One whole number for each field of the mode, in its range. */
  readonly fields: Readonly<Record<string, number>>;
  readonly offset: number;
  /** The log's stamp, epoch milliseconds. */
  readonly brokerAt: number;
}

/** A player who vanishes from the boards, or comes back; the last one counts. */
export interface TruthHide {
  readonly playerId: string;
  readonly isHidden: boolean;
  readonly offset: number;
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
  readonly corrections?: readonly TruthCorrection[];
  readonly hides?: readonly TruthHide[];
}

/** The same match and player with other content than the copy that came first. */
export interface TruthConflict {
  readonly row: TruthRow;
  readonly detail: string;
}

/**
 * A player whose entries a ranking, which sees results only one by one, may hold otherwise than truth does: a copy came with
 * other content than the one that is kept, or by another partition; a copy came of a result that was voided or corrected; a
 * result came of a detached day; or a result that is kept was voided or corrected, which the boards that rank scopes cannot
 * tell whom it concerns.
 */
export interface TruthDoubt {
  readonly playerId: string;
  /** Of the record that raised it. */
  readonly offset: number;
  /** Where the copies came from: behind all of them the player's entries are to be computed anew. */
  readonly partitions: readonly number[];
  /** Where each copy counts, or counted: the kept one, and the one that came. */
  readonly copies: readonly ListedResult[];
}

/**
 * An order that is not taken: a correction whose mode is not that of the result, or an order that names a result of a day
 * whose rows were detached, or of a season that was final by the log's stamp of the order.
 */
export interface RefusedOrder {
  readonly order: TruthVoid | TruthCorrection;
  readonly reason: 'correction_mismatch' | 'day_detached' | 'season_final';
  readonly detail: string;
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
      readonly refused: readonly RefusedOrder[];
      /** Not written: results of days that were detached. A doubt is told of each. */
      readonly detached: readonly TruthRow[];
    }
  /** `from` lies above `next`: none of the batch was written; read again from `next`. */
  | { readonly kind: 'behind'; readonly next: number };
