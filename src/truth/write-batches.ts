/** Writes batches inside the transaction that moves their positions, and says what is to be told of each. */

import type { PoolClient } from 'pg';
import type { Calendar } from '../domain/season.js';
import type { TruthBatch } from '../domain/truth-batch.js';
import { DAY_MS, utcDay } from './day-partitions.js';
import type { DayRange } from './day-windows.js';
import { readDetachedDays } from './detached-days.js';
import { writeHides } from './hidden-players.js';
import { contentOf, identityOf } from './result-content.js';
import { findCopies, type HeldCopy, insertRows, type SourcedRow } from './result-rows.js';
import { type Arrival, emptyTally, type TalliedBatch, type Tally, tellArrival, tellDetached } from './tally.js';
import { writeOrders } from './write-orders.js';

interface AdmittedBatch {
  readonly batch: TruthBatch;
  /** The position before: what lies below was judged by an earlier call. */
  readonly before: number;
}

interface WriteRules {
  /** On how far apart days the same identity can turn up. */
  readonly maxLatenessMs: number;
  readonly calendar: Calendar;
}

interface Arrivals {
  readonly inserted: readonly Arrival[];
  readonly repeated: readonly Arrival[];
}

/** Throws pg's errors as they come. */
export async function writeBatches(
  client: PoolClient,
  admitted: readonly AdmittedBatch[],
  { maxLatenessMs, calendar }: WriteRules,
): Promise<ReadonlyMap<TruthBatch, Tally>> {
  const batches = admitted.map(({ batch }) => batch);
  const tallied = admitted.map((one) => ({ ...one, tally: emptyTally() }));
  const { inserted, repeated } = await writeRows(client, tallied, maxLatenessMs);
  await writeHides(client, batches);
  const isChanged = await writeOrders(client, tallied, [...inserted, ...repeated], calendar);
  for (const arrival of inserted) tellArrival(arrival, true, isChanged(arrival));
  for (const arrival of repeated) tellArrival(arrival, false, isChanged(arrival));
  return new Map(tallied.map(({ batch, tally }) => [batch, tally]));
}

async function writeRows(
  client: PoolClient,
  tallied: readonly (AdmittedBatch & TalliedBatch)[],
  maxLatenessMs: number,
): Promise<Arrivals> {
  const results = tallied.flatMap(({ batch }) => batch.rows.map(({ result }) => result));
  if (results.length === 0) return { inserted: [], repeated: [] };
  const days = daysAround(results, maxLatenessMs);
  const copies = await findCopies(client, results, days);
  const detached = new Set(await readDetachedDays(client, spanOf(results)));
  const fresh: Arrival[] = [];
  const repeated: Arrival[] = [];
  for (const { batch, before, tally } of tallied) {
    for (const row of batch.rows) {
      const sourced = { source: batch.source, partition: batch.partition, row };
      const [held] = copies.get(identityOf(row.result)) ?? [];
      // Checkpoints have passed it: either that call did not take it, or its day was detached since.
      if (held === undefined && row.offset < before) continue;
      if (held === undefined && detached.has(utcDay(row.result.achievedAt))) {
        tellDetached(tally, sourced);
        continue;
      }
      const arrival = { ...sourced, tally, kept: held ?? heldAs(sourced) };
      // The first copy within this transaction is the one that the later ones are measured by.
      if (held === undefined) copies.set(identityOf(row.result), [arrival.kept]);
      (held === undefined ? fresh : repeated).push(arrival);
    }
  }
  const { inserted, beaten } = await insertFresh(client, fresh, days);
  return { inserted, repeated: [...repeated, ...beaten] };
}

async function insertFresh(
  client: PoolClient,
  fresh: readonly Arrival[],
  days: DayRange,
): Promise<{ inserted: readonly Arrival[]; beaten: readonly Arrival[] }> {
  if (fresh.length === 0) return { inserted: [], beaten: [] };
  const identities = await insertRows(client, fresh);
  const isInserted = ({ row }: Arrival): boolean => identities.has(identityOf(row.result));
  const beaten = fresh.filter((arrival) => !isInserted(arrival));
  if (beaten.length === 0) return { inserted: fresh, beaten };
  // Another process committed these between the look-up and the insert.
  const results = beaten.map(({ row }) => row.result);
  const copies = await findCopies(client, results, days);
  const measured = beaten.map((arrival) => {
    const [kept = arrival.kept] = copies.get(identityOf(arrival.row.result)) ?? [];
    return { ...arrival, kept };
  });
  return { inserted: fresh.filter(isInserted), beaten: measured };
}

/** The days on which copies of these results may be. */
function daysAround(results: readonly { readonly achievedAt: number }[], maxLatenessMs: number): DayRange {
  const { startsAt, endsAt } = spanOf(results);
  // A day more on both sides: clocks of game servers may run ahead.
  const reachMs = maxLatenessMs + DAY_MS;
  return { from: utcDay(startsAt - reachMs), to: utcDay(endsAt - 1 + reachMs) };
}

/** The narrowest half-open window that has all of them. */
function spanOf(results: readonly { readonly achievedAt: number }[]): { startsAt: number; endsAt: number } {
  const instants = results.map(({ achievedAt }) => achievedAt);
  const startsAt = instants.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  return { startsAt, endsAt: 1 + instants.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY) };
}

function heldAs({ source, partition, row }: SourcedRow): HeldCopy {
  return { ...contentOf(row.result), source, partition };
}
