/** The partitions of match_results, one per UTC day, made when a day's first result comes. */

import type { Pool } from 'pg';
import { inTransaction } from './transaction.js';

export const DAY_MS = 86_400_000;

/** `2026-10-12`, the UTC day of an instant. */
export function utcDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

export class DayPartitions {
  private readonly known = new Set<string>();

  constructor(private readonly pool: Pool) {}

  /** Outside the caller's transaction, so that a rollback there cannot take the table away again. */
  async ensure(days: Iterable<string>): Promise<void> {
    for (const day of new Set(days)) {
      if (this.known.has(day)) continue;
      await this.create(day);
      this.known.add(day);
    }
  }

  /** After a restore of the database the tables may be gone: ask again. */
  forget(): void {
    this.known.clear();
  }

  private async create(day: string): Promise<void> {
    const table = `match_results_${day.replaceAll('-', '')}`;
    const nextDay = utcDay(Date.parse(day) + DAY_MS);
    await inTransaction(this.pool, async (client) => {
      await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('rankcast:days:' || current_schema(), 0))`);
      const { rows } = await client.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [table]);
      if (rows[0]?.exists === true) return;
      // ATTACH lets readers go on; CREATE ... PARTITION OF would wait for every fill and make all writers wait behind it.
      await client.query(`CREATE TABLE ${table} (LIKE match_results INCLUDING ALL)`);
      await client.query(
        `ALTER TABLE match_results ATTACH PARTITION ${table} FOR VALUES FROM ('${day}') TO ('${nextDay}')`,
      );
    });
  }
}
