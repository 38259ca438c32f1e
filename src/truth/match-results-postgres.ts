/** Writes accepted results once each, with the positions of their logs in the same transaction. */

import type { Pool } from 'pg';
import { StoreUnavailableError } from '../domain/errors.js';
import type { Calendar } from '../domain/season.js';
import type { TruthBatch, TruthReply, TruthRow } from '../domain/truth-batch.js';
import { DayPartitions, utcDay } from './day-partitions.js';
import { insertRows } from './result-rows.js';
import {
  movePositions,
  type PartitionName,
  PositionMap,
  readPositions,
  type StoredPosition,
} from './source-positions.js';
import { sqlStateOf } from './store-errors.js';
import { inTransaction } from './transaction.js';
import { writeBatches } from './write-batches.js';

export interface MatchResultsOptions {
  readonly pool: Pool;
  /** On how far apart days the same identity can turn up. */
  readonly maxLatenessMs: number;
  /** Orders about results of seasons that are final are refused. */
  readonly calendar: Calendar;
}

/** What is done with the replies before they become true, such as writing dead letters: a throw rolls all back. */
export type BeforeCommit = (replies: readonly TruthReply[]) => Promise<void>;

const NO_PARTITION_FOR_ROW = '23514';

export class MatchResultsPostgres {
  private readonly pool: Pool;
  private readonly days: DayPartitions;

  constructor(private readonly options: MatchResultsOptions) {
    this.pool = options.pool;
    this.days = new DayPartitions(options.pool);
  }

  /** Truth's own `next` per partition; absent is 0. */
  async positions(source: string, partitions: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const names = partitions.map((partition) => ({ source, partition }));
    const stored = await inTransaction(this.pool, (client) => readPositions(client, names, false));
    const positions = new PositionMap(stored);
    return new Map(names.map((name) => [name.partition, positions.of(name)]));
  }

  /**
   * One transaction for all batches. A batch whose `from` lies above its partition's `next` is answered `behind`
   * and not written; the others are. Throws `StoreRefusedError` where PostgreSQL can never store one of the rows
   * (then ask `findRefused` which), `StoreUnavailableError` for everything that may pass.
   */
  async write(batches: readonly TruthBatch[], beforeCommit?: BeforeCommit): Promise<readonly TruthReply[]> {
    await this.days.ensure(daysOf(batches));
    return inTransaction(this.pool, async (client) => {
      const isOnlyConfirming = batches.every(({ from, to }) => from === to);
      const stored = await readPositions(client, batches, !isOnlyConfirming);
      const positions = new PositionMap(stored);
      const admitted = batches.map((batch) => {
        const before = positions.of(batch);
        const isBehind = batch.from > before;
        return { batch, before, isBehind, next: isBehind ? before : positions.advance(batch, batch.to) };
      });
      const written = admitted.filter(({ isBehind }) => !isBehind);
      const tallies = await writeBatches(client, written, this.options).catch((error: unknown) => {
        if (sqlStateOf(error) !== NO_PARTITION_FOR_ROW) throw error;
        this.days.forget();
        throw new StoreUnavailableError(
          "a day's partition of match_results is gone: it is made again, or has to be attached again where it was detached",
          { cause: error },
        );
      });
      const moved = written.map(({ batch }) => batch);
      await movePositions(client, movedBy(moved, new PositionMap(stored)));
      const replies = admitted.map(({ batch, before, next }): TruthReply => {
        const tally = tallies.get(batch);
        return tally === undefined ? { kind: 'behind', next } : { kind: 'written', before, next, ...tally };
      });
      await beforeCommit?.(replies);
      return replies;
    });
  }

  /** Tries each row alone and keeps none: the rows that PostgreSQL refuses whatever their neighbours are. */
  async findRefused(batch: TruthBatch): Promise<readonly TruthRow[]> {
    await this.days.ensure(daysOf([batch]));
    const refused: TruthRow[] = [];
    await inTransaction(this.pool, async (client) => {
      for (const row of batch.rows) {
        await client.query('SAVEPOINT one_row');
        try {
          await insertRows(client, [{ source: batch.source, partition: batch.partition, row }]);
        } catch (error) {
          const state = sqlStateOf(error);
          if (state?.startsWith('22') === true) refused.push(row);
          // Its day is detached, or gone: `write` tells.
          else if (state !== NO_PARTITION_FOR_ROW) throw error;
        }
        await client.query('ROLLBACK TO SAVEPOINT one_row');
      }
    });
    return refused;
  }
}

/** Positions that really move: confirming a position must not write. */
function movedBy(batches: readonly TruthBatch[], stored: PositionMap): StoredPosition[] {
  return batches
    .filter((batch) => batch.to > stored.of(batch))
    .map(({ source, partition, to }): StoredPosition & PartitionName => ({ source, partition, next: to }));
}

function daysOf(batches: readonly TruthBatch[]): Set<string> {
  return new Set(batches.flatMap(({ rows }) => rows.map(({ result }) => utcDay(result.achievedAt))));
}
