/** The log: JSON lines on standard output, tokens and secrets left out. */

import { type DestinationStream, type Logger, pino } from 'pino';

const SECRET_KEYS = ['token', 'authorization', 'password', 'secret', 'ingestToken', 'databaseUrl', 'redisUrl'];

export interface LoggerOptions {
  /** The least important level that is written, e.g. `info`; `silent` for none. */
  readonly level: string;
  /** Default: standard output. */
  readonly destination?: DestinationStream;
}

/** One line per event: `level` (its name), `time` (epoch milliseconds), `msg`, and what the call adds. */
export function createLogger(options: LoggerOptions): Logger {
  const settings = {
    level: options.level,
    // Process id and host name are the container's business.
    base: null,
    redact: { paths: SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: '***' },
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return options.destination === undefined ? pino(settings) : pino(settings, options.destination);
}
