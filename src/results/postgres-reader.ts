/** Reads the log in PostgreSQL for one group and offers it to a `PartitionFeed`, as the Kafka consumer does. */

import type { Logger } from 'pino';
import type { FeedControls } from './feed-options.js';
import { PartitionFeed } from './partition-feed.js';
import type { PostgresAccess } from './postgres-access.js';
import { readRange, readRows } from './postgres-rows.js';
import type { PostgresWake } from './postgres-wake.js';
import type { LogReports } from './reports.js';
import type { LogSubscription, PartitionConsumer } from './result-log.js';

export interface PostgresReaderOptions {
  readonly database: PostgresAccess;
  readonly wake: PostgresWake;
  readonly source: string;
  readonly group: string;
  readonly consumer: PartitionConsumer;
  readonly reports: LogReports;
  readonly logger: Logger;
}

const PARTITION = 0;
const READ_ROWS = 1_000;
const LOOK_EVERY_MS = 1_000;

export class PostgresSubscription implements LogSubscription {
  private readonly options: PostgresReaderOptions;
  private readonly feed: PartitionFeed;
  private readonly looking: NodeJS.Timeout;
  private readonly stopListening: () => void;
  private from = 0;
  private isPaused = true;
  private isWoken = false;
  private reading: Promise<void> | undefined;
  private isClosed = false;

  constructor(options: PostgresReaderOptions) {
    this.options = options;
    // A table's end does not dip: once it is below what was read, the database is an older one.
    this.feed = new PartitionFeed({ ...options, controls: this.controls(), sureAfterMs: 0 });
    this.stopListening = options.wake.listen(() => this.wake());
    this.looking = setInterval(() => this.wake(), LOOK_EVERY_MS);
  }

  start(): Promise<void> {
    return this.feed.assign([PARTITION]);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.stopListening();
    clearInterval(this.looking);
    await this.feed.close();
    await this.reading;
  }

  private wake(): void {
    this.isWoken = true;
    if (this.reading !== undefined || this.isPaused || this.isClosed) return;
    this.reading = this.readAll().finally(() => {
      this.reading = undefined;
      // Woken between the last look and now: nobody else would look.
      if (this.isWoken) this.wake();
    });
  }

  private async readAll(): Promise<void> {
    while (this.isWoken && !this.isPaused && !this.isClosed) {
      this.isWoken = false;
      try {
        await this.readOnce();
        this.feed.observeLog(undefined);
      } catch (error) {
        // The next look, a second later at most, is the retry.
        this.feed.observeLog(error instanceof Error ? error.message : String(error));
        return;
      }
    }
  }

  private async readOnce(): Promise<void> {
    const from = this.from;
    const { records, end } = await this.options.database.transact(async (client) => {
      // The end first: what is appended in between is then only seen earlier, never reported as missing.
      const range = await readRange(client);
      return { records: await readRows(client, from, READ_ROWS), end: range.end };
    });
    const first = records[0];
    const last = records.at(-1);
    if (first === undefined || last === undefined) return this.feed.observeEnd(PARTITION, end);
    const to = last.offset + 1;
    if (records.length === READ_ROWS) this.isWoken = true;
    // The log's own numbers begin at 1; offset 0 was never there.
    await this.feed.offer({
      partition: PARTITION,
      first: first.offset === 1 ? 0 : first.offset,
      to,
      records,
      end: Math.max(end, to),
    });
  }

  private controls(): FeedControls {
    return {
      seek: (_partition, offset) => {
        if (offset < this.from) this.isWoken = true;
        this.from = offset;
      },
      pause: () => {
        this.isPaused = true;
      },
      resume: () => {
        this.isPaused = false;
        this.wake();
      },
      ranges: async () => new Map([[PARTITION, await this.options.database.transact(readRange)]]),
    };
  }
}
