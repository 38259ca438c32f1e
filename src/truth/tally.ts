/** What is told of a batch: counts, conflicts, and the players whose entries a ranking may hold otherwise than truth does. */

import type { ListedResult } from '../domain/lists.js';
import type { RefusedOrder, TruthBatch, TruthConflict, TruthDoubt, TruthRow } from '../domain/truth-batch.js';
import { areListedAlike, differenceOf } from './result-content.js';
import type { HeldCopy, SourcedRow } from './result-rows.js';

export interface Tally {
  inserted: number;
  duplicates: number;
  readonly conflicts: TruthConflict[];
  readonly doubts: TruthDoubt[];
  readonly refused: RefusedOrder[];
  readonly detached: TruthRow[];
}

export interface TalliedBatch {
  readonly batch: TruthBatch;
  readonly tally: Tally;
}

/** A row that came, and the copy that it is measured by. */
export interface Arrival extends SourcedRow {
  readonly tally: Tally;
  /** Itself, where it came first. */
  readonly kept: HeldCopy;
}

/** A record of the log that raises a doubt. */
interface Doubting {
  readonly source: string;
  readonly partition: number;
  readonly playerId: string;
  readonly offset: number;
}

export function emptyTally(): Tally {
  return { inserted: 0, duplicates: 0, conflicts: [], doubts: [], refused: [], detached: [] };
}

/** `isChanged`: an order has voided or corrected what is kept, and a ranking may have counted this row as it came. */
export function tellArrival(arrival: Arrival, isInserted: boolean, isChanged: boolean): void {
  const { tally, source, partition, row, kept } = arrival;
  const difference = differenceOf(kept, row.result);
  if (isInserted) tally.inserted += 1;
  else if (difference === undefined) tally.duplicates += 1;
  else
    tally.conflicts.push({
      row,
      detail: `the first copy of this match and player is kept; this one has ${difference}`,
    });
  if (difference === undefined && !isElsewhere(kept, arrival) && !isChanged) return;
  const { result, offset } = row;
  tally.doubts.push(doubtOf({ source, partition, playerId: result.playerId, offset }, [kept], result));
}

/** A row that is not written, as its day is detached: rankings may have counted it. */
export function tellDetached(tally: Tally, { source, partition, row }: SourcedRow): void {
  const { result, offset } = row;
  tally.detached.push(row);
  tally.doubts.push(doubtOf({ source, partition, playerId: result.playerId, offset }, [], result));
}

/** `came`: the copy that raised it, where it was one. */
export function doubtOf(record: Doubting, kept: readonly HeldCopy[], came?: ListedResult): TruthDoubt {
  const { partition, playerId, offset } = record;
  const elsewhere = kept.filter((copy) => isElsewhere(copy, record)).map((copy) => copy.partition);
  const listed: ListedResult[] = [];
  for (const { achievedAt, scopes } of came === undefined ? kept : [...kept, came]) {
    const copy = { achievedAt, scopes };
    if (!listed.some((known) => areListedAlike(known, copy))) listed.push(copy);
  }
  return { playerId, offset, partitions: [...new Set([...elsewhere, partition])], copies: listed };
}

/** Of another log only the record is still read: the kept copy lies below every position. */
function isElsewhere(kept: HeldCopy, { source, partition }: Pick<Doubting, 'source' | 'partition'>): boolean {
  return kept.source === source && kept.partition !== partition;
}
