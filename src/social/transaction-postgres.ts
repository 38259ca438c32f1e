/** Runs work in one Postgres transaction on a connection that goes back to the pool clean, or not at all. */

import type { Pool, PoolClient } from 'pg';
import { StoreUnavailableError } from '../domain/errors.js';

/** Commits what `work` did and gives its answer; rolls back where it throws. */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch(rethrowAsStoreError);
  // A connection that dies while lent out emits an error beside failing its query; unheard, it would end the process.
  const ignore = (): void => {};
  client.on('error', ignore);
  let isClean = false;
  try {
    // Each statement must see what was committed while it waited for a lock: READ COMMITTED, whatever the default.
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    try {
      const answer = await work(client);
      await client.query('COMMIT');
      isClean = true;
      return answer;
    } catch (error) {
      isClean = await client.query('ROLLBACK').then(
        () => true,
        () => false,
      );
      throw error;
    }
  } catch (error) {
    return rethrowAsStoreError(error);
  } finally {
    if (isClean) client.off('error', ignore);
    client.release(!isClean);
  }
}

/** SQLSTATE classes that pass: connection, resources, operator intervention, serialization and deadlock. */
const PASSING_STATE = /^(08|53|57|40)[0-9A-Z]{3}$/;
const SQL_STATE = /^[0-9A-Z]{5}$/;

/** Tells "PostgreSQL cannot now" from a mistake in the question, which is thrown on as it is. */
export function rethrowAsStoreError(error: unknown): never {
  if (!(error instanceof Error) || !isPassing(error)) throw error;
  throw new StoreUnavailableError(`PostgreSQL did not answer about friends: ${error.message}; try again`, {
    cause: error,
  });
}

function isPassing(error: Error): boolean {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (SQL_STATE.test(code)) return PASSING_STATE.test(code);
  // What node's sockets (ECONNREFUSED, ...) and pg's own time-outs and broken connections look like.
  return /^E[A-Z]+$/.test(code) || /time-?out|terminated|closed|ended|not queryable/i.test(error.message);
}
