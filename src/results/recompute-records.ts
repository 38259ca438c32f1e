/** Asks the rankings to compute entries anew: a record behind each copy of a result that they may have counted otherwise. */

import { type ControlRecord, MAX_COPIES } from '../domain/control-record.js';
import type { ListedResult } from '../domain/lists.js';
import type { TruthDoubt } from '../domain/truth-batch.js';
import type { NewRecord } from './result-log.js';

interface Asked {
  readonly playerId: string;
  readonly partition: number;
  /** By their content, so that each place where his results count is named once. */
  readonly copies: Map<string, ListedResult>;
}

/** One record for each player and partition, however many of his results are in doubt; more where it cannot hold all copies. */
export function recomputeRecords(doubts: readonly TruthDoubt[]): NewRecord[] {
  const asked = new Map<string, Asked>();
  for (const { playerId, partitions, copies } of doubts) {
    for (const partition of partitions) {
      const name = `${partition}/${playerId}`;
      const those: Asked = asked.get(name) ?? { playerId, partition, copies: new Map() };
      asked.set(name, those);
      for (const { achievedAt, scopes } of copies) {
        those.copies.set(JSON.stringify([achievedAt, Object.entries(scopes).sort()]), { achievedAt, scopes });
      }
    }
  }
  return [...asked.values()].flatMap(recordsOf);
}

function recordsOf({ playerId, partition, copies }: Asked): NewRecord[] {
  const all = [...copies.values()];
  const parts = Math.max(1, Math.ceil(all.length / MAX_COPIES));
  return Array.from({ length: parts }, (_, part) => {
    const some = all.slice(part * MAX_COPIES, (part + 1) * MAX_COPIES);
    const record: ControlRecord = { kind: 'recompute', playerId, copies: some };
    return { key: playerId, value: Buffer.from(JSON.stringify(record)), partition };
  });
}
