/** Kafka as the result log: one topic, LogAppendTime, acknowledged by all. */

import type { Kafka } from 'kafkajs';
import type { Logger } from 'pino';
import type { DeadLetters } from './dead-letters.js';
import { KafkaDeadLetters } from './dead-letters-kafka.js';
import { createKafka } from './kafka-client.js';
import { KafkaSubscription } from './kafka-consumer.js';
import { KafkaProducer } from './kafka-producer.js';
import { deadLetterTopic, KafkaTopics } from './kafka-topics.js';
import type { LogReports } from './reports.js';
import type { ConsumePace, LogSubscription, NewRecord, PartitionConsumer, ResultLog } from './result-log.js';

export interface KafkaLogOptions {
  /** `host:port`. */
  readonly brokers: readonly string[];
  readonly topic: string;
  /** Used only when the topic is created. */
  readonly partitions: number;
  /** Used only when the topic is created; -1: the broker's default. */
  readonly replicationFactor: number;
  readonly reports: LogReports;
  readonly logger: Logger;
}

const WATCH_ENDS_EVERY_MS = 5_000;

export class KafkaLog implements ResultLog {
  readonly source: string;
  /** `<topic>.dlq`. */
  readonly deadLetters: DeadLetters;
  private readonly options: KafkaLogOptions;
  private readonly kafka: Kafka;
  private readonly topics: KafkaTopics;
  private readonly producer: KafkaProducer;
  private readonly letterProducer: KafkaProducer;
  private readonly subscriptions = new Set<KafkaSubscription>();
  private readonly watching: NodeJS.Timeout;
  private isWatching = false;

  /** Connects to nothing yet. */
  constructor(options: KafkaLogOptions) {
    this.options = options;
    this.source = `kafka:${options.topic}`;
    this.kafka = createKafka(options);
    this.topics = new KafkaTopics({ ...options, kafka: this.kafka });
    this.producer = new KafkaProducer(this.kafka, options.topic);
    this.letterProducer = new KafkaProducer(this.kafka, deadLetterTopic(options.topic));
    this.deadLetters = new KafkaDeadLetters(this.letterProducer);
    this.watching = setInterval(() => void this.watchEnds(), WATCH_ENDS_EVERY_MS);
  }

  check(): Promise<void> {
    return this.topics.check();
  }

  append(records: readonly NewRecord[]): Promise<void> {
    return this.producer.append(records);
  }

  async consume(group: string, consumer: PartitionConsumer, pace: ConsumePace): Promise<LogSubscription> {
    const subscription = new KafkaSubscription({
      ...this.options,
      kafka: this.kafka,
      topics: this.topics,
      source: this.source,
      group,
      consumer,
      pace,
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

  async close(): Promise<void> {
    clearInterval(this.watching);
    await Promise.all([...this.subscriptions].map((subscription) => subscription.close()));
    await Promise.all([this.producer.close(), this.letterProducer.close(), this.topics.close()]);
  }

  /** A partition that is offered nothing does not say why: its end shows lag, or a topic that was made anew. */
  private async watchEnds(): Promise<void> {
    if (this.isWatching || this.subscriptions.size === 0) return;
    this.isWatching = true;
    try {
      const ends = await this.topics.allRanges();
      for (const subscription of this.subscriptions) subscription.observeEnds(ends);
    } catch (error) {
      this.options.logger.debug({ err: error }, 'the ends of the topic are not known now');
    } finally {
      this.isWatching = false;
    }
  }
}
