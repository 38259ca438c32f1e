/** Dead letters as rows of table dead_letter, one per offset however often it is written. */

import { type DeadLetter, type DeadLetters, letterHeaders } from './dead-letters.js';
import type { PostgresAccess } from './postgres-access.js';

export class PostgresDeadLetters implements DeadLetters {
  constructor(private readonly database: PostgresAccess) {}

  async write(letters: readonly DeadLetter[]): Promise<void> {
    const now = Date.now();
    await this.database.transact((client) =>
      client.query(
        `INSERT INTO dead_letter (source, source_partition, source_offset, key, value, headers, reason, detail)
          SELECT * FROM unnest($1::text[], $2::int[], $3::bigint[], $4::bytea[], $5::bytea[], $6::jsonb[], $7::text[], $8::text[])
          ON CONFLICT DO NOTHING`,
        [
          letters.map(({ source }) => source),
          letters.map(({ partition }) => partition),
          letters.map(({ record }) => record.offset),
          letters.map(({ record }) => toBuffer(record.key)),
          letters.map(({ record }) => toBuffer(record.value)),
          letters.map((letter) => storable(JSON.stringify(letterHeaders(letter, now)))),
          letters.map(({ reason }) => storable(reason)),
          letters.map(({ detail }) => storable(detail)),
        ],
      ),
    );
  }
}

function toBuffer(bytes: Uint8Array | null): Buffer | null {
  return bytes === null ? null : Buffer.from(bytes);
}

/** PostgreSQL's text holds no zero character and no half of a surrogate pair, and both can be quoted from a bad record. */
function storable(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\u0000', '')
    .replaceAll(/\\u(0000|d[89a-f][0-9a-f]{2})/gi, '');
}
