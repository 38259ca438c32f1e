/** Reads a topic once, between known offsets, as the only member of a consumer group. */

import type { Consumer, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';
import { RankcastError, StoreUnavailableError } from '../domain/errors.js';
import type { LogRange } from './feed-options.js';
import { KAFKA_RETRY, parseOffset, toKafkaError } from './kafka-client.js';

/** How long the group believes in a member that says nothing: longer than any append may take. */
export const SESSION_MS = 30_000;
/** By then Kafka has answered nothing at all, several tries included. */
const STALLED_MS = 60_000;
const PIECE_MESSAGES = 500;

export interface TopicReaderOptions {
  readonly kafka: Kafka;
  readonly topic: string;
  readonly group: string;
  /** What to read of each partition: from `low` to below `end`. */
  readonly ranges: ReadonlyMap<number, LogRange>;
  /** Called for one piece after the other, in order within a partition; answers whether to go on. */
  readonly take: (piece: TopicPiece) => Promise<boolean>;
}

export interface TopicPiece {
  readonly partition: number;
  readonly messages: readonly KafkaMessage[];
  /** One past the last offset that was considered. */
  readonly to: number;
  /** Throws where the group has another member by now. */
  commit(offset: number, metadata: string): Promise<void>;
}

export class TopicReader {
  private readonly options: TopicReaderOptions;
  private readonly consumer: Consumer;
  /** Where to read on; partitions that are read to their end are gone. */
  private readonly next: Map<number, number>;
  private readonly ended: Promise<void>;
  private settle: { end: () => void; fail: (error: unknown) => void } = { end: () => undefined, fail: () => undefined };
  private readonly stalled: NodeJS.Timeout;

  private constructor(options: TopicReaderOptions, next: Map<number, number>) {
    this.options = options;
    this.next = next;
    this.ended = new Promise((resolve, reject) => {
      this.settle = { end: resolve, fail: reject };
    });
    // Awaited only once the consumer runs, and it may fail before.
    this.ended.catch(() => undefined);
    this.consumer = options.kafka.consumer({
      groupId: options.group,
      maxWaitTimeInMs: 100,
      sessionTimeout: SESSION_MS,
      heartbeatInterval: 2_000,
      allowAutoTopicCreation: false,
      retry: KAFKA_RETRY,
    });
    this.stalled = setTimeout(() => {
      this.settle.fail(new StoreUnavailableError(`nothing came from the topic ${options.topic} for a minute`));
    }, STALLED_MS);
  }

  /** Resolves at the end of all ranges, or when `take` says so; rejects with what `take` threw. */
  static async read(options: TopicReaderOptions): Promise<void> {
    const partitions = [...options.ranges].filter(([, { low, end }]) => low < end);
    if (partitions.length === 0) return;
    const reader = new TopicReader(options, new Map(partitions.map(([partition, { low }]) => [partition, low])));
    await reader.run();
  }

  private async run(): Promise<void> {
    const { consumer } = this;
    const { topic } = this.options;
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => this.assign(payload.memberAssignment[topic] ?? []));
    consumer.on(consumer.events.CRASH, ({ payload }) => this.settle.fail(payload.error));
    try {
      await consumer.connect();
      await consumer.subscribe({ topic, fromBeginning: true });
      await consumer.run({ autoCommit: false, eachBatch: (payload) => this.offer(payload) });
      await this.ended;
    } catch (error) {
      throw error instanceof RankcastError ? error : toKafkaError(error);
    } finally {
      clearTimeout(this.stalled);
      await consumer.disconnect().catch(() => undefined);
    }
  }

  /** Called before anything is fetched. Who has not all partitions shares the group with another, who does the same work. */
  private assign(partitions: readonly number[]): void {
    const { topic, group } = this.options;
    if ([...this.next.keys()].some((partition) => !partitions.includes(partition))) {
      this.settle.fail(new StoreUnavailableError(`another member of the group ${group} reads ${topic}: let it end`));
      return;
    }
    const others = partitions.filter((partition) => !this.next.has(partition));
    this.consumer.pause([{ topic, partitions: others }]);
    for (const [partition, offset] of this.next) this.consumer.seek({ topic, partition, offset: String(offset) });
  }

  /** Never throws: kafkajs would offer the same again, and log it as its own failure. */
  private async offer({ batch, isRunning, isStale, heartbeat }: EachBatchPayload): Promise<void> {
    const { partition } = batch;
    const from = this.next.get(partition);
    const end = this.options.ranges.get(partition)?.end ?? 0;
    if (from === undefined || !isRunning() || isStale()) return;
    const messages = batch.messages.filter(({ offset }) => parseOffset(offset) >= from && parseOffset(offset) < end);
    const to = Math.min(parseOffset(batch.lastOffset()) + 1, end);
    try {
      for (let start = 0; start < messages.length; start += PIECE_MESSAGES) {
        const piece = messages.slice(start, start + PIECE_MESSAGES);
        const following = messages[start + PIECE_MESSAGES];
        await this.take({
          partition,
          messages: piece,
          to: following === undefined ? to : parseOffset(following.offset),
        });
        await heartbeat();
      }
      // Behind the last message there may be control records of transactions.
      this.advance(partition, to);
    } catch (error) {
      this.settle.fail(error);
      this.next.clear();
    }
  }

  private async take(piece: Omit<TopicPiece, 'commit'>): Promise<void> {
    const { topic, take } = this.options;
    const { partition, to } = piece;
    if (!this.next.has(partition)) return;
    const commit = (offset: number, metadata: string): Promise<void> =>
      this.consumer.commitOffsets([{ topic, partition, offset: String(offset), metadata }]);
    const goesOn = await take({ ...piece, commit });
    this.advance(partition, to);
    if (!goesOn) this.endAll();
  }

  private advance(partition: number, to: number): void {
    this.stalled.refresh();
    const from = this.next.get(partition);
    if (from === undefined || to <= from) return;
    const end = this.options.ranges.get(partition)?.end ?? 0;
    if (to < end) this.next.set(partition, to);
    else this.next.delete(partition);
    if (this.next.size === 0) this.endAll();
  }

  private endAll(): void {
    this.next.clear();
    this.settle.end();
  }
}
