/**
 * Takes days out of match_results whose rows every checkpoint has seen; their tables stay, under the same names.
 *
 * What a day's rows come to is kept for each tag (detached-entries.ts), so that subjects can be folded anew, and checkpoints
 * start anew, without the day. One transaction folds the day for all its boards and tells of it in `detached_day`; from then on
 * its rows are left out wherever rows are folded, and orders for them are refused, whether it is attached still or not. Then it
 * is detached. Cut off in between, the next run finishes without folding again.
 */

import type { Pool, PoolClient } from 'pg';
import { StoreUnavailableError } from '../domain/errors.js';
import { coveringScopes, type DetachRules, findObstacle, hasChanged, heldCheckpoint } from './detach-obstacles.js';
import { readAllDetachedDays } from './detached-days.js';
import { addDetachedDay } from './detached-entries.js';
import { patientQuery } from './patient-query.js';
import { toStoreError } from './store-errors.js';
import { TAG_LOCK_KEY } from './tag-lock-key.js';
import { transactOn } from './transaction.js';

/** A day's table, and what is in the way of detaching it: a part of a sentence, `null` where nothing is. */
export interface DayReport {
  /** `2026-09-01`, UTC. */
  readonly day: string;
  readonly obstacle: string | null;
}

export interface DetachOptions extends DetachRules {
  readonly pool: Pool;
  /** UTC day: those before it are looked at. */
  readonly before: string;
  /** Only looks. */
  readonly isDry: boolean;
}

interface DayTable {
  readonly day: string;
  readonly name: string;
  /** Its rows are counted in the entries of detached days: a detaching that was cut off behind that. */
  readonly isTold: boolean;
  /** Cut off later still, in the midst of PostgreSQL's own steps. */
  readonly isPending: boolean;
}

/** The server waits for all transactions that read the table. */
const DETACH_TIMEOUT_MS = 3_600_000;
/** A board's fold of a whole day. */
const FOLD_TIMEOUT_MS = 3_600_000;
/** Beyond it PostgreSQL groups and sorts on disk. */
const FOLD_WORK_MEMORY = '128MB';

/**
 * Days in the order of time; those without an obstacle are detached one after another as the report is read. Safe to end at
 * any point, and to run again. Throws `StoreUnavailableError`, also while one of the boards is being filled.
 */
export async function* detachDays(options: DetachOptions): AsyncIterable<DayReport> {
  const client = await options.pool.connect().catch((error: unknown) => {
    throw toStoreError(error);
  });
  try {
    await client.query('SET statement_timeout = 0');
    if (!options.isDry) for (const { name } of options.scopes) await lock(client, name);
    for (const table of await readTables(client, options.before)) {
      yield { day: table.day, obstacle: await takeOut(client, table, options) };
    }
  } catch (error) {
    throw toStoreError(error);
  } finally {
    // The locks and the setting end with the connection.
    client.release(true);
  }
}

/** Nobody may read rows while a day of them goes away, nor count any that nobody has asked for here. */
async function lock(client: PoolClient, tagName: string): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>(`SELECT pg_try_advisory_lock(${TAG_LOCK_KEY}) AS locked`, [
    tagName,
  ]);
  if (rows[0]?.locked === true) return;
  throw new StoreUnavailableError(`board ${tagName} is being filled, or its checkpoint advanced: try again later`);
}

async function readTables(client: PoolClient, before: string): Promise<DayTable[]> {
  const { rows } = await client.query<{ name: string; pending: boolean }>(
    `SELECT relname AS name, inhdetachpending AS pending
       FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
      WHERE inhparent = 'match_results'::regclass ORDER BY relname`,
  );
  const days = new Set(await readAllDetachedDays(client));
  return rows.flatMap(({ name, pending }) => {
    const [, year, month, date] = /^match_results_(\d{4})(\d\d)(\d\d)$/.exec(name) ?? [];
    const day = `${year}-${month}-${date}`;
    return date !== undefined && day < before ? [{ day, name, isTold: days.has(day), isPending: pending }] : [];
  });
}

/** Rows of the day came or changed while it was folded. */
class DayChangedError extends Error {}

/** Answers what is in the way. */
async function takeOut(client: PoolClient, table: DayTable, options: DetachOptions): Promise<string | null> {
  const isBegun = table.isTold || table.isPending;
  const obstacle = isBegun ? null : await findObstacle(client, table.day, options);
  if (obstacle !== null || options.isDry) return obstacle;
  try {
    if (!isBegun) await foldAndTell(client, table.day, options);
  } catch (error) {
    if (error instanceof DayChangedError) return 'its results were changed while they were folded: try again';
    throw error;
  }
  await detach(client, table);
  return null;
}

async function foldAndTell(client: PoolClient, day: string, { now, ...rules }: DetachOptions): Promise<void> {
  const scopes = coveringScopes(day, rules);
  await transactOn(client, 'READ WRITE', async () => {
    await client.query(`SET LOCAL work_mem = '${FOLD_WORK_MEMORY}'`);
    const { rows } = await client.query<{ snapshot: string }>('SELECT pg_current_snapshot()::text AS snapshot');
    for (const scope of scopes) {
      const { positions } = await heldCheckpoint(client, scope);
      await addDetachedDay(client, scope, { day, positions, now }, FOLD_TIMEOUT_MS);
    }
    await tell(client, day);
    // Waits for the writers that have looked whether the day is told of; those behind them will find it told of.
    await client.query(patientQuery(FOLD_TIMEOUT_MS, 'LOCK TABLE detached_day IN ACCESS EXCLUSIVE MODE'));
    if (await hasChanged(client, day, scopes, rows[0]?.snapshot ?? '')) throw new DayChangedError();
  });
}

async function tell(client: PoolClient, day: string): Promise<void> {
  await client.query('INSERT INTO detached_day (day) VALUES ($1) ON CONFLICT DO NOTHING', [day]);
}

async function detach(client: PoolClient, { day, name, isPending }: DayTable): Promise<void> {
  // Again, where a person deleted the day in the midst: its rows would be missed without a word.
  await tell(client, day);
  // CONCURRENTLY lets results be written and read meanwhile.
  const how = isPending ? 'FINALIZE' : 'CONCURRENTLY';
  await client.query(patientQuery(DETACH_TIMEOUT_MS, `ALTER TABLE match_results DETACH PARTITION ${name} ${how}`));
}
