/** SQL of results that got other points: table `corrected_result`, and the rows that it names. */

import type { PoolClient } from 'pg';
import type { TruthCorrection } from '../domain/truth-batch.js';
import { DIRTYING_COLUMNS, insertDirty } from './dirty-subjects.js';
import { IS_LATER_THAN_HELD, lastOfEach } from './log-place.js';
import { identityOf, valuesOf } from './result-content.js';
import { daysOfRows, type RowKey } from './result-rows.js';

export interface PlacedCorrection extends TruthCorrection {
  readonly source: string;
  readonly partition: number;
}

/** Keeps the last correction of each identity and mode, in the order of the log. */
export async function insertCorrections(client: PoolClient, corrections: readonly PlacedCorrection[]): Promise<void> {
  const last = lastOfEach(corrections, (one) => `${identityOf(one)}\n${one.mode}`);
  if (last.length === 0) return;
  const values = last.map(({ fields }) => valuesOf(fields));
  await client.query(
    `INSERT INTO corrected_result AS held (match_id, player_id, mode, points, fields, broker_at,
                                           source, source_partition, source_offset)
      SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::jsonb[], $6::timestamptz[],
                           $7::text[], $8::int[], $9::bigint[])
          AS asked (match_id, player_id, mode, points, fields, broker_at, source, source_partition, source_offset)
       ORDER BY match_id, player_id, mode
      ON CONFLICT (match_id, player_id, mode) DO UPDATE
         SET points = excluded.points, fields = excluded.fields, broker_at = excluded.broker_at, source = excluded.source,
             source_partition = excluded.source_partition, source_offset = excluded.source_offset
       WHERE ${IS_LATER_THAN_HELD}`,
    [
      last.map(({ matchId }) => matchId),
      last.map(({ playerId }) => playerId),
      last.map(({ mode }) => mode),
      values.map(({ points }) => points),
      values.map(({ fields }) => (fields === null ? null : JSON.stringify(fields))),
      last.map(({ brokerAt }) => new Date(brokerAt).toISOString()),
      last.map(({ source }) => source),
      last.map(({ partition }) => partition),
      last.map(({ offset }) => offset),
    ],
  );
}

/** Gives the rows the values that they are corrected to. Answers the identities that have corrected rows. */
export async function correctRows(client: PoolClient, keys: readonly RowKey[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  const { rows } = await client.query<{ match_id: string; player_id: string }>(
    `SELECT DISTINCT match_id, player_id FROM corrected_result
      WHERE (match_id, player_id) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
    [keys.map(({ matchId }) => matchId), keys.map(({ playerId }) => playerId)],
  );
  if (rows.length === 0) return new Set();
  const { rows: corrected } = await client.query<{ match_id: string; player_id: string }>(
    `WITH named AS (
       SELECT held.match_id, held.player_id, held.day, asked.points, asked.fields, asked.broker_at
         FROM corrected_result asked
         JOIN match_results held USING (match_id, player_id, mode)
        WHERE (match_id, player_id) IN (SELECT * FROM unnest($1::text[], $2::text[]))
          AND held.day = ANY ($3::date[])
     ), changed AS (
       UPDATE match_results held
          SET points = named.points, fields = named.fields, corrected_at = named.broker_at,
              original_fields = coalesce(held.original_fields, held.fields, jsonb_build_object('points', held.points))
         FROM named
        WHERE held.match_id = named.match_id AND held.player_id = named.player_id AND held.day = named.day
          AND held.day = ANY ($3::date[])
          AND (held.points, held.fields, held.corrected_at)
              IS DISTINCT FROM (named.points, named.fields, named.broker_at)
       RETURNING ${DIRTYING_COLUMNS}
     ), dirtied AS (${insertDirty('changed')})
     SELECT match_id, player_id FROM named`,
    [rows.map((row) => row.match_id), rows.map((row) => row.player_id), daysOfRows(keys, identitiesOf(rows))],
  );
  return identitiesOf(corrected);
}

function identitiesOf(rows: readonly { readonly match_id: string; readonly player_id: string }[]): Set<string> {
  return new Set(rows.map((row) => identityOf({ matchId: row.match_id, playerId: row.player_id })));
}
