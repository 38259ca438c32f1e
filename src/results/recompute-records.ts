/** Asks the rankings to compute players anew: a record behind each copy of a result that they may have counted otherwise. */

import { recomputeRecord } from '../domain/recompute.js';
import type { TruthDoubt } from '../domain/truth-batch.js';
import type { NewRecord } from './result-log.js';

/** One record for each player and partition, however many of his results are in doubt. */
export function recomputeRecords(doubts: readonly TruthDoubt[]): NewRecord[] {
  const records = new Map<string, NewRecord>();
  for (const { row, partitions } of doubts) {
    const { playerId } = row.result;
    for (const partition of partitions) {
      const value = Buffer.from(JSON.stringify(recomputeRecord(playerId)));
      records.set(`${partition}/${playerId}`, { key: playerId, value, partition });
    }
  }
  return [...records.values()];
}
