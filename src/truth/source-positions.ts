/** How far truth has considered each partition of each log: table `source_position`. */

import type { Pool, PoolClient } from 'pg';
import { parseSafeInteger } from '../domain/safe-integer.js';

export interface PartitionName {
  readonly source: string;
  readonly partition: number;
}

export interface StoredPosition extends PartitionName {
  readonly next: number;
}

/** Positions by (source, partition); absent is 0. */
export class PositionMap {
  private readonly stored = new Map<string, StoredPosition>();

  constructor(positions: readonly StoredPosition[]) {
    for (const position of positions) this.advance(position, position.next);
  }

  of(name: PartitionName): number {
    return this.stored.get(keyOf(name))?.next ?? 0;
  }

  /** Positions only grow: `next := max(next, to)`. */
  advance(name: PartitionName, to: number): number {
    const next = Math.max(this.of(name), to);
    this.stored.set(keyOf(name), { source: name.source, partition: name.partition, next });
    return next;
  }

  /** Each partition once. */
  all(): StoredPosition[] {
    return [...this.stored.values()];
  }
}

interface PositionRow {
  readonly source: string;
  readonly partition: number;
  readonly next: string;
}

/** `lock` holds the rows until the transaction ends, taken in one order so that two processes cannot wait for each other. */
export async function readPositions(
  client: Pool | PoolClient,
  names: readonly PartitionName[],
  lock: boolean,
): Promise<StoredPosition[]> {
  const { rows } = await client.query<PositionRow>(
    `SELECT source, partition, next::text FROM source_position
      WHERE (source, partition) IN (SELECT * FROM unnest($1::text[], $2::int[]))
      ORDER BY source, partition ${lock ? 'FOR UPDATE' : ''}`,
    [names.map(({ source }) => source), names.map(({ partition }) => partition)],
  );
  return rows.map(toPosition);
}

export async function readAllPositions(client: Pool | PoolClient): Promise<StoredPosition[]> {
  const { rows } = await client.query<PositionRow>(
    'SELECT source, partition, next::text FROM source_position ORDER BY source, partition',
  );
  return rows.map(toPosition);
}

export async function movePositions(client: PoolClient, positions: readonly StoredPosition[]): Promise<void> {
  if (positions.length === 0) return;
  await client.query(
    `INSERT INTO source_position AS held (source, partition, next)
      SELECT source, partition, max(next)
        FROM unnest($1::text[], $2::int[], $3::bigint[]) AS moved (source, partition, next)
       GROUP BY source, partition ORDER BY source, partition
      ON CONFLICT (source, partition) DO UPDATE SET next = greatest(held.next, excluded.next)`,
    [
      positions.map(({ source }) => source),
      positions.map(({ partition }) => partition),
      positions.map(({ next }) => next),
    ],
  );
}

function toPosition(row: PositionRow): StoredPosition {
  const next = parseSafeInteger(row.next, 'source_position.next');
  return { source: row.source, partition: row.partition, next };
}

function keyOf({ source, partition }: PartitionName): string {
  return `${source}/${partition}`;
}
