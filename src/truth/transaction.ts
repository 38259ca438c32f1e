/** Transactions that always give their connection back, whatever goes wrong inside. */

import type { Pool, PoolClient } from 'pg';
import { toStoreError } from './store-errors.js';

/**
 * Runs `work` between BEGIN and COMMIT; any error rolls back and is thrown as `StoreUnavailableError` or `StoreRefusedError`.
 * A connection in an unknown state is destroyed, never returned to the pool.
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
  mode: 'READ WRITE' | 'ISOLATION LEVEL REPEATABLE READ READ ONLY' = 'READ WRITE',
): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw toStoreError(error);
  });
  let isClean = false;
  try {
    await client.query(`BEGIN ${mode}`);
    const answer = await work(client);
    await client.query('COMMIT');
    isClean = true;
    return answer;
  } catch (error) {
    isClean = await client.query('ROLLBACK').then(
      () => true,
      () => false,
    );
    throw toStoreError(error);
  } finally {
    client.release(!isClean);
  }
}

/** The same on a connection that stays the caller's, such as one that holds a lock. */
export async function transactOn<T>(
  client: PoolClient,
  mode: 'READ WRITE' | 'ISOLATION LEVEL REPEATABLE READ',
  work: () => Promise<T>,
): Promise<T> {
  await client.query(`BEGIN ${mode}`);
  try {
    const answer = await work();
    await client.query('COMMIT');
    return answer;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
