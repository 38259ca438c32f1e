/**
 * Whether PostgreSQL's table of locks has room for what reads a whole season: such a statement locks the table and the
 * indexes of each of its days until its transaction ends.
 */

import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Season } from '../domain/season.js';
import { DAY_MS } from './day-partitions.js';
import { toStoreError } from './store-errors.js';

/** A checkpoint is advanced while a board is compared or filled. */
const AT_ONCE = 2;
/** A server is started again within so many days, or the lack shows when there is still time to mend it. */
const DAYS_TO_COME = 90;

interface LockSettings {
  readonly per_transaction: number;
  /** PostgreSQL's table has `per_transaction` locks for each of them; anyone may take more than his share. */
  readonly transactions: number;
  readonly locks_per_day: number;
  readonly days: number;
}

/**
 * Logs one warning, which names the setting and the value, where the days that are there and those to come soon are too many.
 * Throws `StoreUnavailableError`.
 */
export async function warnOfScarceLocks(
  pool: Pool,
  seasons: readonly Season[],
  logger: Logger,
  daysToCome = DAYS_TO_COME,
): Promise<void> {
  const { per_transaction, transactions, locks_per_day, days: daysThere } = await readSettings(pool);
  const longest = Math.max(0, ...seasons.map(({ startsAt, endsAt }) => Math.ceil((endsAt - startsAt) / DAY_MS)));
  const days = Math.min(longest, daysThere + daysToCome);
  const needed = AT_ONCE * days * locks_per_day;
  if (per_transaction * transactions >= needed) return;
  const enough = Math.ceil(needed / transactions);
  logger.warn(
    { max_locks_per_transaction: per_transaction, needed: enough, days },
    `PostgreSQL has room for ${per_transaction * transactions} locks, and results of ${days} days of a season need ${needed}: ` +
      `set max_locks_per_transaction to ${enough} or more and restart PostgreSQL`,
  );
}

async function readSettings(pool: Pool): Promise<LockSettings> {
  const { rows } = await pool
    .query<LockSettings>(
      `SELECT current_setting('max_locks_per_transaction')::int AS per_transaction,
              current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int AS transactions,
              1 + (SELECT count(*) FROM pg_index WHERE indrelid = 'match_results'::regclass)::int AS locks_per_day,
              (SELECT count(*) FROM pg_inherits WHERE inhparent = 'match_results'::regclass)::int AS days`,
    )
    .catch((error: unknown) => {
      throw toStoreError(error);
    });
  if (rows[0] === undefined) throw new Error('a SELECT without FROM answers one row');
  return rows[0];
}
