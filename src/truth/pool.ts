/** The one pool of PostgreSQL connections: bounded waits, its own schema, and no process that dies with an idle client. */

import pg from 'pg';
import type { Logger } from 'pino';
import { StartRefusedError } from '../domain/errors.js';

export interface PoolOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** All tables live here; the schema need not exist yet. */
  readonly schema: string;
  readonly logger: Logger;
  /** Connections at most; default 10. */
  readonly maxConnections?: number;
  /** How long to wait for a free connection; default 5,000. */
  readonly acquireTimeoutMs?: number;
  /** How long one statement may run; default 8,000. Fills lift it for their own transaction. */
  readonly statementTimeoutMs?: number;
}

/** Goes into connection options and DDL unquoted, so nothing that would need quoting. */
const SCHEMA_PATTERN = /^[a-z_][a-z0-9_]{0,62}$/;

/** The client gives up this much after the server should have: then the server is silent, not slow. */
const SILENCE_MARGIN_MS = 2_000;

/** Does not connect yet. Values arrive as pg's defaults have them: 64-bit integers are text (see `parseSafeInteger`). */
export function createPool(options: PoolOptions): pg.Pool {
  const { schema, logger } = options;
  if (!SCHEMA_PATTERN.test(schema)) {
    throw new StartRefusedError(
      `The PostgreSQL schema name "${schema}" is not usable: take 1 to 63 of a-z, 0-9 and _, not a digit first.`,
    );
  }
  const statementTimeoutMs = options.statementTimeoutMs ?? 8_000;
  const { connectionString, serverOptions } = splitOptions(options.url);
  const pool = new pg.Pool({
    connectionString,
    application_name: 'rankcast',
    options: `${serverOptions} -c search_path=${schema} -c timezone=UTC`,
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: options.acquireTimeoutMs ?? 5_000,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + SILENCE_MARGIN_MS,
    keepAlive: true,
  });
  pool.on('error', (error) => {
    logger.warn({ err: error }, 'an idle PostgreSQL connection was lost; the next use opens another');
  });
  // A checked-out client reports a lost connection through its query as well; without a listener the event would end the process.
  pool.on('connect', (client) => {
    client.on('error', (error) => logger.debug({ err: error }, 'a PostgreSQL connection was lost'));
  });
  return pool;
}

/** `?options=` of the address would replace ours, and the tables would go to another schema without a word. */
function splitOptions(url: string): { connectionString: string; serverOptions: string } {
  if (!URL.canParse(url)) return { connectionString: url, serverOptions: '' };
  const address = new URL(url);
  const serverOptions = address.searchParams.get('options') ?? '';
  address.searchParams.delete('options');
  return { connectionString: address.href, serverOptions };
}
