/** One connection that listens for social changes, replaced whenever it breaks; says when to look for new numbers. */

import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { CHANNEL_SQL } from './social-change.js';

const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 5_000;
/** A look that takes longer is a connection that died without saying so. */
const LOOK_TIMEOUT_MS = 5_000;

export interface ListeningConnectionOptions {
  /** One of its connections is lent out for good, until `close`. */
  readonly pool: Pool;
  readonly logger: Logger;
  /** The longest time between two looks. */
  readonly lookEveryMs: number;
  /** Called after each (re)connect, after notifications, and every `lookEveryMs`; never twice at a time. */
  readonly look: (client: PoolClient) => Promise<void>;
}

export class ListeningConnection {
  private readonly options: ListeningConnectionOptions;
  private isClosed = false;
  /** Something happened since the last look began. */
  private isWoken = false;
  private endPause: () => void = () => {};
  private breakConnection: () => void = () => {};
  private running: Promise<void> | null = null;
  private failures = 0;

  constructor(options: ListeningConnectionOptions) {
    this.options = options;
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Gives the connection back; afterwards `look` is not called any more. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.wake();
    this.breakConnection();
    await this.running;
  }

  private async run(): Promise<void> {
    const { pool, logger } = this.options;
    while (!this.isClosed) {
      try {
        await this.follow(await pool.connect());
      } catch (error) {
        if (this.isClosed) return;
        this.failures += 1;
        const retryInMs = backoffMs(this.failures);
        logger.warn({ err: error, retryInMs }, 'social_listen_broken');
        this.isWoken = false;
        await this.pause(retryInMs);
      }
    }
  }

  /** Uses one connection until it breaks, which throws, or until `close`. */
  private async follow(client: PoolClient): Promise<void> {
    let cause: Error | null = null;
    let isReleased = false;
    const breakConnection = (): void => {
      if (isReleased) return;
      isReleased = true;
      // Destroyed, not handed on: it listens. Its listeners stay, since it may still emit an error while it ends.
      client.release(true);
    };
    const onBroken = (error?: Error): void => {
      cause ??= error ?? new Error('PostgreSQL closed the connection');
      if (!isReleased) this.wake();
    };
    client.on('error', onBroken);
    client.on('end', onBroken);
    client.on('notification', () => this.wake());
    this.breakConnection = breakConnection;
    try {
      await withDeadline(listen(client), breakConnection);
      while (!this.isClosed) {
        this.isWoken = false;
        await withDeadline(this.options.look(client), breakConnection);
        this.failures = 0;
        if (cause === null) await this.pause(this.options.lookEveryMs);
        if (cause !== null) throw cause;
      }
    } finally {
      breakConnection();
    }
  }

  private wake(): void {
    this.isWoken = true;
    this.endPause();
  }

  private async pause(lengthMs: number): Promise<void> {
    if (this.isWoken || this.isClosed) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, lengthMs);
      this.endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

async function listen(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ channel: string }>(`SELECT ${CHANNEL_SQL} AS channel`);
  await client.query(`LISTEN ${client.escapeIdentifier(rows[0]?.channel ?? '')}`);
}

/** Breaking the connection makes the query on it fail, so `work` always ends. */
async function withDeadline(work: Promise<void>, breakConnection: () => void): Promise<void> {
  const timer = setTimeout(breakConnection, LOOK_TIMEOUT_MS);
  try {
    await work;
  } finally {
    clearTimeout(timer);
  }
}

/** Doubles from 0.1 s to 5 s, then half of it at random: processes that broke together don't return together. */
function backoffMs(failures: number): number {
  const fullMs = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), MAX_RETRY_MS);
  return Math.round(fullMs * (0.5 + Math.random() / 2));
}
