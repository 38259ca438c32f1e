/** Dead letters in the table of that name; a replay marks them in the transaction that appends their records. */

import type { PoolClient } from 'pg';
import { parseSafeInteger } from '../domain/safe-integer.js';
import type { DeadLetterBox, WaitingLetter } from './dead-letter-box.js';
import type { PostgresAccess } from './postgres-access.js';
import { appendRows, readRange } from './postgres-rows.js';

const SOURCE = 'postgres';
const PARTITION = 0;
const PIECE_ROWS = 500;

interface LetterRow {
  readonly offset: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly reason: string;
  readonly detail: string;
  readonly written_ms: string;
}

const COLUMNS = `source_offset::text AS "offset", key, value, reason, detail,
  floor(extract(epoch FROM written_at) * 1000)::bigint::text AS written_ms`;

/** `$1` is the last offset that was in the log at the start: what comes back has a higher one. */
const WAITING = `source = '${SOURCE}' AND source_partition = ${PARTITION} AND replayed_at IS NULL AND source_offset <= $1`;

export class PostgresDeadLetterBox implements DeadLetterBox {
  constructor(private readonly database: PostgresAccess) {}

  async read(look: (letters: readonly WaitingLetter[]) => boolean): Promise<void> {
    const last = await this.lastOffset();
    for (let after = 0; ; ) {
      const letters = await this.database.transact(async (client) => {
        const { rows } = await client.query<LetterRow>(
          `SELECT ${COLUMNS} FROM dead_letter WHERE ${WAITING} AND source_offset > $2
            ORDER BY dead_letter.source_offset LIMIT ${PIECE_ROWS}`,
          [last, after],
        );
        return rows.map(toLetter);
      });
      const newest = letters.at(-1)?.offset;
      if (newest === undefined || newest === null || !look(letters)) return;
      after = newest;
    }
  }

  async replay(reason: string | null, sent: (letters: readonly WaitingLetter[]) => void): Promise<number> {
    const last = await this.lastOffset();
    for (;;) {
      const letters = await this.database.transact((client) => sendAgain(client, last, reason));
      if (letters.length === 0) break;
      sent(letters);
    }
    return await this.database.transact(async (client) => {
      const { rows } = await client.query<{ left: number }>(
        `SELECT count(*)::int AS "left" FROM dead_letter WHERE ${WAITING}`,
        [last],
      );
      return rows[0]?.left ?? 0;
    });
  }

  private async lastOffset(): Promise<number> {
    const { end } = await this.database.transact(readRange);
    return end - 1;
  }
}

/**
 * Moves the bytes inside the database. An append of nothing comes first: it takes the head's lock, stamps it and wakes the
 * readers. Behind that lock the statement sees what another replay has marked, and the numbers stay without gaps.
 */
async function sendAgain(client: PoolClient, last: number, reason: string | null): Promise<WaitingLetter[]> {
  await appendRows(client, []);
  const { rows } = await client.query<LetterRow>(
    `WITH chosen AS (
       SELECT source_offset FROM dead_letter WHERE ${WAITING} AND ($2::text IS NULL OR reason = $2)
        ORDER BY source_offset LIMIT ${PIECE_ROWS}),
     sent AS (
       UPDATE dead_letter SET replayed_at = clock_timestamp()
        WHERE source = '${SOURCE}' AND source_partition = ${PARTITION}
          AND source_offset IN (SELECT source_offset FROM chosen)
        RETURNING *),
     added AS (
       INSERT INTO result_log (log_seq, key, value, broker_at)
         SELECT last + row_number() OVER (ORDER BY source_offset), key, value, last_at FROM sent, log_head),
     numbered AS (UPDATE log_head SET last = last + (SELECT count(*) FROM sent))
     SELECT ${COLUMNS} FROM sent ORDER BY sent.source_offset`,
    [last, reason],
  );
  return rows.map(toLetter);
}

function toLetter({ offset, key, value, reason, detail, written_ms }: LetterRow): WaitingLetter {
  const at = new Date(parseSafeInteger(written_ms, 'dead_letter.written_at')).toISOString();
  const place = { source: SOURCE, partition: PARTITION, offset: parseSafeInteger(offset, 'dead_letter.source_offset') };
  return { ...place, reason, detail, at, key, value, truncated: null };
}
