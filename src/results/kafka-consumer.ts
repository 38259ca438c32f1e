/** One consumer group member: kafkajs fetches, a `PartitionFeed` decides what is taken and where to read on. */

import type { Consumer, ConsumerCrashEvent, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';
import type { Logger } from 'pino';
import { StoreUnavailableError } from '../domain/errors.js';
import type { LogRecord } from '../domain/log-record.js';
import { backoffMs } from './backoff.js';
import type { FeedControls } from './feed-options.js';
import { KAFKA_RETRY, parseOffset } from './kafka-client.js';
import type { KafkaTopics } from './kafka-topics.js';
import { PartitionFeed } from './partition-feed.js';
import type { LogReports } from './reports.js';
import type { ConsumePace, LogSubscription, PartitionConsumer } from './result-log.js';

export interface KafkaConsumerOptions {
  readonly kafka: Kafka;
  readonly topics: KafkaTopics;
  readonly topic: string;
  readonly source: string;
  readonly group: string;
  readonly consumer: PartitionConsumer;
  readonly pace: ConsumePace;
  readonly reports: LogReports;
  readonly logger: Logger;
}

/**
 * The broker answers a fetch when it has so many bytes, or after so long. Waiting for more costs results their time;
 * an idle consumer asks every 20 ms, each answer costs the better part of a millisecond of CPU.
 */
const FETCH: Readonly<Record<ConsumePace, { maxWaitTimeInMs: number; minBytes: number }>> = {
  urgent: { maxWaitTimeInMs: 20, minBytes: 1 },
  gathered: { maxWaitTimeInMs: 20, minBytes: 262_144 },
};

/** Only monitors read it: where to start is the consumer's own knowledge. */
const COMMIT_EVERY_MS = 1_000;
const CODEC_RETRY_MS = 5_000;
/** Batches of one fetch that are under way at once; each only waits for its store. */
const CONCURRENT_PARTITIONS = 64;

export class KafkaSubscription implements LogSubscription {
  private readonly options: KafkaConsumerOptions;
  private readonly feed: PartitionFeed;
  private readonly committing: NodeJS.Timeout;
  private readonly committed = new Map<number, number>();
  private kafkaConsumer: Consumer | undefined;
  private restarting: NodeJS.Timeout | undefined;
  private crashes = 0;
  private unreadableCodec: string | undefined;
  private isCommitting = false;
  private isClosed = false;
  private firstAssignment: { resolve: () => void; reject: (error: unknown) => void } | undefined;

  constructor(options: KafkaConsumerOptions) {
    this.options = options;
    this.feed = new PartitionFeed({ ...options, controls: this.controls() });
    this.committing = setInterval(() => void this.commit(), COMMIT_EVERY_MS);
  }

  /** Resolves with the first assignment; rejects where its positions do not fit the topic. */
  async start(): Promise<void> {
    const assigned = new Promise<void>((resolve, reject) => {
      this.firstAssignment = { resolve, reject };
    });
    await Promise.all([this.run(), assigned]);
  }

  observeEnds(ends: ReadonlyMap<number, { readonly end: number }>): void {
    for (const [partition, { end }] of ends) this.feed.observeEnd(partition, end);
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    clearInterval(this.committing);
    clearTimeout(this.restarting);
    this.firstAssignment?.reject(new StoreUnavailableError(`${this.options.group} was closed before it was assigned`));
    await this.feed.close();
    await this.commit();
    await this.kafkaConsumer?.disconnect();
  }

  private async run(): Promise<void> {
    const { kafka, topic, group, pace } = this.options;
    const consumer = kafka.consumer({
      groupId: group,
      ...FETCH[pace],
      sessionTimeout: 10_000,
      heartbeatInterval: 2_000,
      rebalanceTimeout: 20_000,
      metadataMaxAge: 60_000,
      allowAutoTopicCreation: false,
      retry: KAFKA_RETRY,
    });
    this.kafkaConsumer = consumer;
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => this.assign(payload.memberAssignment[topic] ?? []));
    consumer.on(consumer.events.CRASH, (event) => this.onCrash(consumer, event));
    consumer.on(consumer.events.FETCH, () => this.onFetch());
    try {
      await consumer.connect();
      await consumer.subscribe({ topic, fromBeginning: true });
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: CONCURRENT_PARTITIONS,
        eachBatch: (payload) => this.offer(payload),
      });
    } catch (error) {
      this.restart(consumer, error);
    }
  }

  private assign(partitions: readonly number[]): void {
    const first = this.firstAssignment;
    this.firstAssignment = undefined;
    this.crashes = 0;
    this.committed.clear();
    // Synchronous up to the pause of every partition: nothing is fetched before the consumer said where to read.
    this.feed.assign(partitions).then(
      () => first?.resolve(),
      (error: unknown) => first?.reject(error),
    );
  }

  private async offer({ batch, isRunning, isStale }: EachBatchPayload): Promise<void> {
    const first = batch.firstOffset();
    this.unreadableCodec = undefined;
    if (first === null || !isRunning() || isStale()) return;
    await this.feed.offer({
      partition: batch.partition,
      first: parseOffset(first),
      to: parseOffset(batch.lastOffset()) + 1,
      records: batch.messages.map(toRecord),
      end: parseOffset(batch.highWatermark),
    });
  }

  /** Also an empty fetch gets here; only a batch shows that its codec can be read. */
  private onFetch(): void {
    if (this.unreadableCodec === undefined) this.feed.observeLog(undefined);
  }

  /** kafkajs starts again by itself after most errors; after the others, such as an unknown codec, we do. */
  private onCrash(consumer: Consumer, { payload }: ConsumerCrashEvent): void {
    this.unreadableCodec = codecOf(payload.error);
    this.feed.observeLog(problemOf(payload.error, this.options.topic));
    if (!payload.restart) this.restart(consumer, payload.error);
  }

  private restart(consumer: Consumer, error: unknown): void {
    if (this.isClosed || this.kafkaConsumer !== consumer || this.restarting !== undefined) return;
    this.crashes += 1;
    this.feed.observeLog(problemOf(error, this.options.topic));
    const delayMs = codecOf(error) === undefined ? backoffMs(this.crashes) : CODEC_RETRY_MS;
    this.options.logger.warn({ err: error, group: this.options.group, delayMs }, 'the Kafka consumer starts again');
    this.restarting = setTimeout(() => {
      this.restarting = undefined;
      void consumer
        .disconnect()
        .catch(() => undefined)
        .then(() => (this.isClosed ? undefined : this.run()));
    }, delayMs);
  }

  private async commit(): Promise<void> {
    if (this.isCommitting) return;
    const { topic, logger, group } = this.options;
    const moved = [...this.feed.positions()].filter(([partition, next]) => this.committed.get(partition) !== next);
    if (moved.length === 0 || this.kafkaConsumer === undefined) return;
    this.isCommitting = true;
    try {
      await this.kafkaConsumer.commitOffsets(
        moved.map(([partition, next]) => ({ topic, partition, offset: String(next) })),
      );
      for (const [partition, next] of moved) this.committed.set(partition, next);
    } catch (error) {
      // After a rebalance others commit for these partitions; nothing of ours depends on it.
      logger.debug({ err: error, group }, 'offsets for lag monitors were not committed');
    } finally {
      this.isCommitting = false;
    }
  }

  private controls(): FeedControls {
    const { topic, topics } = this.options;
    // A consumer that has just stopped throws on all three; its successor is assigned anew.
    const attempt = (act: (consumer: Consumer) => void): void => {
      try {
        if (this.kafkaConsumer !== undefined) act(this.kafkaConsumer);
      } catch (error) {
        this.options.logger.debug({ err: error }, 'the Kafka consumer is not running');
      }
    };
    return {
      seek: (partition, offset) => attempt((consumer) => consumer.seek({ topic, partition, offset: String(offset) })),
      pause: (partition) => attempt((consumer) => consumer.pause([{ topic, partitions: [partition] }])),
      resume: (partition) => attempt((consumer) => consumer.resume([{ topic, partitions: [partition] }])),
      ranges: (partitions) => topics.ranges(partitions),
    };
  }
}

function toRecord(message: KafkaMessage): LogRecord {
  const record = {
    offset: parseOffset(message.offset),
    key: message.key,
    value: message.value,
    brokerAt: parseOffset(message.timestamp),
  };
  const headers = Object.entries(message.headers ?? {});
  if (headers.length === 0) return record;
  return { ...record, headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value ?? '')])) };
}

const CODEC = /(\w+) compression not implemented/i;

function codecOf(error: unknown): string | undefined {
  return CODEC.exec(error instanceof Error ? error.message : '')?.[1];
}

function problemOf(error: unknown, topic: string): string {
  const codec = codecOf(error);
  if (codec === undefined) return `Kafka: ${error instanceof Error ? error.message : String(error)}`;
  return (
    `a producer writes to ${topic} with ${codec} compression, which this server cannot read: ` +
    `set compression.type=gzip (or uncompressed) on the topic or the producer`
  );
}
