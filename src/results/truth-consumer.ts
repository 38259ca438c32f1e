/** The group `<prefix>-truth`: records become rows and dead letters, and the position moves with them or not at all. */

import type { BoardSet } from '../domain/board.js';
import { RankcastError } from '../domain/errors.js';
import { PLAYER_SUBJECT } from '../domain/lists.js';
import type { PartitionBatch } from '../domain/log-record.js';
import type { TruthDoubt, TruthReply } from '../domain/truth-batch.js';
import type { DeadLetter, DeadLetters } from './dead-letters.js';
import { Gatherer } from './gatherer.js';
import { type JudgedBatch, judgeBatch, letterAt, sizeOfJudged } from './judged-batch.js';
import { recomputeRecords } from './recompute-records.js';
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

/** Rows, orders and dead letters. */
const MAX_ITEMS_PER_TRANSACTION = 5_000;

export class TruthConsumer implements PartitionConsumer {
  private readonly options: TruthConsumerOptions;
  private readonly gatherer: Gatherer<JudgedBatch, TruthReply>;
  private readonly ranksScopes: boolean;

  constructor(options: TruthConsumerOptions) {
    this.options = options;
    this.ranksScopes = options.boardSet.boards.some(({ subject }) => subject !== PLAYER_SUBJECT);
    this.gatherer = new Gatherer({
      flush: (judged) => this.write(judged),
      sizeOf: sizeOfJudged,
      maxSize: MAX_ITEMS_PER_TRANSACTION,
    });
  }

  positions(source: string, partitions: readonly number[]): Promise<ReadonlyMap<number, number>> {
    return this.options.store.positions(source, partitions);
  }

  async consume(batch: PartitionBatch): Promise<number> {
    const reply = await this.gatherer.add(judgeBatch(batch, this.options.boardSet));
    return reply.next;
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
    const batches = judged.map(({ batch, rows, voids, corrections, hides }) => ({
      ...batch,
      rows,
      voids,
      corrections,
      hides,
    }));
    const replies = await this.options.store.write(batches, async (pending) => {
      for (const [index, one] of judged.entries()) letters.push(...lettersOf(one, pending[index]));
      if (letters.length > 0) await this.options.deadLetters.write(letters);
      // Durable before the position moves, or a ranking would keep for ever what truth did not take.
      const asked = recomputeRecords(judged.flatMap((one, index) => this.doubtsOf(one, pending[index])));
      if (asked.length > 0) await this.options.log.append(asked);
    });
    this.count(replies, letters);
    return replies;
  }

  private async withoutRefused(judged: JudgedBatch): Promise<JudgedBatch> {
    const { batch, rows, letters } = judged;
    if (rows.length === 0) return judged;
    const refused = new Set(await this.options.store.findRefused({ ...batch, rows }));
    const more = [...refused].map(({ offset }) =>
      letterAt(batch, offset, 'not_storable', 'PostgreSQL cannot store a value of this result'),
    );
    // A ranking has counted them.
    const doubts = [...refused].map(({ result, offset }): TruthDoubt => {
      return { playerId: result.playerId, offset, partitions: [batch.partition], copies: [result] };
    });
    return { ...judged, rows: rows.filter((row) => !refused.has(row)), letters: [...letters, ...more], doubts };
  }

  /** Doubts below the position were told by the call that moved it there. */
  private doubtsOf({ doubts, voids, corrections }: JudgedBatch, reply: TruthReply | undefined): TruthDoubt[] {
    if (reply === undefined || reply.kind === 'behind') return [];
    const orders = new Set(this.ranksScopes ? [] : [...voids, ...corrections].map(({ offset }) => offset));
    // Where players are ranked, the record itself has marked him behind all copies of its own partition, and of no other.
    const isTold = ({ offset, partitions }: TruthDoubt) => orders.has(offset) && partitions.length === 1;
    return [...doubts, ...reply.doubts].filter((doubt) => doubt.offset >= reply.before && !isTold(doubt));
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
const DAY_DETACHED =
  'the UTC day of this result was detached from match_results: ' +
  'attach its table again and delete the day from detached_day, then send the result again';

/** Letters below the position were written by the call that moved it there. */
function lettersOf({ batch, letters }: JudgedBatch, reply: TruthReply | undefined): DeadLetter[] {
  if (reply === undefined || reply.kind === 'behind') return [];
  const conflicts = reply.conflicts.map(({ row, detail }) => letterAt(batch, row.offset, CONFLICT, detail));
  const refused = reply.refused.map(({ order, reason, detail }) => letterAt(batch, order.offset, reason, detail));
  const detached = reply.detached.map(({ offset }) => letterAt(batch, offset, 'day_detached', DAY_DETACHED));
  return [...letters, ...conflicts, ...refused, ...detached].filter(({ record }) => record.offset >= reply.before);
}
