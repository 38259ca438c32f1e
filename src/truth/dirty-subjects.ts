/**
 * Subjects whose kept rows changed: table `dirty_subject`. A checkpoint that counted the rows as they were folds them anew.
 *
 * Commits come in another order than numbers are given out, so a checkpoint cannot say "all changes up to number n". It
 * keeps the snapshot in which it read rows last, which knows the transactions that it did not show. Each change is looked at
 * once: where days are detached, a look more than needed would ask for rows that are not there.
 */

import type { Pool, PoolClient } from 'pg';
import type { BoardSeason } from '../domain/board-season.js';
import type { CheckpointRecord } from './checkpoint-record.js';
import { subjectColumn } from './fold-lists.js';
import { isBetween } from './position-ranges.js';
import { Binder } from './statement.js';
import { toStoreError } from './store-errors.js';

/** What an UPDATE of match_results, called `held` there, returns for `insertDirty`. */
export const DIRTYING_COLUMNS =
  'held.player_id, held.mode, held.scopes, held.achieved_at, held.source, held.source_partition, held.source_offset';

/** To be run in the statement that changes the rows; `changed`: the name of what that returns. */
export function insertDirty(changed: string): string {
  const columns = 'player_id, mode, scopes, achieved_at, source, source_partition, source_offset';
  return `INSERT INTO dirty_subject (${columns}) SELECT ${columns} FROM ${changed}`;
}

/**
 * Subjects of the board and season with rows that the checkpoint counted and that were changed since, each once; `subject`:
 * only this one. Rows at or above its positions are counted later, as they are then.
 */
export async function readDirty(
  client: PoolClient,
  { board, season, lists }: BoardSeason,
  checkpoint: Pick<CheckpointRecord, 'positions' | 'snapshot'>,
  subject?: string,
): Promise<string[]> {
  const bind = new Binder();
  const who = subjectColumn(lists.shape, bind);
  const snapshot = bind.add('pg_snapshot', checkpoint.snapshot);
  const { rows } = await client.query<{ subject: string }>(
    `SELECT DISTINCT ${who} AS subject FROM dirty_subject
      WHERE xid >= pg_snapshot_xmin(${snapshot}) AND NOT pg_visible_in_snapshot(xid, ${snapshot})
        AND ${isBetween([], checkpoint.positions, bind)}
        AND mode = ANY (${bind.add('text[]', board.modes)})
        AND achieved_at >= ${bind.add('timestamptz', new Date(season.startsAt).toISOString())}
        AND achieved_at < ${bind.add('timestamptz', new Date(season.endsAt).toISOString())}
        AND ${subject === undefined ? `${who} IS NOT NULL` : `${who} = ${bind.add('text', subject)}`}`,
    [...bind.values],
  );
  return rows.map((row) => row.subject);
}

/**
 * Drops what every checkpoint has seen. Numbers that this cluster has not given out yet came with a dump of another one,
 * whose checkpoints start anew. Throws `StoreUnavailableError`.
 */
export async function dropSeenDirt(pool: Pool): Promise<void> {
  await pool
    .query(
      `DELETE FROM dirty_subject
        WHERE xid < (SELECT pg_snapshot_xmin(snapshot) AS xmin FROM board_checkpoint ORDER BY xmin LIMIT 1)
           OR xid >= pg_snapshot_xmax(pg_current_snapshot())`,
    )
    .catch((error: unknown) => {
      throw toStoreError(error);
    });
}
