/** A batch of the log as truth takes it: every record read and sorted, what cannot be applied lettered. */

import type { BoardSet } from '../domain/board.js';
import type { PartitionBatch } from '../domain/log-record.js';
import type { TruthCorrection, TruthDoubt, TruthHide, TruthRow, TruthVoid } from '../domain/truth-batch.js';
import type { DeadLetter } from './dead-letters.js';
import { readRecord } from './record-parser.js';

export interface JudgedBatch {
  readonly batch: PartitionBatch;
  readonly rows: readonly TruthRow[];
  readonly voids: readonly TruthVoid[];
  readonly corrections: readonly TruthCorrection[];
  readonly hides: readonly TruthHide[];
  readonly letters: readonly DeadLetter[];
  /** Raised here; truth raises more. */
  readonly doubts: readonly TruthDoubt[];
}

export function judgeBatch(batch: PartitionBatch, boardSet: BoardSet): JudgedBatch {
  const rows: TruthRow[] = [];
  const voids: TruthVoid[] = [];
  const corrections: TruthCorrection[] = [];
  const hides: TruthHide[] = [];
  const letters: DeadLetter[] = [];
  for (const record of batch.records) {
    const { offset, brokerAt } = record;
    const read = readRecord(record, boardSet);
    switch (read.kind) {
      case 'result':
        rows.push({ result: read.result, offset, brokerAt });
        break;
      case 'void':
        voids.push({ matchId: read.matchId, playerId: read.playerId, offset, brokerAt });
        break;
      case 'correct': {
        const { matchId, playerId, mode, fields } = read;
        corrections.push({ matchId, playerId, mode, fields, offset, brokerAt });
        break;
      }
      case 'hide':
      case 'unhide':
        hides.push({ playerId: read.playerId, isHidden: read.kind === 'hide', offset, brokerAt });
        break;
      case 'rejected':
        letters.push(letterAt(batch, offset, read.rejection.code, read.rejection.message));
        break;
      case 'recompute':
      case 'nothing':
        break;
    }
  }
  return { batch, rows, voids, corrections, hides, letters, doubts: [] };
}

/** What a transaction is to hold of it. */
export function sizeOfJudged({ rows, voids, corrections, hides, letters }: JudgedBatch): number {
  return rows.length + voids.length + corrections.length + hides.length + letters.length;
}

/** Throws where the batch has no record at the offset. */
export function letterAt(batch: PartitionBatch, offset: number, reason: string, detail: string): DeadLetter {
  const record = batch.records.find((candidate) => candidate.offset === offset);
  if (record === undefined) throw new Error(`offset ${offset} is not in the batch that it came from`);
  return { source: batch.source, partition: batch.partition, record, reason, detail };
}
