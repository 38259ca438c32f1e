/** What a `PartitionFeed` is given: its settings, what it asks of its log, and what the log offers. */

import type { Logger } from 'pino';
import type { LogRecord } from '../domain/log-record.js';
import type { LogReports } from './reports.js';
import type { PartitionConsumer } from './result-log.js';

/** First offset that the log still holds, and one past its last. */
export interface LogRange {
  readonly low: number;
  readonly end: number;
}

export interface FeedControls {
  /** What is offered next starts here; an offer under way may still come and is dropped. */
  seek(partition: number, offset: number): void;
  pause(partition: number): void;
  resume(partition: number): void;
  ranges(partitions: readonly number[]): Promise<ReadonlyMap<number, LogRange>>;
}

/** Everything that the log holds in `[first, to)`. */
export interface Offer {
  readonly partition: number;
  readonly first: number;
  readonly to: number;
  readonly records: readonly LogRecord[];
  /** One past the log's last offset at that time. */
  readonly end: number;
}

export interface PartitionFeedOptions {
  readonly source: string;
  readonly group: string;
  readonly consumer: PartitionConsumer;
  readonly controls: FeedControls;
  readonly reports: LogReports;
  readonly logger: Logger;
  /** How often a quiet position is confirmed. Default 1,000. */
  readonly confirmEveryMs?: number;
  /** After this long a batch goes on in the background and its partition is paused. Default 2,000. */
  readonly slowAfterMs?: number;
  /** How long the log's end has to be below a position until the log surely went back. Default 30,000: a leader change makes it dip. */
  readonly sureAfterMs?: number;
  /** Epoch milliseconds; default the process's clock. */
  readonly now?: () => number;
}
