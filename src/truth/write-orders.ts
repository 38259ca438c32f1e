/** Writes voids and corrections inside the transaction that moves their positions: refuses some, applies the others. */

import type { PoolClient } from 'pg';
import { type Calendar, describeFinal, finalSeasonAt } from '../domain/season.js';
import type { RefusedOrder, TruthCorrection, TruthVoid } from '../domain/truth-batch.js';
import { correctRows, insertCorrections, type PlacedCorrection } from './corrections.js';
import { utcDay } from './day-partitions.js';
import { findDetached } from './detached-copies.js';
import { readAllDetachedDays } from './detached-days.js';
import { identityOf } from './result-content.js';
import { findAllCopies, type HeldCopy, type RowKey, rowKeysOf } from './result-rows.js';
import { type Arrival, doubtOf, type TalliedBatch } from './tally.js';
import { insertVoids, voidRows } from './voids.js';

type Order = TruthVoid | TruthCorrection;

/** What truth holds of the results that orders name, by identity. */
interface Named {
  readonly copies: ReadonlyMap<string, readonly HeldCopy[]>;
  /** Days of results that lie in tables taken out of match_results. */
  readonly detached: ReadonlyMap<string, string>;
  /** Days told of as detached: those that are attached still count as they were when they were told of. */
  readonly told: ReadonlySet<string>;
}

interface AcceptedOrders {
  readonly voids: readonly TruthVoid[];
  readonly corrections: readonly PlacedCorrection[];
  /** The rows that they are about. */
  readonly keys: readonly RowKey[];
}

/**
 * After the inserts, so that orders meet their results whichever comes first: orders of this call those of any, results of
 * this call (`arrivals`) those of earlier ones. Records of one player share a partition, whose position is locked: no other
 * process inserts one half while this one looks for the other. Answers which arrivals are voided or corrected.
 */
export async function writeOrders(
  client: PoolClient,
  tallied: readonly TalliedBatch[],
  arrivals: readonly Arrival[],
  calendar: Calendar,
): Promise<(arrival: Arrival) => boolean> {
  const asked = tallied.flatMap(({ batch: { voids = [], corrections = [] } }) => [...voids, ...corrections]);
  const { voids, corrections, keys } = acceptOrders(tallied, await readNamed(client, asked), calendar);
  await insertCorrections(client, corrections);
  await insertVoids(client, voids);
  const touched = [...arrivals.flatMap(({ row, kept }) => rowKeysOf(row.result, [kept])), ...keys];
  const corrected = await correctRows(client, touched);
  const voided = await voidRows(client, touched);
  return ({ row }) => {
    const identity = identityOf(row.result);
    return corrected.has(identity) || voided.has(identity);
  };
}

async function readNamed(client: PoolClient, asked: readonly Order[]): Promise<Named> {
  if (asked.length === 0) return { copies: new Map(), detached: new Map(), told: new Set() };
  const copies = await findAllCopies(client, asked);
  const unknown = asked.filter((order) => !copies.has(identityOf(order)));
  const told = new Set(await readAllDetachedDays(client));
  return { copies, detached: await findDetached(client, unknown), told };
}

/** Tells of each in the tally of its batch: a refusal, or a doubt where there is a result already. */
function acceptOrders(tallied: readonly TalliedBatch[], named: Named, calendar: Calendar): AcceptedOrders {
  const voids: TruthVoid[] = [];
  const corrections: PlacedCorrection[] = [];
  const keys: RowKey[] = [];
  for (const { batch, tally } of tallied) {
    const { source, partition } = batch;
    /** `mode`: that of a correction, which is about copies of its mode only. */
    const accepts = (order: Order, mode?: string): boolean => {
      const all = named.copies.get(identityOf(order)) ?? [];
      const copies = mode === undefined ? all : all.filter((copy) => copy.mode === mode);
      const refusal = mismatchOf(all, copies, mode) ?? refusalOf(order, copies, named, calendar);
      if (refusal !== undefined) {
        tally.refused.push({ order, ...refusal });
        return false;
      }
      keys.push(...rowKeysOf(order, copies));
      if (copies.length > 0) tally.doubts.push(doubtOf({ ...order, source, partition }, copies));
      return true;
    };
    voids.push(...(batch.voids ?? []).filter((order) => accepts(order)));
    const accepted = (batch.corrections ?? []).filter((order) => accepts(order, order.mode));
    corrections.push(...accepted.map((order) => ({ ...order, source, partition })));
  }
  return { voids, corrections, keys };
}

type Refusal = Omit<RefusedOrder, 'order'>;

function mismatchOf([held]: readonly HeldCopy[], copies: readonly HeldCopy[], mode?: string): Refusal | undefined {
  if (held === undefined || copies.length > 0) return undefined;
  const detail = `the result of this match and player is of mode ${held.mode}, not ${mode}`;
  return { reason: 'correction_mismatch', detail };
}

function refusalOf(
  order: Order,
  copies: readonly HeldCopy[],
  { detached, told }: Named,
  calendar: Calendar,
): Refusal | undefined {
  const days = copies.map(({ achievedAt }) => utcDay(achievedAt));
  const day = detached.get(identityOf(order)) ?? days.find((one) => told.has(one));
  if (day !== undefined) return { reason: 'day_detached', detail: needsDay(day) };
  // By the log's stamp, never by a clock: whoever reads the log again judges alike.
  const [season] = copies.flatMap(({ achievedAt }) => finalSeasonAt(calendar, achievedAt, order.brokerAt) ?? []);
  return season === undefined ? undefined : { reason: 'season_final', detail: describeFinal(calendar, season) };
}

function needsDay(day: string): string {
  return (
    `the result is of ${day}, a day that was detached from match_results: ` +
    'attach its table again and delete the day from detached_day, then send the order again'
  );
}
