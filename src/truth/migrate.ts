/**
 * Brings the schema to the version this code knows.
 *
 * Own lines instead of a migration package: the packages looked at either take no advisory lock around the schema's creation
 * or do not refuse a schema newer than the code, and both are the point here.
 */

import { readdir, readFile } from 'node:fs/promises';
import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { StartRefusedError } from '../domain/errors.js';
import { patientQuery } from './patient-query.js';
import { toStoreError } from './store-errors.js';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

export interface MigrateOptions {
  readonly pool: Pool;
  readonly schema: string;
  readonly logger: Logger;
  /** Default: the files beside this module. */
  readonly migrations?: readonly Migration[];
}

const LOCK_WAIT_MS = 600_000;
const FOLDER = new URL('./migrations/', import.meta.url);
const FILE_PATTERN = /^(\d{4})_([a-z0-9_]+)\.sql$/;

/**
 * Safe to call from several processes at once: one works, the others wait and find nothing to do.
 * Throws `StartRefusedError` where the schema is newer than the code or the database does not store UTF-8.
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const migrations = options.migrations ?? (await readMigrations());
  const client = await options.pool.connect().catch((error: unknown) => {
    throw toStoreError(error);
  });
  try {
    await refuseOtherEncodings(client);
    const lock = `rankcast:migrate:${options.schema}`;
    // Another process may be migrating for longer than a statement may take.
    await client.query('SET statement_timeout = 0');
    await client.query(patientQuery(LOCK_WAIT_MS, 'SELECT pg_advisory_lock(hashtextextended($1, 0))', [lock]));
    await client.query(`CREATE SCHEMA IF NOT EXISTS "${options.schema}"`);
    await applyMissing(client, migrations, options);
  } catch (error) {
    throw toStoreError(error);
  } finally {
    // Destroying the connection gives the lock and the setting back, in every state it may be in.
    client.release(true);
  }
}

async function applyMissing(
  client: PoolClient,
  migrations: readonly Migration[],
  options: MigrateOptions,
): Promise<void> {
  await client.query(`CREATE TABLE IF NOT EXISTS schema_migration (
    version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
  const { rows } = await client.query<{ version: number }>('SELECT version FROM schema_migration');
  const applied = new Set(rows.map((row) => row.version));
  const known = Math.max(0, ...migrations.map((migration) => migration.version));
  const newest = Math.max(0, ...applied);
  if (newest > known) {
    throw new StartRefusedError(
      `The PostgreSQL schema "${options.schema}" is at version ${newest}, this Rankcast knows versions up to ${known}: ` +
        'start the newer Rankcast that made it, or use another schema.',
    );
  }
  for (const migration of migrations.filter(({ version }) => !applied.has(version))) {
    await apply(client, migration);
    options.logger.info({ version: migration.version, name: migration.name }, 'database schema migrated');
  }
}

async function apply(client: PoolClient, migration: Migration): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(patientQuery(LOCK_WAIT_MS, migration.sql));
    await client.query('INSERT INTO schema_migration (version, name) VALUES ($1, $2)', [
      migration.version,
      migration.name,
    ]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartRefusedError(`Migration ${migration.version} (${migration.name}) failed: ${reason}`, {
      cause: error,
    });
  }
}

/** Ids are compared as UTF-8 bytes; another encoding would order and measure them differently. */
async function refuseOtherEncodings(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ encoding: string }>(`SELECT current_setting('server_encoding') AS encoding`);
  const encoding = rows[0]?.encoding;
  if (encoding !== 'UTF8') {
    throw new StartRefusedError(`The PostgreSQL database stores ${encoding}: create it with ENCODING 'UTF8'.`);
  }
}

export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (file) => {
      const match = FILE_PATTERN.exec(file);
      const [, version, name] = match ?? [];
      if (version === undefined || name === undefined) throw new StartRefusedError(`${file} is no migration's name`);
      return { version: Number(version), name, sql: await readFile(new URL(file, FOLDER), 'utf8') };
    }),
  );
}
