/** SQL of the result log in PostgreSQL: tables log_head and result_log. */

import type { PoolClient } from 'pg';
import type { LogRecord } from '../domain/log-record.js';
import { parseSafeInteger } from '../domain/safe-integer.js';
import type { LogRange } from './feed-options.js';
import type { NewRecord } from './result-log.js';

/** One channel per schema; hashed, because a channel's name is cut at 63 bytes. */
export const CHANNEL_SQL = `'rankcast_log_' || md5(current_schema())`;

/**
 * The first statement takes the head's row lock: commit order becomes the order of log_seq, and a rollback leaves no gap.
 * The stamp is the database's clock under that lock, never below the last one.
 */
export async function appendRows(client: PoolClient, records: readonly NewRecord[]): Promise<void> {
  const { rows } = await client.query<{ last: string; last_at: string }>(
    `UPDATE log_head SET last = last + $1, last_at = greatest(last_at, date_trunc('milliseconds', clock_timestamp()))
      RETURNING last::text, last_at::text`,
    [records.length],
  );
  const head = rows[0];
  if (head === undefined) throw new Error('table log_head has lost its one row: restore it with the newest log_seq');
  const before = parseSafeInteger(head.last, 'log_head.last') - records.length;
  await client.query(
    `INSERT INTO result_log (log_seq, key, value, broker_at)
      SELECT $1::bigint + ordinality, key, value, $2::timestamptz
        FROM unnest($3::bytea[], $4::bytea[]) WITH ORDINALITY AS added (key, value, ordinality)`,
    [before, head.last_at, records.map(({ key }) => Buffer.from(key)), records.map(({ value }) => Buffer.from(value))],
  );
  await client.query(`SELECT pg_notify(${CHANNEL_SQL}, '')`);
}

interface LogRow {
  readonly log_seq: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly broker_ms: string;
}

/** Ordered by the table's column: plain `log_seq` would be the text in the select list, and 10 stand before 2. */
export async function readRows(client: PoolClient, from: number, limit: number): Promise<LogRecord[]> {
  const { rows } = await client.query<LogRow>(
    `SELECT log_seq::text, key, value, floor(extract(epoch FROM broker_at) * 1000)::bigint::text AS broker_ms
       FROM result_log WHERE log_seq >= $1 ORDER BY result_log.log_seq LIMIT $2`,
    [from, limit],
  );
  return rows.map((row) => ({
    offset: parseSafeInteger(row.log_seq, 'result_log.log_seq'),
    key: row.key,
    value: row.value,
    brokerAt: parseSafeInteger(row.broker_ms, 'result_log.broker_at'),
  }));
}

/** log_seq begins at 1, positions at 0: a log that was never trimmed begins at 0. */
export async function readRange(client: PoolClient): Promise<LogRange> {
  const { rows } = await client.query<{ last: string; low: string }>(
    `SELECT last::text, coalesce((SELECT min(log_seq) FROM result_log), last + 1)::text AS low FROM log_head`,
  );
  const [row] = rows;
  const low = parseSafeInteger(row?.low ?? '1', 'result_log.log_seq');
  return { low: low === 1 ? 0 : low, end: parseSafeInteger(row?.last ?? '0', 'log_head.last') + 1 };
}

const KEEP_SQL = `interval '1 day'`;
/** At most so many in one transaction. */
export const TRIM_ROWS = 10_000;

/** Deletes the oldest rows that truth has considered and that are older than a day; answers how many, at most `TRIM_ROWS`. */
export async function trimRows(client: PoolClient, source: string): Promise<number> {
  const { rowCount } = await client.query(
    `DELETE FROM result_log WHERE log_seq IN (
       SELECT log_seq FROM result_log
        WHERE log_seq < (SELECT next FROM source_position WHERE source = $1 AND partition = 0)
          AND broker_at < clock_timestamp() - ${KEEP_SQL}
        ORDER BY log_seq LIMIT ${TRIM_ROWS})`,
    [source],
  );
  return rowCount ?? 0;
}
