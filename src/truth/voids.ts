/** SQL of results that were taken back: table `voided_result`, and `voided_at` of the rows that it names. */

import type { PoolClient } from 'pg';
import type { TruthVoid } from '../domain/truth-batch.js';
import { DIRTYING_COLUMNS, insertDirty } from './dirty-subjects.js';
import { identityOf } from './result-content.js';
import { daysOfRows, type RowKey } from './result-rows.js';

/** Keeps the voids, each identity once. */
export async function insertVoids(client: PoolClient, voids: readonly TruthVoid[]): Promise<void> {
  if (voids.length === 0) return;
  await client.query(
    `INSERT INTO voided_result (match_id, player_id, voided_at)
      SELECT match_id, player_id, min(voided_at)
        FROM unnest($1::text[], $2::text[], $3::timestamptz[]) AS asked (match_id, player_id, voided_at)
       GROUP BY match_id, player_id ORDER BY match_id, player_id
      ON CONFLICT DO NOTHING`,
    [
      voids.map(({ matchId }) => matchId),
      voids.map(({ playerId }) => playerId),
      voids.map(({ brokerAt }) => new Date(brokerAt).toISOString()),
    ],
  );
}

/** Marks those of the rows that are voided and do not say so yet. Answers the identities that are voided. */
export async function voidRows(client: PoolClient, keys: readonly RowKey[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  const { rows } = await client.query<{ match_id: string; player_id: string }>(
    `SELECT match_id, player_id FROM voided_result
      WHERE (match_id, player_id) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
    [keys.map(({ matchId }) => matchId), keys.map(({ playerId }) => playerId)],
  );
  const voided = new Set(rows.map((row) => identityOf({ matchId: row.match_id, playerId: row.player_id })));
  if (voided.size === 0) return voided;
  await client.query(
    `WITH changed AS (
       UPDATE match_results held SET voided_at = gone.voided_at
         FROM voided_result gone
        WHERE (gone.match_id, gone.player_id) IN (SELECT * FROM unnest($1::text[], $2::text[]))
          AND held.match_id = gone.match_id AND held.player_id = gone.player_id AND held.voided_at IS NULL
          AND held.day = ANY ($3::date[])
       RETURNING ${DIRTYING_COLUMNS}
     ) ${insertDirty('changed')}`,
    [rows.map((row) => row.match_id), rows.map((row) => row.player_id), daysOfRows(keys, voided)],
  );
  return voided;
}
