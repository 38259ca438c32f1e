/** Asks the rankings to compute players anew: a record behind each copy of a result that they may have counted otherwise. */

import type { ControlRecord } from '../domain/control-record.js';
import type { TruthDoubt } from '../domain/truth-batch.js';
import type { NewRecord } from './result-log.js';

/** One record for each player and partition, however many of his results are in doubt. */
export function recomputeRecords(doubts: readonly TruthDoubt[]): NewRecord[] {
  const records = new Map<string, NewRecord>();
  for (const { row, partitions } of doubts) {
    const { playerId } = row.result;
    for (const partition of partitions) {
      const record: ControlRecord = { kind: 'recompute', playerId };
      const value = Buffer.from(JSON.stringify(record));
      records.set(`${partition}/${playerId}`, { key: playerId, value, partition });
    }
  }
  return [...records.values()];
}
