/** The contract of a result log: records go in durably, and come out in order, per partition, to one consumer per group. */

import type { PartitionBatch } from '../domain/log-record.js';

export interface NewRecord {
  /** The player id: all records of a player share a partition. */
  readonly key: string;
  /** JSON in UTF-8. */
  readonly value: Uint8Array;
  /** Default: the one of the key. A log of one partition does not look at it. */
  readonly partition?: number;
}

export interface ResultLog {
  /** Names the log in positions: `kafka:<topic>` or `postgres`. */
  readonly source: string;
  /** The start check: makes what is missing, throws `StartRefusedError` where something is wrong that only a person can mend. */
  check(): Promise<void>;
  /**
   * Resolves once all are durable; rejects with `StoreUnavailableError` where they are not, or not surely, and with
   * `RecordTooLargeError` where the log refuses some for their size.
   */
  append(records: readonly NewRecord[]): Promise<void>;
  /**
   * Feeds a consumer until the subscription is closed. Resolves when the first assignment's positions are known, or when
   * it is known that they have to wait for a store; rejects with `StartRefusedError` where they do not fit the log.
   */
  consume(group: string, consumer: PartitionConsumer, pace: ConsumePace): Promise<LogSubscription>;
  /** Ends the subscriptions, sends what was appended, closes connections. */
  close(): Promise<void>;
}

/**
 * `urgent`: each record as soon as it is there. `gathered`: records may wait up to 20 ms for others, where fewer and
 * larger batches are worth more than the wait.
 */
export type ConsumePace = 'urgent' | 'gathered';

export interface LogSubscription {
  close(): Promise<void>;
}

/**
 * Keeps its own positions; the log starts where it says and feeds it batches without holes, one at a time per partition.
 * About once a second each partition gets an empty batch (`from === to`) to confirm its position.
 */
export interface PartitionConsumer {
  /** Its own next offset per partition, at assignment; absent is 0. May take as long as a fill. */
  positions(source: string, partitions: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /**
   * Answers where to read on: `batch.to`, lower to read again from there, higher where the rest was considered before.
   * A throw means that nothing is known: the same records come again after a pause.
   */
  consume(batch: PartitionBatch): Promise<number>;
  /**
   * The log no longer holds `[from, to)`, which this consumer has not considered. Resolves to go on without it; a throw
   * stops the partition with that error until the position lies beyond. Absent: it goes on, and the loss is counted.
   */
  lost?(source: string, partition: number, from: number, to: number): Promise<void>;
  /** Why a part of what it is given is not taken, though it goes on with the rest; asked after each call. */
  problem?(): string | undefined;
}
