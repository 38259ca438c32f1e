/**
 * A whole installation for one test: a database, a topic and a key prefix of its own, a worker process (truth and
 * ranking), a gateway process (intake and gateway), and SDK clients with friends.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Redis } from 'ioredis';
import { Partitioners, type Producer } from 'kafkajs';
import type { Pool } from 'pg';
import { WebSocket } from 'ws';
import { type Client, createClient } from '../../src/client/index.js';
import { PlayerTokens } from '../../src/ops/player-tokens.js';
import { testDatabase, testKafka, testRedis, uniqueName } from '../support/isolation.js';
import { type CommandEnd, runCommand, type ServerProcess, startServer } from '../support/server-process.js';

const PARTITIONS = 4;
export const INGEST_TOKEN = 'flow-ingest-token';
const WRITES_AT_ONCE = 20;

export interface FlowOptions {
  /** Default: the stack's Redis. */
  readonly redisUrl?: string;
  /** The text of a boards file. Default: the built-in one. */
  readonly boards?: string;
}

/** What a game server sends; the player keys it. */
export interface KeyedResult {
  readonly playerId: string;
}

export interface Flow {
  readonly pool: Pool;
  readonly schema: string;
  readonly redis: Redis;
  readonly redisPrefix: string;
  /** `http://127.0.0.1:port` of the gateway. */
  readonly url: string;
  readonly gateway: ServerProcess;
  /** The installation's settings, for servers that a test starts itself; it stops them before `close`. */
  readonly env: Readonly<Record<string, string>>;
  /** One process with the roles truth and ranking; `close` stops those that a test leaves running. */
  startWorker(): Promise<ServerProcess>;
  /** Runs a subcommand with the installation's settings to its end. */
  run(args: readonly string[]): Promise<CommandEnd>;
  befriend(friendships: readonly (readonly [string, string])[]): Promise<void>;
  /** Acknowledged by Kafka when it resolves. */
  produce(results: readonly KeyedResult[]): Promise<void>;
  connect(playerId: string): Promise<Client>;
  close(): Promise<void>;
}

export async function startFlow(options: FlowOptions = {}): Promise<Flow> {
  const database = await testDatabase();
  const redis = await testRedis();
  const kafka = await testKafka();
  const topic = await kafka.createTopic('flow', { partitions: PARTITIONS });
  const schema = uniqueName('rankcast');
  const redisPrefix = redis.keyPrefix.slice(0, -1);
  const tokenSecret = randomBytes(32).toString('hex');
  const folder = await mkdtemp(path.join(tmpdir(), 'rankcast-flow-'));
  const boardsFile = path.join(folder, 'boards.yaml');
  if (options.boards !== undefined) await writeFile(boardsFile, options.boards);
  const env = {
    RANKCAST_DATABASE_URL: database.url,
    RANKCAST_DATABASE_SCHEMA: schema,
    RANKCAST_REDIS_URL: options.redisUrl ?? redis.url,
    RANKCAST_REDIS_PREFIX: redisPrefix,
    RANKCAST_KAFKA_BROKERS: kafka.brokers.join(','),
    RANKCAST_KAFKA_TOPIC: topic,
    RANKCAST_KAFKA_GROUP_PREFIX: uniqueName('flow'),
    RANKCAST_TOKEN_SECRET: tokenSecret,
    RANKCAST_INGEST_TOKEN: INGEST_TOKEN,
    RANKCAST_HOST: '127.0.0.1',
    RANKCAST_PORT: '0',
    RANKCAST_ADMIN_PORT: '0',
    RANKCAST_DRAIN_SEC: '0',
    ...(options.boards === undefined ? {} : { RANKCAST_BOARDS_FILE: boardsFile }),
  };
  const servers: ServerProcess[] = [];
  const clients: Client[] = [];
  const start = async (roles: string): Promise<ServerProcess> => {
    const server = await startServer({ ...env, RANKCAST_ROLES: roles });
    servers.push(server);
    return server;
  };
  const gateway = await start('intake,gateway');
  const url = `http://127.0.0.1:${gateway.port}`;
  const producer = kafka.kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  const tokens = new PlayerTokens({ secret: tokenSecret });
  return {
    pool: database.pool,
    schema,
    redis: redis.client,
    redisPrefix,
    url,
    gateway,
    env,
    startWorker: () => start('truth,ranking'),
    run: (args) => runCommand(args, env),
    befriend: (friendships) => befriend(url, friendships),
    produce: (results) => produce(producer, topic, results),
    connect: async (playerId) => {
      const token = await tokens.sign(playerId, 3_600);
      const client = createClient({ url, getToken: () => token, WebSocket });
      clients.push(client);
      return client;
    },
    close: async () => {
      for (const client of clients) client.close();
      await producer.disconnect();
      await Promise.all(servers.map((server) => server.stop()));
      await Promise.all([database.drop(), redis.drop(), kafka.drop(), rm(folder, { recursive: true })]);
    },
  };
}

async function befriend(url: string, friendships: readonly (readonly [string, string])[]): Promise<void> {
  const left = [...friendships];
  const writeAll = async (): Promise<void> => {
    for (let pair = left.pop(); pair !== undefined; pair = left.pop()) {
      const [player, friend] = pair.map(encodeURIComponent);
      const path = `${url}/v1/players/${player}/friends/${friend}`;
      const response = await fetch(path, { method: 'PUT', headers: { authorization: `Bearer ${INGEST_TOKEN}` } });
      if (response.status !== 204) throw new Error(`PUT ${path}: ${response.status} ${await response.text()}`);
    }
  };
  await Promise.all(Array.from({ length: WRITES_AT_ONCE }, writeAll));
}

async function produce(producer: Producer, topic: string, results: readonly KeyedResult[]): Promise<void> {
  const messages = results.map((result) => ({ key: result.playerId, value: JSON.stringify(result) }));
  await producer.send({ topic, messages, acks: -1 });
}
