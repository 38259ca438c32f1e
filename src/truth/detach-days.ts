/** Takes days out of match_results whose rows every checkpoint has seen; their tables stay, under the same names. */

import type { Pool, PoolClient } from 'pg';
import type { BoardSeason } from '../domain/board-season.js';
import { StoreUnavailableError } from '../domain/errors.js';
import { readCheckpoint } from './checkpoint-record.js';
import { DAY_MS } from './day-partitions.js';
import { readDirty } from './dirty-subjects.js';
import { patientQuery } from './patient-query.js';
import { isBetween } from './position-ranges.js';
import { readAllPositions } from './source-positions.js';
import { Binder } from './statement.js';
import { toStoreError } from './store-errors.js';
import { TAG_LOCK_KEY } from './tag-lock-key.js';

/** A day's table, and what is in the way of detaching it: a part of a sentence, `null` where nothing is. */
export interface DayReport {
  /** `2026-09-01`, UTC. */
  readonly day: string;
  readonly obstacle: string | null;
}

export interface DetachOptions {
  readonly pool: Pool;
  /** Every board in every season of the boards file. */
  readonly scopes: readonly BoardSeason[];
  readonly maxLatenessMs: number;
  /** UTC day: those before it are looked at. */
  readonly before: string;
  /** Only looks. */
  readonly isDry: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

interface DayTable {
  readonly day: string;
  readonly name: string;
  /** A detaching that was cut off. */
  readonly isPending: boolean;
}

/** The server waits for all transactions that read the table. */
const DETACH_TIMEOUT_MS = 3_600_000;

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
      const obstacle = await findObstacle(client, table, options);
      if (obstacle === null && !options.isDry) await detach(client, table);
      yield { day: table.day, obstacle };
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
  return rows.flatMap(({ name, pending }) => {
    const [, year, month, date] = /^match_results_(\d{4})(\d\d)(\d\d)$/.exec(name) ?? [];
    const day = `${year}-${month}-${date}`;
    return date !== undefined && day < before ? [{ day, name, isPending: pending }] : [];
  });
}

async function findObstacle(
  client: PoolClient,
  { day, isPending }: DayTable,
  { scopes, maxLatenessMs, now }: DetachOptions,
): Promise<string | null> {
  if (isPending) return null;
  const startsAt = Date.parse(day);
  // A day more: clocks of game servers may run ahead, and the log may lag.
  if (now < startsAt + 2 * DAY_MS + maxLatenessMs) return 'results of this day may still come';
  const covering = scopes.filter(({ season }) => season.startsAt < startsAt + DAY_MS && startsAt < season.endsAt);
  for (const scope of covering) {
    const obstacle = await obstacleOf(client, scope, day);
    if (obstacle !== null) return obstacle;
  }
  return null;
}

async function obstacleOf(client: PoolClient, scope: BoardSeason, day: string): Promise<string | null> {
  const { name, board } = scope;
  const checkpoint = await readCheckpoint(client, scope);
  if (checkpoint === null) return `board ${name} has no checkpoint of its present definition`;
  if ((await readDirty(client, scope, checkpoint)).length > 0) {
    return `results were corrected that the checkpoint of ${name} has not seen yet`;
  }
  const bind = new Binder();
  const isAbove = isBetween(checkpoint.positions, await readAllPositions(client), bind);
  const { rows } = await client.query<{ exists: boolean }>(
    `SELECT EXISTS (SELECT FROM match_results WHERE day = ${bind.add('date', day)}
                       AND mode = ANY (${bind.add('text[]', board.modes)}) AND ${isAbove}) AS exists`,
    bind.values,
  );
  return rows[0]?.exists === true ? `the checkpoint of ${name} has not come to all its results` : null;
}

/** Told of first: whoever reads rows meanwhile is refused rather than shown a part of them. */
async function detach(client: PoolClient, { day, name, isPending }: DayTable): Promise<void> {
  await client.query('INSERT INTO detached_day (day) VALUES ($1) ON CONFLICT DO NOTHING', [day]);
  // CONCURRENTLY lets results be written and read meanwhile.
  const how = isPending ? 'FINALIZE' : 'CONCURRENTLY';
  await client.query(patientQuery(DETACH_TIMEOUT_MS, `ALTER TABLE match_results DETACH PARTITION ${name} ${how}`));
}
