/** A topic of its own on the real Kafka of the test stack. */

import { randomUUID } from 'node:crypto';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import { KafkaLog } from '../../src/results/kafka-log.js';
import { silent } from '../truth/truth-database.js';
import { RecordedReports } from './log-fixture.js';

export interface KafkaTopicFixture {
  readonly topic: string;
  readonly kafka: Kafka;
  readonly admin: Admin;
  readonly reports: RecordedReports;
  /** As one process has it; closed by `drop`. */
  newLog(reports?: RecordedReports): KafkaLog;
  /** A group name of this test alone. */
  group(name: string): string;
  /** Waits until the log of the topic reaches its end. */
  drop(): Promise<void>;
}

export function kafkaBrokers(): string[] {
  const brokers = process.env['RANKCAST_TEST_KAFKA_BROKERS'];
  if (brokers === undefined)
    throw new Error('RANKCAST_TEST_KAFKA_BROKERS is not set: start the stack (npm run stack -- up)');
  return brokers.split(',');
}

export async function createTopicFixture(partitions: number): Promise<KafkaTopicFixture> {
  const id = randomUUID().slice(0, 8);
  const topic = `results-${id}`;
  const brokers = kafkaBrokers();
  const kafka = new Kafka({ brokers, clientId: 'test', logLevel: logLevel.NOTHING, retry: { retries: 8 } });
  const admin = kafka.admin();
  await admin.connect();
  const logs: KafkaLog[] = [];
  const reports = new RecordedReports();
  return {
    topic,
    kafka,
    admin,
    reports,
    newLog(own = reports) {
      const log = new KafkaLog({ brokers, topic, partitions, replicationFactor: 1, reports: own, logger: silent });
      logs.push(log);
      return log;
    },
    group: (name) => `${id}-${name}`,
    async drop() {
      await Promise.all(logs.map((log) => log.close()));
      const there = await admin.listTopics();
      const topics = [topic, `${topic}.dlq`].filter((name) => there.includes(name));
      if (topics.length > 0) await admin.deleteTopics({ topics });
      await admin.disconnect();
    },
  };
}
