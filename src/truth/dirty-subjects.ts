/**
 * Subjects whose kept rows changed: table `dirty_subject`. A checkpoint that counted the rows as they were folds them anew.
 *
 * Commits come in another order than numbers are given out, so a checkpoint cannot say "all changes up to number n". It
 * keeps the xmin of the snapshot in which it read rows last: a transaction below it had ended, and what it changed was seen.
 * A change of any other one is looked at again, once more than needed at times, and never missed.
 */

import type { Pool, PoolClient } from 'pg';
import type { BoardSeason } from '../domain/board-season.js';
import { subjectColumn } from './fold-lists.js';
import { Binder } from './statement.js';
import { toStoreError } from './store-errors.js';

/** What an UPDATE of match_results, called `held` there, returns for `insertDirty`. */
export const DIRTYING_COLUMNS = 'held.player_id, held.mode, held.scopes, held.achieved_at';

/** To be run in the statement that changes the rows; `changed`: the name of what that returns. */
export function insertDirty(changed: string): string {
  return `INSERT INTO dirty_subject (player_id, mode, scopes, achieved_at)
          SELECT player_id, mode, scopes, achieved_at FROM ${changed}`;
}

/** Subjects of the board and season with rows that were changed since, each once; `subject`: only this one. */
export async function readDirty(
  client: PoolClient,
  { board, season, lists }: BoardSeason,
  sinceXmin: string,
  subject?: string,
): Promise<string[]> {
  const bind = new Binder();
  const who = subjectColumn(lists.shape, bind);
  const { rows } = await client.query<{ subject: string }>(
    `SELECT DISTINCT ${who} AS subject FROM dirty_subject
      WHERE xid >= ${bind.add('xid8', sinceXmin)} AND mode = ANY (${bind.add('text[]', board.modes)})
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
        WHERE xid < (SELECT snapshot_xmin FROM board_checkpoint ORDER BY snapshot_xmin LIMIT 1)
           OR xid >= pg_snapshot_xmax(pg_current_snapshot())`,
    )
    .catch((error: unknown) => {
      throw toStoreError(error);
    });
}
