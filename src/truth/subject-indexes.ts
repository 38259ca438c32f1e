/** Indexes that find one subject's rows on boards that rank the values of a scope, such as guilds. */

import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { PLAYER_SUBJECT } from '../domain/lists.js';
import { scopeValue } from './fold-lists.js';
import { patientQuery } from './patient-query.js';
import { toStoreError } from './store-errors.js';

/** Nothing is written to match_results meanwhile. */
const BUILD_TIMEOUT_MS = 3_600_000;
const SLOW_MS = 2_000;

/**
 * Makes the missing ones, on days that are there and for those to come. Call at start with the subjects of all boards; safe
 * from several processes at once. Throws `StoreUnavailableError`.
 */
export async function ensureSubjectIndexes(pool: Pool, subjects: readonly string[], logger: Logger): Promise<void> {
  const scopes = [...new Set(subjects)].filter((subject) => subject !== PLAYER_SUBJECT);
  if (scopes.length === 0) return;
  const client = await pool.connect().catch((error: unknown) => {
    throw toStoreError(error);
  });
  let isClean = false;
  try {
    for (const scope of scopes) if (!(await hasIndex(client, scope))) await make(client, scope, logger);
    isClean = true;
  } catch (error) {
    throw toStoreError(error);
  } finally {
    client.release(!isClean);
  }
}

async function make(client: PoolClient, scope: string, logger: Logger): Promise<void> {
  const slow = setTimeout(
    () =>
      logger.info(
        { subject: scope },
        'an index for a board of this subject is being made; results wait until it is there',
      ),
    SLOW_MS,
  );
  try {
    await client.query('BEGIN');
    await client.query(`SET LOCAL statement_timeout = ${BUILD_TIMEOUT_MS}`);
    // Two processes that make it at once: IF NOT EXISTS alone would let one of them fail.
    const lock = `SELECT pg_advisory_xact_lock(hashtextextended('rankcast:indexes:' || current_schema(), 0))`;
    await client.query(patientQuery(BUILD_TIMEOUT_MS, lock));
    // Rows without the scope are left out; the query need not say so, since its "=" cannot hold for them.
    await client.query(
      patientQuery(
        BUILD_TIMEOUT_MS,
        `CREATE INDEX IF NOT EXISTS ${indexName(scope)} ON match_results (${scopeValue(`'${scope}'`)}, achieved_at)
          WHERE ${scopeValue(`'${scope}'`)} IS NOT NULL`,
      ),
    );
    await client.query('COMMIT');
  } finally {
    clearTimeout(slow);
  }
}

/** Asked first: CREATE INDEX takes its lock, and makes writers wait, even where there is nothing to make. */
async function hasIndex(client: PoolClient, scope: string): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [
    indexName(scope),
  ]);
  return rows[0]?.exists === true;
}

/** The boards file allows a-z, 0-9 and "-" in the names of scopes, at most 32 of them. */
function indexName(scope: string): string {
  return `"match_results_subject_${scope}"`;
}
