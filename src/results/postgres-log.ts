/** PostgreSQL as the result log, for servers without Kafka: one partition, numbered without gaps in commit order. */

import type { Logger } from 'pino';
import type { DeadLetters } from './dead-letters.js';
import { PostgresDeadLetters } from './dead-letters-postgres.js';
import { Gatherer } from './gatherer.js';
import type { PostgresAccess } from './postgres-access.js';
import { PostgresSubscription } from './postgres-reader.js';
import { appendRows, readRange, TRIM_ROWS, trimRows } from './postgres-rows.js';
import { PostgresWake } from './postgres-wake.js';
import type { LogReports } from './reports.js';
import type { LogSubscription, NewRecord, PartitionConsumer, ResultLog } from './result-log.js';

export interface PostgresLogOptions {
  readonly database: PostgresAccess;
  readonly reports: LogReports;
  readonly logger: Logger;
}

const MAX_APPEND_RECORDS = 5_000;
const TRIM_EVERY_MS = 60_000;

export class PostgresLog implements ResultLog {
  readonly source = 'postgres';
  /** Table `dead_letter`. */
  readonly deadLetters: DeadLetters;
  private readonly options: PostgresLogOptions;
  private readonly wake: PostgresWake;
  private readonly subscriptions = new Set<PostgresSubscription>();
  private readonly gatherer: Gatherer<readonly NewRecord[], undefined>;
  private readonly trimming: NodeJS.Timeout;
  private isTrimming = false;
  private isClosed = false;

  constructor(options: PostgresLogOptions) {
    const { database, logger } = options;
    this.options = options;
    this.deadLetters = new PostgresDeadLetters(database);
    this.wake = new PostgresWake(database, logger);
    this.gatherer = new Gatherer({
      flush: async (calls) => {
        await database.transact((client) => appendRows(client, calls.flat()));
        return calls.map(() => undefined);
      },
      sizeOf: (records) => records.length,
      maxSize: MAX_APPEND_RECORDS,
    });
    this.trimming = setInterval(() => void this.trim(), TRIM_EVERY_MS);
  }

  async check(): Promise<void> {
    await this.options.database.transact(readRange);
  }

  async append(records: readonly NewRecord[]): Promise<void> {
    if (records.length > 0) await this.gatherer.add(records);
  }

  /** Every group is woken by each append, and reads what has gathered while it was busy. */
  async consume(group: string, consumer: PartitionConsumer): Promise<LogSubscription> {
    const subscription = new PostgresSubscription({
      ...this.options,
      wake: this.wake,
      source: this.source,
      group,
      consumer,
    });
    this.subscriptions.add(subscription);
    try {
      await subscription.start();
    } catch (error) {
      await subscription.close();
      throw error;
    }
    return subscription;
  }

  /** Runs by itself once a minute, in short transactions until nothing is left: a busy log grows faster than one of them. */
  async trim(): Promise<void> {
    if (this.isTrimming) return;
    this.isTrimming = true;
    try {
      let rows: number;
      do {
        rows = await this.options.database.transact((client) => trimRows(client, this.source));
        if (rows > 0) this.options.logger.debug({ rows }, 'log rows trimmed');
      } while (rows === TRIM_ROWS && !this.isClosed);
    } catch (error) {
      this.options.logger.debug({ err: error }, 'the log was not trimmed; tried again in a minute');
    } finally {
      this.isTrimming = false;
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.trimming);
    await Promise.all([...this.subscriptions].map((subscription) => subscription.close()));
    await this.gatherer.settle();
    this.wake.close();
  }
}
