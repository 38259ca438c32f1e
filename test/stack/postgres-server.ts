/** The stack's PostgreSQL: the same embedded server that the product starts, without its care for power cuts. */
import path from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../../src/truth/embedded/embedded-postgres.js';
import { markProcess } from './child-process.js';
import { stackDir } from './folders.js';
import { report } from './progress.js';
import type { Service } from './state-file.js';

export const postgresDir = path.join(stackDir, 'postgres');

export async function startPostgres(): Promise<Service> {
  report('starting PostgreSQL');
  const server = await startEmbeddedPostgres({
    dataDir: postgresDir,
    logger: pino({ level: 'silent' }),
    durability: 'none',
    maxConnections: 300,
  });
  await server.detach();
  return { address: server.url, label: await askPostgres(server.url), mark: markProcess(server.pid) };
}

/** The version of the PostgreSQL at that address. @throws when it does not answer. */
export async function askPostgres(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    return rows[0]?.server_version.split(' ')[0] ?? 'unknown';
  } finally {
    await client.end().catch(() => undefined);
  }
}
