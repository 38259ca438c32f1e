/** What a table takes on disk, part by part, and what was written ahead so far. */

import type { Pool } from 'pg';

export interface TableBytes {
  readonly heap: number;
  readonly primaryKey: number;
  readonly otherIndexes: number;
  readonly toast: number;
}

/** Of one table; a partitioned one has no bytes of its own. */
export async function readTableBytes(pool: Pool, table: string): Promise<TableBytes> {
  const { rows } = await pool.query<{ heap: string; primary_key: string; other_indexes: string; toast: string }>(
    `SELECT pg_relation_size(oid) AS heap,
            CASE WHEN reltoastrelid = 0 THEN 0 ELSE pg_total_relation_size(reltoastrelid) END AS toast,
            (SELECT coalesce(sum(pg_relation_size(indexrelid)) FILTER (WHERE indisprimary), 0)
               FROM pg_index WHERE indrelid = pg_class.oid) AS primary_key,
            (SELECT coalesce(sum(pg_relation_size(indexrelid)) FILTER (WHERE NOT indisprimary), 0)
               FROM pg_index WHERE indrelid = pg_class.oid) AS other_indexes
       FROM pg_class WHERE oid = $1::regclass`,
    [table],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`there is no table ${table}`);
  return {
    heap: Number(row.heap),
    primaryKey: Number(row.primary_key),
    otherIndexes: Number(row.other_indexes),
    toast: Number(row.toast),
  };
}

/** Bytes of the write-ahead log since the server was made: the difference of two is what was written between. */
export async function readWalBytes(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(`SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS bytes`);
  return Number(rows[0]?.bytes);
}
