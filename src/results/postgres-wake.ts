/** Hears from PostgreSQL that the log has grown; readers look once a second anyway, so a lost connection costs only time. */

import type { PoolClient } from 'pg';
import type { Logger } from 'pino';
import { backoffMs } from './backoff.js';
import type { PostgresAccess } from './postgres-access.js';
import { CHANNEL_SQL } from './postgres-rows.js';

export class PostgresWake {
  private readonly database: PostgresAccess;
  private readonly logger: Logger;
  private readonly listeners = new Set<() => void>();
  private client: PoolClient | undefined;
  private retrying: NodeJS.Timeout | undefined;
  private failures = 0;
  private isOpened = false;
  private isClosed = false;

  constructor(database: PostgresAccess, logger: Logger) {
    this.database = database;
    this.logger = logger;
  }

  /** Answers how to stop. The first listener opens the connection. */
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    if (!this.isOpened) {
      this.isOpened = true;
      void this.open();
    }
    return () => this.listeners.delete(listener);
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.retrying);
    this.client?.release(true);
    this.client = undefined;
  }

  private async open(): Promise<void> {
    try {
      const client = await this.database.pool.connect();
      if (this.isClosed) return client.release(true);
      this.client = client;
      client.on('notification', () => this.wakeAll());
      client.once('end', () => this.reopen(client));
      client.once('error', () => this.reopen(client));
      const { rows } = await client.query<{ channel: string }>(`SELECT ${CHANNEL_SQL} AS channel`);
      await client.query(`LISTEN "${rows[0]?.channel ?? ''}"`);
      this.failures = 0;
      // What was appended before LISTEN took hold was not announced to us.
      this.wakeAll();
    } catch (error) {
      this.logger.debug({ err: error }, 'cannot listen for new log rows now');
      this.reopen(this.client);
    }
  }

  private reopen(client: PoolClient | undefined): void {
    if (client !== this.client || this.isClosed || this.retrying !== undefined) return;
    client?.release(true);
    this.client = undefined;
    this.failures += 1;
    this.retrying = setTimeout(() => {
      this.retrying = undefined;
      void this.open();
    }, backoffMs(this.failures));
  }

  private wakeAll(): void {
    for (const listener of this.listeners) listener();
  }
}
