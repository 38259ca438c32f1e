/** What the truth group needs of the store of results; src/truth has it. */

import type { Result } from '../domain/result.js';

export interface TruthRow {
  readonly result: Result;
  readonly offset: number;
  /** The log's stamp, epoch milliseconds. */
  readonly brokerAt: number;
}

export interface TruthBatch {
  readonly source: string;
  readonly partition: number;
  readonly from: number;
  readonly to: number;
  readonly rows: readonly TruthRow[];
}

export type TruthReply =
  | {
      readonly kind: 'written';
      /** The position before this batch: what lies below was considered, and lettered, by an earlier call. */
      readonly before: number;
      readonly next: number;
      readonly inserted: number;
      readonly duplicates: number;
      readonly conflicts: readonly { readonly row: TruthRow; readonly detail: string }[];
    }
  | { readonly kind: 'behind'; readonly next: number };

export interface TruthStore {
  positions(source: string, partitions: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** One transaction; `beforeCommit` throws to roll it back. */
  write(
    batches: readonly TruthBatch[],
    beforeCommit: (replies: readonly TruthReply[]) => Promise<void>,
  ): Promise<readonly TruthReply[]>;
  /** Rows that the store refuses whatever their neighbours are. */
  findRefused(batch: TruthBatch): Promise<readonly TruthRow[]>;
}
