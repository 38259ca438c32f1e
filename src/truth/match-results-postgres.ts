/** Writes accepted results once each, with the positions of their logs in the same transaction. */

import type { Pool, PoolClient } from 'pg';
import { StoreUnavailableError } from '../domain/errors.js';
import type { TruthBatch, TruthConflict, TruthDoubt, TruthReply, TruthRow } from '../domain/truth-batch.js';
import { DayPartitions, utcDay } from './day-partitions.js';
import {
  contentOf,
  differenceOf,
  findCopies,
  type HeldCopy,
  identityOf,
  insertRows,
  type SourcedRow,
} from './result-rows.js';
import {
  movePositions,
  type PartitionName,
  PositionMap,
  readPositions,
  type StoredPosition,
} from './source-positions.js';
import { sqlStateOf } from './store-errors.js';
import { inTransaction } from './transaction.js';
import { insertVoids, voidRows } from './voids.js';

export interface MatchResultsOptions {
  readonly pool: Pool;
  /** On how far apart days the same identity can turn up. */
  readonly maxLatenessMs: number;
}

/** What is done with the replies before they become true, such as writing dead letters: a throw rolls all back. */
export type BeforeCommit = (replies: readonly TruthReply[]) => Promise<void>;

interface Tally {
  inserted: number;
  duplicates: number;
  readonly conflicts: TruthConflict[];
  readonly doubts: TruthDoubt[];
}

const NO_PARTITION_FOR_ROW = '23514';

export class MatchResultsPostgres {
  private readonly pool: Pool;
  private readonly maxLatenessMs: number;
  private readonly days: DayPartitions;

  constructor(options: MatchResultsOptions) {
    this.pool = options.pool;
    this.maxLatenessMs = options.maxLatenessMs;
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
      const written = admitted.filter(({ isBehind }) => !isBehind).map(({ batch }) => batch);
      const tallies = await this.writeRows(client, written);
      await movePositions(client, movedBy(written, new PositionMap(stored)));
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
          if (sqlStateOf(error)?.startsWith('22') !== true) throw error;
          refused.push(row);
        }
        await client.query('ROLLBACK TO SAVEPOINT one_row');
      }
    });
    return refused;
  }

  private async writeRows(client: PoolClient, batches: readonly TruthBatch[]): Promise<Map<TruthBatch, Tally>> {
    const tallies = new Map(
      batches.map((batch): [TruthBatch, Tally] => [batch, { inserted: 0, duplicates: 0, conflicts: [], doubts: [] }]),
    );
    await insertVoids(
      client,
      batches.flatMap(({ voids = [] }) => voids),
    );
    await this.insertFresh(client, tallies);
    await this.voidAll(client, tallies);
    return tallies;
  }

  private async insertFresh(client: PoolClient, tallies: ReadonlyMap<TruthBatch, Tally>): Promise<void> {
    const results = [...tallies.keys()].flatMap(({ rows }) => rows.map(({ result }) => result));
    if (results.length === 0) return;
    const copies = await findCopies(client, results, this.maxLatenessMs);
    const fresh: (SourcedRow & { readonly tally: Tally })[] = [];
    for (const [batch, tally] of tallies) {
      for (const row of batch.rows) {
        const sourced = { source: batch.source, partition: batch.partition, row };
        const kept = copies.get(identityOf(row.result));
        if (kept !== undefined) {
          countRepeat(tally, sourced, kept);
          continue;
        }
        // The first copy within this transaction is the one that the later ones are measured by.
        copies.set(identityOf(row.result), heldAs(sourced));
        fresh.push({ ...sourced, tally });
      }
    }
    await this.insert(client, fresh);
  }

  /**
   * After the inserts, so that it finds the rows whichever of void and result comes first. Records of one player share a
   * partition, whose position is locked: no other process inserts one half while this one looks for the other.
   */
  private async voidAll(client: PoolClient, tallies: ReadonlyMap<TruthBatch, Tally>): Promise<void> {
    const batches = [...tallies.keys()];
    const identities = batches.flatMap(({ rows, voids = [] }) => [...rows.map(({ result }) => result), ...voids]);
    const voided = await voidRows(client, identities);
    if (voided.size === 0) return;
    for (const [{ rows, partition }, tally] of tallies) {
      for (const row of rows) {
        if (voided.has(identityOf(row.result))) tally.doubts.push({ row, partitions: [partition] });
      }
    }
  }

  private async insert(client: PoolClient, fresh: readonly (SourcedRow & { readonly tally: Tally })[]): Promise<void> {
    if (fresh.length === 0) return;
    const inserted = await insertRows(client, fresh).catch((error: unknown) => {
      if (sqlStateOf(error) !== NO_PARTITION_FOR_ROW) throw error;
      this.days.forget();
      throw new StoreUnavailableError("a day's partition of match_results is gone and is made again", { cause: error });
    });
    const beaten = fresh.filter(({ row }) => !inserted.has(identityOf(row.result)));
    for (const { tally, row } of fresh) if (inserted.has(identityOf(row.result))) tally.inserted += 1;
    if (beaten.length === 0) return;
    // Another process committed these between the look-up and the insert.
    const copies = await findCopies(
      client,
      beaten.map(({ row }) => row.result),
      this.maxLatenessMs,
    );
    for (const { tally, ...sourced } of beaten) {
      countRepeat(tally, sourced, copies.get(identityOf(sourced.row.result)) ?? heldAs(sourced));
    }
  }
}

function heldAs({ source, partition, row }: SourcedRow): HeldCopy {
  return { ...contentOf(row.result), source, partition };
}

function countRepeat(tally: Tally, { source, partition, row }: SourcedRow, kept: HeldCopy): void {
  const difference = differenceOf(kept, row.result);
  // Of another log only this copy is still read: the kept one lies below every position.
  const isElsewhere = kept.source === source && kept.partition !== partition;
  if (difference !== undefined || isElsewhere) {
    tally.doubts.push({ row, partitions: isElsewhere ? [kept.partition, partition] : [partition] });
  }
  if (difference === undefined) {
    tally.duplicates += 1;
    return;
  }
  const detail = `the first copy of this match and player is kept; this one has ${difference}`;
  tally.conflicts.push({ row, detail });
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
