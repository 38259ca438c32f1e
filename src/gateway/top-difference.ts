/** The step between two states of a placed window. */

import type { TopRow } from '../views/top-rows.js';

interface PlacedRow {
  readonly index: number;
  readonly row: TopRow;
  readonly isNew: boolean;
}

export interface Difference {
  readonly removed: readonly TopRow[];
  /** By ascending index. */
  readonly placed: readonly PlacedRow[];
  /** Broker time of the newest row placed, if any. */
  readonly at: number | null;
}

/**
 * What must be taken out and put in to come from one window to the other. Rows are values: one that is the same object
 * has not changed its key, so the untouched ones keep their order among themselves and need not be named.
 */
export function difference(before: readonly TopRow[], after: readonly TopRow[]): Difference {
  const old = new Map(before.map((row) => [row.playerId, row]));
  const placed: PlacedRow[] = [];
  after.forEach((row, index) => {
    const known = old.get(row.playerId);
    if (known !== row) placed.push({ index, row, isNew: known === undefined });
    old.delete(row.playerId);
  });
  return { removed: [...old.values()], placed, at: newest(placed.map(({ row }) => row)) };
}

/** Broker time of the newest of the rows, `null` where none is known. */
export function newest(rows: readonly TopRow[]): number | null {
  const times = rows.flatMap((row) => row.at ?? []);
  return times.length === 0 ? null : Math.max(...times);
}
