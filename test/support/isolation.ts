/** A place of its own for each test in the shared real services: a database, a key prefix, topics. */
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import pg from 'pg';
import { stackAddresses } from './stack-addresses.js';

/** `prefix_` and 12 hex digits: fit for schemas, databases, keys, topics, groups and player ids. */
export function uniqueName(prefix: string): string {
  return `${prefix}_${randomBytes(6).toString('hex')}`;
}

export interface TestDatabase {
  /** Leads to a database of its own (so notifications and advisory locks are its own too), into `schema`. */
  readonly url: string;
  /** Exists, is empty, and comes first in the search path of every connection by `url`. */
  readonly schema: string;
  readonly pool: pg.Pool;
  /** Ends the pool and removes the database, whoever is still connected. */
  drop(): Promise<void>;
}

export async function testDatabase(): Promise<TestDatabase> {
  const { databaseUrl } = stackAddresses();
  const database = uniqueName('test');
  const schema = uniqueName('schema');
  await runOnce(databaseUrl, `CREATE DATABASE ${database} STRATEGY file_copy`);
  const target = new URL(databaseUrl);
  target.pathname = `/${database}`;
  await runOnce(target.href, `CREATE SCHEMA ${schema}`);
  target.searchParams.set('options', `-c search_path=${schema}`);
  const pool = new pg.Pool({ connectionString: target.href, max: 5 });
  // Without a listener, a connection that the drop cuts off would end the test process.
  pool.on('error', () => undefined);
  return {
    url: target.href,
    schema,
    pool,
    async drop() {
      await pool.end();
      await runOnce(databaseUrl, `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
    },
  };
}

export interface TestRedis {
  readonly url: string;
  /** Ends with a colon; every key of the test begins with it. */
  readonly keyPrefix: string;
  /** A connection for the test's own looks; it adds no prefix. */
  readonly client: Redis;
  /** Removes the keys with the prefix and closes the connection. */
  drop(): Promise<void>;
}

export async function testRedis(): Promise<TestRedis> {
  const { redisUrl } = stackAddresses();
  const keyPrefix = `${uniqueName('test')}:`;
  const client = new Redis(redisUrl, { lazyConnect: true });
  await client.connect();
  return {
    url: redisUrl,
    keyPrefix,
    client,
    async drop() {
      for await (const keys of client.scanStream({ match: `${keyPrefix}*`, count: 1_000 })) {
        if (keys.length > 0) await client.unlink(...keys);
      }
      client.disconnect();
    },
  };
}

export interface TestTopicOptions {
  /** Default 1. */
  readonly partitions?: number;
  /** Default `LogAppendTime`, as the product demands. */
  readonly timestampType?: 'LogAppendTime' | 'CreateTime';
}

export interface TestKafka {
  readonly brokers: string[];
  /** A quiet client for the test's own producers, consumers and admin calls. */
  readonly kafka: Kafka;
  /** Creates a topic with a name that nothing else uses. The broker creates none by itself. */
  createTopic(prefix: string, options?: TestTopicOptions): Promise<string>;
  /** Removes the topics. Stop what uses them first. */
  drop(): Promise<void>;
}

export async function testKafka(): Promise<TestKafka> {
  const brokers = stackAddresses().kafkaBrokers.split(',');
  const kafka = new Kafka({ clientId: uniqueName('test'), brokers, logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  const topics: string[] = [];
  return {
    brokers,
    kafka,
    async createTopic(prefix, { partitions = 1, timestampType = 'LogAppendTime' } = {}) {
      const topic = uniqueName(prefix);
      const configEntries = [{ name: 'message.timestamp.type', value: timestampType }];
      topics.push(topic);
      await admin.createTopics({
        waitForLeaders: true,
        topics: [{ topic, numPartitions: partitions, replicationFactor: 1, configEntries }],
      });
      return topic;
    },
    async drop() {
      if (topics.length > 0) await admin.deleteTopics({ topics });
      await admin.disconnect();
    },
  };
}

async function runOnce(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
