/** What the truth group needs of the store of results; src/truth has it. */

import type { TruthBatch, TruthReply, TruthRow } from '../domain/truth-batch.js';

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
