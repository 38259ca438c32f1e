/** The group `<prefix>-truth`: records become rows and dead letters, and the position moves with them or not at all. */

import type { BoardSet } from '../domain/board.js';
import { RankcastError } from '../domain/errors.js';
import type { LogRecord, PartitionBatch } from '../domain/log-record.js';
import type { TruthDoubt, TruthReply, TruthRow, TruthVoid } from '../domain/truth-batch.js';
import type { DeadLetter, DeadLetters } from './dead-letters.js';
import { Gatherer } from './gatherer.js';
import { recomputeRecords } from './recompute-records.js';
import { readRecord } from './record-parser.js';
import type { ResultCounters } from './reports.js';
import type { PartitionConsumer, ResultLog } from './result-log.js';
import type { TruthStore } from './truth-store.js';

export interface TruthConsumerOptions {
  readonly store: TruthStore;
  readonly deadLetters: DeadLetters;
  /** The log itself: it gets the records that ask for a player to be computed anew. */
  readonly log: Pick<ResultLog, 'append'>;
  readonly boardSet: BoardSet;
  readonly counters: ResultCounters;
  /** Dead letters by reason; none: not counted. */
  readonly letterCounters?: ResultCounters;
}

/** A batch, judged. */
interface JudgedBatch {
  readonly batch: PartitionBatch;
  readonly rows: readonly TruthRow[];
  readonly voids: readonly TruthVoid[];
  readonly letters: readonly DeadLetter[];
}

/** Rows and dead letters. */
const MAX_ITEMS_PER_TRANSACTION = 5_000;

export class TruthConsumer implements PartitionConsumer {
  private readonly options: TruthConsumerOptions;
  private readonly gatherer: Gatherer<JudgedBatch, TruthReply>;

  constructor(options: TruthConsumerOptions) {
    this.options = options;
    this.gatherer = new Gatherer({
      flush: (judged) => this.write(judged),
      sizeOf: ({ rows, voids, letters }) => rows.length + voids.length + letters.length,
      maxSize: MAX_ITEMS_PER_TRANSACTION,
    });
  }

  positions(source: string, partitions: readonly number[]): Promise<ReadonlyMap<number, number>> {
    return this.options.store.positions(source, partitions);
  }

  async consume(batch: PartitionBatch): Promise<number> {
    const reply = await this.gatherer.add(this.judge(batch));
    return reply.next;
  }

  private judge(batch: PartitionBatch): JudgedBatch {
    const rows: TruthRow[] = [];
    const voids: TruthVoid[] = [];
    const letters: DeadLetter[] = [];
    for (const record of batch.records) {
      const read = readRecord(record, this.options.boardSet);
      if (read.kind === 'result') rows.push({ result: read.result, offset: record.offset, brokerAt: record.brokerAt });
      if (read.kind === 'void') voids.push({ ...read, brokerAt: record.brokerAt });
      if (read.kind === 'rejected') letters.push(letterOf(batch, record, read.rejection.code, read.rejection.message));
    }
    return { batch, rows, voids, letters };
  }

  private async write(judged: readonly JudgedBatch[]): Promise<readonly TruthReply[]> {
    try {
      return await this.writeOnce(judged);
    } catch (error) {
      if (!(error instanceof RankcastError) || error.isRetryable) throw error;
      // One row that can never be stored must not hold up its neighbours, nor those of other partitions.
      const storable: JudgedBatch[] = [];
      for (const one of judged) storable.push(await this.withoutRefused(one));
      return this.writeOnce(storable);
    }
  }

  private async writeOnce(judged: readonly JudgedBatch[]): Promise<readonly TruthReply[]> {
    const letters: DeadLetter[] = [];
    const batches = judged.map(({ batch, rows, voids }) => ({ ...batch, rows, voids }));
    const replies = await this.options.store.write(batches, async (pending) => {
      for (const [index, one] of judged.entries()) letters.push(...lettersOf(one, pending[index]));
      if (letters.length > 0) await this.options.deadLetters.write(letters);
      // Durable before the position moves, or a ranking would keep for ever what truth did not take.
      const asked = recomputeRecords(pending.flatMap(doubtsOf));
      if (asked.length > 0) await this.options.log.append(asked);
    });
    this.count(replies, letters);
    return replies;
  }

  private async withoutRefused(judged: JudgedBatch): Promise<JudgedBatch> {
    const { batch, rows, letters } = judged;
    if (rows.length === 0) return judged;
    const refused = new Set(await this.options.store.findRefused({ ...batch, rows }));
    const more = [...refused].map((row) =>
      letterOf(batch, recordAt(batch, row.offset), 'not_storable', 'PostgreSQL cannot store a value of this result'),
    );
    return { ...judged, rows: rows.filter((row) => !refused.has(row)), letters: [...letters, ...more] };
  }

  private count(replies: readonly TruthReply[], letters: readonly DeadLetter[]): void {
    const { counters, letterCounters } = this.options;
    for (const reply of replies) {
      if (reply.kind === 'behind') continue;
      if (reply.inserted > 0) counters.count('inserted', reply.inserted);
      if (reply.duplicates > 0) counters.count('duplicate', reply.duplicates);
      if (reply.conflicts.length > 0) counters.count('conflict', reply.conflicts.length);
    }
    const rejected = letters.filter(({ reason }) => reason !== CONFLICT).length;
    if (rejected > 0) counters.count('rejected', rejected);
    for (const { reason } of letters) letterCounters?.count(reason, 1);
  }
}

const CONFLICT = 'conflicting_result';

/** Letters below the position were written by the call that moved it there. */
function lettersOf({ batch, letters }: JudgedBatch, reply: TruthReply | undefined): DeadLetter[] {
  if (reply === undefined || reply.kind === 'behind') return [];
  const conflicts = reply.conflicts.map(({ row, detail }) =>
    letterOf(batch, recordAt(batch, row.offset), CONFLICT, detail),
  );
  return [...letters, ...conflicts].filter(({ record }) => record.offset >= reply.before);
}

/** Doubts below the position were told by the call that moved it there. */
function doubtsOf(reply: TruthReply): TruthDoubt[] {
  if (reply.kind === 'behind') return [];
  return reply.doubts.filter(({ row }) => row.offset >= reply.before);
}

function letterOf(batch: PartitionBatch, record: LogRecord, reason: string, detail: string): DeadLetter {
  return { source: batch.source, partition: batch.partition, record, reason, detail };
}

function recordAt(batch: PartitionBatch, offset: number): LogRecord {
  const record = batch.records.find((candidate) => candidate.offset === offset);
  if (record === undefined) throw new Error(`offset ${offset} is not in the batch that it came from`);
  return record;
}
