/** The topics: made where missing, checked where they are there, and how far they reach. */

import kafkajs, { type Admin, type ITopicConfig, type Kafka } from 'kafkajs';
import type { Logger } from 'pino';
import { RankcastError, StartRefusedError } from '../domain/errors.js';
import type { LogRange } from './feed-options.js';
import { parseOffset, toKafkaError } from './kafka-client.js';

/** A CommonJS package whose named exports Node's loader sees only in part. */
const { ConfigResourceTypes } = kafkajs;

export interface KafkaTopicsOptions {
  readonly kafka: Kafka;
  readonly topic: string;
  /** Used only when the topic is created. */
  readonly partitions: number;
  /** Used only when the topic is created; -1: the broker's default. */
  readonly replicationFactor: number;
  readonly logger: Logger;
}

const STAMP_SETTING = 'message.timestamp.type';
const STAMP = 'LogAppendTime';

export function deadLetterTopic(topic: string): string {
  return `${topic}.dlq`;
}

export class KafkaTopics {
  private readonly options: KafkaTopicsOptions;
  private readonly admin: Admin;
  private connecting: Promise<void> | undefined;

  constructor(options: KafkaTopicsOptions) {
    this.options = options;
    this.admin = options.kafka.admin();
  }

  /** Throws `StartRefusedError` where the topic does not stamp records itself: a producer's clock must not judge them. */
  async check(): Promise<void> {
    const { topic, partitions, replicationFactor, logger } = this.options;
    await this.ask(async (admin) => {
      const there = new Set(await admin.listTopics());
      const wanted: ITopicConfig[] = [
        {
          topic,
          numPartitions: partitions,
          replicationFactor,
          configEntries: [{ name: STAMP_SETTING, value: STAMP }],
        },
        { topic: deadLetterTopic(topic), numPartitions: 1, replicationFactor },
      ];
      const missing = wanted.filter((candidate) => !there.has(candidate.topic));
      if (missing.length > 0) {
        // Answers false where another process was quicker, which is as good.
        await admin.createTopics({ topics: missing, waitForLeaders: true });
        logger.info({ topics: missing.map((candidate) => candidate.topic) }, 'Kafka topics created');
      }
      const stamp = await this.stampOf(admin);
      if (stamp !== STAMP) {
        throw new StartRefusedError(
          `The topic ${topic} has ${STAMP_SETTING}=${stamp}, but results are judged by the broker's clock: set it with ` +
            `kafka-configs.sh --alter --entity-type topics --entity-name ${topic} --add-config ${STAMP_SETTING}=${STAMP}`,
        );
      }
    });
  }

  /** Of the asked partitions, those that the topic has. */
  async ranges(partitions: readonly number[]): Promise<ReadonlyMap<number, LogRange>> {
    if (partitions.length === 0) return new Map();
    const all = await this.allRanges();
    return new Map([...all].filter(([partition]) => partitions.includes(partition)));
  }

  async allRanges(): Promise<ReadonlyMap<number, LogRange>> {
    const offsets = await this.ask((admin) => admin.fetchTopicOffsets(this.options.topic));
    return new Map(
      offsets.map(({ partition, low, high }) => [partition, { low: parseOffset(low), end: parseOffset(high) }]),
    );
  }

  async close(): Promise<void> {
    await this.connecting?.catch(() => undefined);
    await this.admin.disconnect();
  }

  private async stampOf(admin: Admin): Promise<string> {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: ConfigResourceTypes.TOPIC, name: this.options.topic, configNames: [STAMP_SETTING] }],
    });
    const entry = resources[0]?.configEntries.find(({ configName }) => configName === STAMP_SETTING);
    return entry?.configValue ?? 'unknown';
  }

  private async ask<T>(question: (admin: Admin) => Promise<T>): Promise<T> {
    try {
      this.connecting ??= this.admin.connect();
      await this.connecting;
      return await question(this.admin);
    } catch (error) {
      if (error instanceof RankcastError) throw error;
      this.connecting = undefined;
      throw toKafkaError(error);
    }
  }
}
