/** The run's own SQL: friendships put in at once, and which acknowledged results Postgres has. */

import type { Pool } from 'pg';
import type { FriendPair } from './friend-pairs.js';
import type { SentResult } from './sent-results.js';

const CHUNK_ROWS = 20_000;

/** Before anybody connects: no gateway has cached a list, so nobody has to be told. */
export async function writeFriendships(
  pool: Pool,
  pairs: readonly FriendPair[],
  idOf: (index: number) => string,
): Promise<void> {
  for (const chunk of chunksOf(pairs)) {
    await pool.query(
      `WITH pair AS (SELECT one, other FROM unnest($1::text[], $2::text[]) AS pair(one, other))
       INSERT INTO friendship (player_id, friend_id)
       SELECT one, other FROM pair UNION ALL SELECT other, one FROM pair`,
      [chunk.map(([one]) => idOf(one)), chunk.map(([, other]) => idOf(other))],
    );
  }
  // A list is read for each player who connects: the plan for that should know how many rows there are.
  await pool.query('ANALYZE friendship');
}

/** `since`: from that UTC day on. */
export async function countResults(pool: Pool, since = '-infinity'): Promise<number> {
  const { rows } = await pool.query<{ count: string }>('SELECT count(*) FROM match_results WHERE day >= $1', [since]);
  return Number(rows[0]?.count);
}

/** How many of these results have no row that says the same. */
export async function countMissing(pool: Pool, results: Iterable<SentResult>): Promise<number> {
  let missing = 0;
  for (const chunk of chunksOf(results)) {
    const { rows } = await pool.query<{ count: string }>(
      `SELECT count(*) FROM unnest($1::text[], $2::text[], $3::bigint[]) AS wanted(match_id, player_id, points)
       LEFT JOIN match_results AS stored USING (match_id, player_id, points)
       WHERE stored.day IS NULL`,
      [
        chunk.map(({ matchId }) => matchId),
        chunk.map(({ playerId }) => playerId),
        chunk.map(({ points }) => String(points)),
      ],
    );
    missing += Number(rows[0]?.count);
  }
  return missing;
}

function* chunksOf<T>(items: Iterable<T>): Generator<readonly T[]> {
  let chunk: T[] = [];
  for (const item of items) {
    if (chunk.push(item) < CHUNK_ROWS) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
