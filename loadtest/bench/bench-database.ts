/** A PostgreSQL of a bench's own, as a small studio has it: durable, on this machine's disk, and gone afterwards. */

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Pool } from 'pg';
import { pino } from 'pino';
import { removeEmbeddedPostgres, startEmbeddedPostgres } from '../../src/truth/embedded/embedded-postgres.js';
import { createPool } from '../../src/truth/pool.js';

const logger = pino({ level: 'warn' });
/** Seeding and VACUUM of many rows take longer than a statement of the product may. */
const STATEMENT_TIMEOUT_MS = 3_600_000;

export interface BenchDatabase {
  readonly pool: Pool;
  readonly schema: string;
  readonly version: string;
  remove(): Promise<void>;
}

export async function startBenchDatabase(): Promise<BenchDatabase> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'rankcast-bench-'));
  const server = await startEmbeddedPostgres({ dataDir, logger }).catch(async (error: unknown) => {
    await removeEmbeddedPostgres(dataDir);
    throw error;
  });
  const schema = 'bench';
  const pool = createPool({ url: server.url, schema, logger, statementTimeoutMs: STATEMENT_TIMEOUT_MS });
  return {
    pool,
    schema,
    version: server.version,
    async remove() {
      await pool.end();
      await server.stop();
      await removeEmbeddedPostgres(dataDir);
    },
  };
}
