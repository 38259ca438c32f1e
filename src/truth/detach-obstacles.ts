/** What is in the way of detaching a day, and whether something came in between while its rows were folded. */

import type { PoolClient } from 'pg';
import type { BoardSeason } from '../domain/board-season.js';
import { type CheckpointRecord, readCheckpoint } from './checkpoint-record.js';
import { DAY_MS } from './day-partitions.js';
import { DetachedDaysError } from './detached-days.js';
import { readDetachedFold } from './detached-entries.js';
import { readDirty } from './dirty-subjects.js';
import { isBetween } from './position-ranges.js';
import { readAllPositions } from './source-positions.js';
import { Binder } from './statement.js';

export interface DetachRules {
  /** Every board in every season of the boards file. */
  readonly scopes: readonly BoardSeason[];
  readonly maxLatenessMs: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** A part of a sentence; `null` where nothing is in the way. `day`: of a table that is attached and not told of. */
export async function findObstacle(client: PoolClient, day: string, rules: DetachRules): Promise<string | null> {
  // A day more: clocks of game servers may run ahead, and the log may lag.
  if (rules.now < Date.parse(day) + 2 * DAY_MS + rules.maxLatenessMs) return 'results of this day may still come';
  for (const scope of coveringScopes(day, rules)) {
    const obstacle = await obstacleOf(client, scope, day);
    if (obstacle !== null) return obstacle;
  }
  return null;
}

export function coveringScopes(day: string, { scopes }: Pick<DetachRules, 'scopes'>): readonly BoardSeason[] {
  const startsAt = Date.parse(day);
  return scopes.filter(({ season }) => season.startsAt < startsAt + DAY_MS && startsAt < season.endsAt);
}

/** Of a tag that has one, whose lock is held. */
export async function heldCheckpoint(client: PoolClient, scope: BoardSeason): Promise<CheckpointRecord> {
  const checkpoint = await readCheckpoint(client, scope);
  if (checkpoint === null) throw new Error(`the checkpoint of ${scope.name} went away under its lock`);
  return checkpoint;
}

/** Whether rows of the day came, or were voided or corrected, that a snapshot, a pg_snapshot as text, does not show. */
export async function hasChanged(
  client: PoolClient,
  day: string,
  scopes: readonly BoardSeason[],
  snapshot: string,
): Promise<boolean> {
  if (await hasDirt(client, day, snapshot)) return true;
  for (const scope of scopes) {
    if (await hasRowsAbove(client, scope, await heldCheckpoint(client, scope), day)) return true;
  }
  return false;
}

async function obstacleOf(client: PoolClient, scope: BoardSeason, day: string): Promise<string | null> {
  const { name } = scope;
  const checkpoint = await readCheckpoint(client, scope);
  if (checkpoint === null) return `board ${name} has no checkpoint of its present definition`;
  if ((await readDirty(client, scope, checkpoint)).length > 0) {
    return `results were corrected that the checkpoint of ${name} has not seen yet`;
  }
  if (await hasRowsAbove(client, scope, checkpoint, day)) {
    return `the checkpoint of ${name} has not come to all its results`;
  }
  return await readDetachedFold(client, scope, `detaching more of board ${name}`).then(
    () => null,
    (error: unknown) => {
      if (error instanceof DetachedDaysError) return error.message;
      throw error;
    },
  );
}

async function hasRowsAbove(
  client: PoolClient,
  { board }: BoardSeason,
  { positions }: CheckpointRecord,
  day: string,
): Promise<boolean> {
  const bind = new Binder();
  const isAbove = isBetween(positions, await readAllPositions(client), bind);
  const { rows } = await client.query<{ exists: boolean }>(
    `SELECT EXISTS (SELECT FROM match_results WHERE day = ${bind.add('date', day)}
                       AND mode = ANY (${bind.add('text[]', board.modes)}) AND ${isAbove}) AS exists`,
    bind.values,
  );
  return rows[0]?.exists === true;
}

/** A transaction that voids or corrects rows says so. */
async function hasDirt(client: PoolClient, day: string, snapshot: string): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(
    `SELECT EXISTS (SELECT FROM dirty_subject
                     WHERE xid >= pg_snapshot_xmin($1::pg_snapshot) AND NOT pg_visible_in_snapshot(xid, $1::pg_snapshot)
                       AND achieved_at >= $2::date AND achieved_at < $2::date + 1) AS exists`,
    [snapshot, day],
  );
  return rows[0]?.exists === true;
}
