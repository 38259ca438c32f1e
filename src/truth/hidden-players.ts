/** SQL of players who vanish from the boards, and come back: table `hidden_player`, the last word on each. */

import type { Pool, PoolClient } from 'pg';
import type { BoardSeason } from '../domain/board-season.js';
import { PLAYER_SUBJECT } from '../domain/lists.js';
import type { TruthBatch } from '../domain/truth-batch.js';
import { IS_LATER_THAN_HELD, lastOfEach } from './log-place.js';

/** Keeps the last word on each player, in the order of the log: what was said before it changes nothing. */
export async function writeHides(client: PoolClient, batches: readonly TruthBatch[]): Promise<void> {
  const said = batches.flatMap(({ source, partition, hides = [] }) =>
    hides.map((hide) => ({ ...hide, source, partition })),
  );
  const last = lastOfEach(said, ({ playerId }) => playerId);
  if (last.length === 0) return;
  await client.query(
    `INSERT INTO hidden_player AS held (player_id, is_hidden, broker_at, source, source_partition, source_offset)
      SELECT * FROM unnest($1::text[], $2::boolean[], $3::timestamptz[], $4::text[], $5::int[], $6::bigint[])
          AS said (player_id, is_hidden, broker_at, source, source_partition, source_offset)
       ORDER BY player_id
      ON CONFLICT (player_id) DO UPDATE
         SET is_hidden = excluded.is_hidden, broker_at = excluded.broker_at, source = excluded.source,
             source_partition = excluded.source_partition, source_offset = excluded.source_offset
       WHERE ${IS_LATER_THAN_HELD}`,
    [
      last.map(({ playerId }) => playerId),
      last.map(({ isHidden }) => isHidden),
      last.map(({ brokerAt }) => new Date(brokerAt).toISOString()),
      last.map(({ source }) => source),
      last.map(({ partition }) => partition),
      last.map(({ offset }) => offset),
    ],
  );
}

/** Whom no list of the board may show: players; where the board ranks something else, none, whatever a guild's id is. */
export async function readHidden(client: Pool | PoolClient, { board }: Pick<BoardSeason, 'board'>): Promise<string[]> {
  if (board.subject !== PLAYER_SUBJECT) return [];
  const { rows } = await client.query<{ player_id: string }>(
    'SELECT player_id FROM hidden_player WHERE is_hidden ORDER BY player_id',
  );
  return rows.map(({ player_id }) => player_id);
}
