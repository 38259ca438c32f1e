/** Writes batches inside the transaction that moves their positions, and says what is to be told of each. */

import type { PoolClient } from 'pg';
import type { TruthBatch, TruthVoid } from '../domain/truth-batch.js';
import { correctRows, insertCorrections, type PlacedCorrection } from './corrections.js';
import { DAY_MS, utcDay } from './day-partitions.js';
import { findDetached } from './detached-copies.js';
import { readDetachedDays } from './detached-days.js';
import { writeHides } from './hidden-players.js';
import { contentOf, type Identity, identityOf } from './result-content.js';
import { type DayRange, findCopies, type HeldCopy, insertRows, type SourcedRow } from './result-rows.js';
import { type Arrival, doubtOf, emptyTally, type Tally, tellArrival, tellDetached } from './tally.js';
import { insertVoids, voidRows } from './voids.js';

interface AdmittedBatch {
  readonly batch: TruthBatch;
  /** The position before: what lies below was judged by an earlier call. */
  readonly before: number;
}

interface TalliedBatch extends AdmittedBatch {
  readonly tally: Tally;
}

interface Arrivals {
  readonly inserted: readonly Arrival[];
  readonly repeated: readonly Arrival[];
}

/** `maxLatenessMs`: on how far apart days the same identity can turn up. Throws pg's errors as they come. */
export async function writeBatches(
  client: PoolClient,
  admitted: readonly AdmittedBatch[],
  maxLatenessMs: number,
): Promise<ReadonlyMap<TruthBatch, Tally>> {
  const batches = admitted.map(({ batch }) => batch);
  const tallied = admitted.map((one) => ({ ...one, tally: emptyTally() }));
  const { inserted, repeated } = await writeRows(client, tallied, maxLatenessMs);
  await writeOrders(client, tallied);
  await writeHides(client, batches);
  const isChanged = await applyOrders(client, batches);
  for (const arrival of inserted) tellArrival(arrival, true, isChanged(arrival));
  for (const arrival of repeated) tellArrival(arrival, false, isChanged(arrival));
  return new Map(tallied.map(({ batch, tally }) => [batch, tally]));
}

async function writeRows(
  client: PoolClient,
  tallied: readonly TalliedBatch[],
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

/** After the inserts, so that orders meet their results whichever comes first. */
async function writeOrders(client: PoolClient, tallied: readonly TalliedBatch[]): Promise<void> {
  const asked = tallied.flatMap(({ batch: { voids = [], corrections = [] } }) => [...voids, ...corrections]);
  if (asked.length === 0) return;
  const copies = await findCopies(client, asked);
  const unknown = asked.filter((order) => !copies.has(identityOf(order)));
  const detached = await findDetached(client, unknown);
  const isOpen = (order: Identity): boolean => !detached.has(identityOf(order));
  const acceptedVoids: TruthVoid[] = [];
  const acceptedCorrections: PlacedCorrection[] = [];
  for (const { batch, tally } of tallied) {
    const { source, partition, voids = [], corrections = [] } = batch;
    for (const order of [...voids, ...corrections]) {
      const day = detached.get(identityOf(order));
      if (day !== undefined) tally.refused.push({ order, reason: 'day_detached', detail: needsDay(day) });
    }
    for (const order of voids.filter(isOpen)) {
      acceptedVoids.push(order);
      const kept = copies.get(identityOf(order)) ?? [];
      if (kept.length > 0) tally.doubts.push(doubtOf({ ...order, source, partition }, kept));
    }
    for (const correction of corrections.filter(isOpen)) {
      const kept = copies.get(identityOf(correction)) ?? [];
      const ofMode = kept.filter(({ mode }) => mode === correction.mode);
      const placed = { ...correction, source, partition };
      if (kept[0] !== undefined && ofMode.length === 0) {
        const detail = `the result of this match and player is of mode ${kept[0].mode}, not ${correction.mode}`;
        tally.refused.push({ order: correction, reason: 'correction_mismatch', detail });
        continue;
      }
      acceptedCorrections.push(placed);
      if (ofMode.length > 0) tally.doubts.push(doubtOf(placed, ofMode));
    }
  }
  await insertCorrections(client, acceptedCorrections);
  await insertVoids(client, acceptedVoids);
}

function needsDay(day: string): string {
  return (
    `the result is of ${day}, a day that was detached from match_results: ` +
    'attach its table again and delete the day from detached_day, then send the order again'
  );
}

/**
 * Voids and corrects rows. Records of one player share a partition, whose position is locked: no other process inserts one
 * half while this one looks for the other. Answers which rows that came are voided or corrected.
 */
async function applyOrders(client: PoolClient, batches: readonly TruthBatch[]): Promise<(arrival: Arrival) => boolean> {
  const identities = batches.flatMap(({ rows, voids = [], corrections = [] }) => [
    ...rows.map(({ result }) => result),
    ...voids,
    ...corrections,
  ]);
  const corrected = await correctRows(client, identities);
  const voided = await voidRows(client, identities);
  return ({ row }) => {
    const identity = identityOf(row.result);
    return corrected.has(identity) || voided.has(identity);
  };
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
