/** A schema of its own with the social tables, on the real PostgreSQL of the test stack. */

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Pool } from 'pg';
import { pino } from 'pino';

const MIGRATION = new URL('../../src/truth/migrations/0003_social.sql', import.meta.url);

export const silent = pino({ level: 'silent' });

export interface SocialDatabase {
  /** A pool as one gateway has it; ended by `drop`. */
  newPool(max?: number): Pool;
  /** For the test's own questions. */
  readonly admin: Pool;
  drop(): Promise<void>;
}

export async function createSocialDatabase(): Promise<SocialDatabase> {
  const schema = `social_${randomUUID().replaceAll('-', '')}`;
  const pools: Pool[] = [];
  const newPool = (max = 4): Pool => {
    const pool = new Pool({
      connectionString: databaseUrl(),
      options: `-c search_path=${schema}`,
      application_name: `social-test-${randomUUID()}`,
      max,
      connectionTimeoutMillis: 10_000,
    });
    // As the product's pool does: the event of a connection that ends between two statements would end the process.
    pool.on('connect', (client) => client.on('error', () => {}));
    // Tests end connections on purpose.
    pool.on('error', () => {});
    pools.push(pool);
    return pool;
  };
  const admin = newPool();
  await admin.query(`CREATE SCHEMA ${schema}`);
  await admin.query(await readFile(MIGRATION, 'utf8'));
  return {
    newPool,
    admin,
    async drop() {
      await admin.query(`DROP SCHEMA ${schema} CASCADE`);
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}

function databaseUrl(): string {
  const url = process.env['RANKCAST_TEST_DATABASE_URL'];
  if (url === undefined)
    throw new Error('RANKCAST_TEST_DATABASE_URL is not set: start the stack with npm run stack -- up');
  return url;
}

/** All change rows, oldest first. */
export async function readChanges(pool: Pool): Promise<string[]> {
  const sql = `SELECT concat_ws(' ', social_seq, kind, player_id, friend_id) AS line FROM social_change ORDER BY social_seq`;
  const { rows } = await pool.query<{ line: string }>(sql);
  return rows.map((row) => row.line);
}

/** Ends every connection of `pool`, as database maintenance would, and gives how many there were. */
export async function terminateConnections(admin: Pool, pool: Pool): Promise<number> {
  const sql = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1';
  return (await admin.query(sql, [pool.options.application_name])).rowCount ?? 0;
}
