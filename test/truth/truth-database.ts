/** A migrated schema of its own on the real PostgreSQL of the test stack. */

import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import type { Calendar } from '../../src/domain/season.js';
import { migrate } from '../../src/truth/migrate.js';
import { createPool } from '../../src/truth/pool.js';
import { inTransaction } from '../../src/truth/transaction.js';

export const silent = pino({ level: 'silent' });

/** For tests that have nothing to do with the end of seasons: no result is of one. */
export const NO_SEASONS: Calendar = { seasons: [], graceMs: 0 };

export interface TruthDatabase {
  readonly schema: string;
  /** What the product is given. */
  readonly pool: pg.Pool;
  /** As app.ts gives it to the parts that keep a log in PostgreSQL. */
  readonly access: { readonly pool: pg.Pool; transact<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> };
  /** Another process's pool. */
  newPool(options?: {
    readonly maxConnections?: number;
    readonly acquireTimeoutMs?: number;
    readonly statementTimeoutMs?: number;
  }): pg.Pool;
  /** For the test's own questions. */
  ask<Row extends pg.QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  drop(): Promise<void>;
}

export function databaseUrl(): string {
  const url = process.env['RANKCAST_TEST_DATABASE_URL'];
  if (url === undefined)
    throw new Error('RANKCAST_TEST_DATABASE_URL is not set: start the stack (npm run stack -- up)');
  return url;
}

export async function createTruthDatabase(options: { readonly isMigrated?: boolean } = {}): Promise<TruthDatabase> {
  const url = databaseUrl();
  const schema = `truth_${randomUUID().replaceAll('-', '')}`;
  const pools: pg.Pool[] = [];
  const newPool: TruthDatabase['newPool'] = (more = {}) => {
    const pool = createPool({ url, schema, logger: silent, ...more });
    pools.push(pool);
    return pool;
  };
  const pool = newPool();
  const admin = new pg.Pool({ connectionString: url, options: `-c search_path=${schema}`, max: 2 });
  admin.on('error', () => undefined);
  if (options.isMigrated !== false) await migrate({ pool, schema, logger: silent });
  return {
    schema,
    pool,
    access: { pool, transact: (work) => inTransaction(pool, work) },
    newPool,
    async ask<Row extends pg.QueryResultRow>(sql: string, values: readonly unknown[] = []) {
      return (await admin.query<Row>(sql, [...values])).rows;
    },
    async drop() {
      await Promise.all(pools.map((one) => one.end()));
      await admin.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
      await admin.end();
    },
  };
}
