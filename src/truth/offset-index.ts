/** Keeps the index of offsets (migration 0008) up to date: blocks that it does not describe yet are read by every range. */

import type { PoolClient } from 'pg';
import { patientQuery } from './patient-query.js';
import { sqlStateOf } from './store-errors.js';
import { transactOn } from './transaction.js';

const LOCK_NOT_AVAILABLE = '55P03';

/** PostgreSQL does it by itself when it vacuums, which may be long after the rows came. */
export async function summarizeOffsets(client: PoolClient, timeoutMs: number): Promise<void> {
  try {
    await transactOn(client, 'READ WRITE', async () => {
      await client.query(`SET LOCAL statement_timeout = ${timeoutMs}`);
      // Whoever vacuums a day holds the lock for as long, and does the same. Waiting beyond the server's deadlock_timeout,
      // 1 s by default, would end a vacuum that nobody asked for.
      await client.query("SET LOCAL lock_timeout = '200ms'");
      const text = `SELECT sum(brin_summarize_new_values(inhrelid::regclass)) FROM pg_inherits
        WHERE inhparent = 'match_results_offset'::regclass`;
      await client.query(patientQuery(timeoutMs, text));
    });
  } catch (error) {
    if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE) throw error;
  }
}
