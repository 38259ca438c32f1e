/** A place of a run's own in the real services: a database, a key prefix, a topic, consumer groups; and its removal. */

import { randomBytes } from 'node:crypto';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import pg from 'pg';
import { enterStack, leaveStack } from '../../test/stack/stack.js';
import { progress } from './report.js';

export type ServiceVersions = Readonly<Record<'kafka' | 'redis' | 'postgres', string>>;

export interface RunPlace {
  /** The version of each service, such as `apache-4.3.1`. */
  readonly versions: ServiceVersions;
  readonly topic: string;
  readonly kafka: Kafka;
  readonly pool: pg.Pool;
  /** What leads a server here. */
  readonly serverEnv: Readonly<Record<string, string>>;
  /** Removes all of it; what cannot be removed is told and left. Stop the server first. */
  leave(): Promise<void>;
}

/** Finds or starts the services; nothing is left of a start that fails half-way. */
export async function enterPlace(): Promise<RunPlace> {
  const stack = await enterStack();
  const name = `loadtest_${randomBytes(6).toString('hex')}`;
  const cleanUps: CleanUp[] = [['stack', leaveStack]];
  try {
    const brokers = stack.kafka.address.split(',');
    const kafka = newKafka(brokers, name);
    const { url, pool } = await createDatabase(stack.postgres.address, name, cleanUps);
    cleanUps.push(['Redis keys', () => removeKeys(stack.redis.address, name)]);
    cleanUps.push(['Kafka topics and groups', () => removeTopics(kafka, name)]);
    return {
      versions: { kafka: stack.kafka.label, redis: stack.redis.label, postgres: stack.postgres.label },
      topic: name,
      kafka,
      pool,
      serverEnv: {
        RANKCAST_DATABASE_URL: url,
        RANKCAST_REDIS_URL: stack.redis.address,
        RANKCAST_REDIS_PREFIX: name,
        RANKCAST_KAFKA_BROKERS: stack.kafka.address,
        RANKCAST_KAFKA_TOPIC: name,
        RANKCAST_KAFKA_GROUP_PREFIX: name,
      },
      leave: () => cleanUp(cleanUps),
    };
  } catch (error) {
    await cleanUp(cleanUps);
    throw error;
  }
}

type CleanUp = readonly [what: string, remove: () => Promise<void>];

async function cleanUp(cleanUps: readonly CleanUp[]): Promise<void> {
  for (const [what, remove] of cleanUps.toReversed()) {
    await remove().catch((error: unknown) => progress(`could not clean up ${what}: ${String(error)}`));
  }
}

/** Small requests follow one another here: Nagle's algorithm would hold each until the one before is answered. */
function newKafka(brokers: string[], clientId: string): Kafka {
  return new Kafka({
    clientId,
    brokers,
    logLevel: logLevel.NOTHING,
    socketFactory: ({ host, port, ssl, onConnect }) => {
      const socket = ssl ? connectTls({ host, port, ...ssl }, onConnect) : connectTcp({ host, port }, onConnect);
      return socket.setNoDelay(true).setKeepAlive(true, 60_000);
    },
  });
}

/** Notifications and advisory locks belong to a database, so a schema would not be enough. */
async function createDatabase(
  serverUrl: string,
  name: string,
  cleanUps: CleanUp[],
): Promise<{ url: string; pool: pg.Pool }> {
  await runOnce(serverUrl, `CREATE DATABASE ${name}`);
  const target = new URL(serverUrl);
  target.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: target.href, max: 2, options: '-c search_path=rankcast' });
  // Without a listener, a connection that is cut off would end the process.
  pool.on('error', () => undefined);
  cleanUps.push([
    'database',
    async () => {
      await pool.end();
      await runOnce(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  ]);
  return { url: target.href, pool };
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

async function removeKeys(url: string, prefix: string): Promise<void> {
  const redis = new Redis(url, { lazyConnect: true });
  try {
    await redis.connect();
    for await (const keys of redis.scanStream({ match: `${prefix}:*`, count: 1_000 })) {
      if (keys.length > 0) await redis.unlink(...keys);
    }
  } finally {
    redis.disconnect();
  }
}

async function removeTopics(kafka: Kafka, name: string): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(name));
    if (topics.length > 0) await admin.deleteTopics({ topics });
    const { groups } = await admin.listGroups();
    const ours = groups.map(({ groupId }) => groupId).filter((groupId) => groupId.startsWith(name));
    if (ours.length > 0) await admin.deleteGroups(ours);
  } finally {
    await admin.disconnect();
  }
}
