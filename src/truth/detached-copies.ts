/** Results that orders name and that lie in days taken out of match_results: in tables of their own, as long as those are there. */

import type { PoolClient } from 'pg';
import { type Identity, identityOf } from './result-content.js';

interface DayTable {
  readonly day: string;
  readonly name: string;
}

/** The detached day of each identity that has a row in one; where its table was dropped, nobody can know. */
export async function findDetached(client: PoolClient, identities: readonly Identity[]): Promise<Map<string, string>> {
  const tables = identities.length === 0 ? [] : await readTables(client);
  if (tables.length === 0) return new Map();
  const selects = tables.map(
    ({ day, name }) =>
      `SELECT '${day}' AS day, match_id, player_id FROM ${name}
        WHERE (match_id, player_id) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
  );
  const { rows } = await client.query<{ day: string; match_id: string; player_id: string }>(
    selects.join(' UNION ALL '),
    [identities.map(({ matchId }) => matchId), identities.map(({ playerId }) => playerId)],
  );
  return new Map(rows.map((row) => [identityOf({ matchId: row.match_id, playerId: row.player_id }), row.day] as const));
}

async function readTables(client: PoolClient): Promise<DayTable[]> {
  const { rows } = await client.query<DayTable>(
    `SELECT day::text AS day, name
       FROM (SELECT day, 'match_results_' || to_char(day, 'YYYYMMDD') AS name FROM detached_day) AS detached
      WHERE to_regclass(name) IS NOT NULL`,
  );
  return rows;
}
