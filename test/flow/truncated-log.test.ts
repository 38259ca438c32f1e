/**
 * A log that dropped results which a board had not read: what the server says, and that doing just that mends it.
 *
 * Set up: two boards; a process for truth, one for the ranking, one that serves; two partitions, and players who keep theirs.
 * Act: the ranking is stopped, truth reads on, partition 0 drops what the ranking did not see, the ranking is started again.
 * Then the commands of its sentence are run as they stand there, while more results come.
 * Expect: meanwhile partition 1 goes on; then every list is what brute force says, the server is ready, and results go on.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Admin, Producer } from 'kafkajs';
import { afterEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase, testKafka, testRedis, uniqueName } from '../support/isolation.js';
import { runCommand, type ServerProcess, startServer } from '../support/server-process.js';
import { until } from '../support/until.js';
import { type Duel, type DuelBoard, expectedLists, makeDuels } from './duels.js';

const PLAYERS = Array.from({ length: 40 }, (_, n) => `player-${n}`);
const LEFT_RECORDS = 5;
const COMMON = { order: 'high', subject: null, periods: ['day'], zone: 'UTC' } as const;
const BOARDS: Readonly<Record<string, DuelBoard>> = {
  best: { ...COMMON, rule: 'best', scopes: ['guild'] },
  total: { ...COMMON, rule: 'sum', scopes: [] },
};
const FILE = `
modes: [{ id: duel, points: { max: 4095 } }]
boards:
  - { id: best, modes: [duel], periods: [day], scopes: [guild] }
  - { id: total, modes: [duel], rule: sum, maxTotal: 1000000, periods: [day] }
calendar: { seasons: [{ id: "1", startsAt: 2026-01-01T00:00:00Z, endsAt: 2031-01-01T00:00:00Z }] }
`;

interface Installation {
  readonly env: Readonly<Record<string, string>>;
  readonly database: TestDatabase;
  readonly schema: string;
  readonly admin: Admin;
  readonly topic: string;
  /** Of the process that serves. */
  readonly url: string;
  produce(duels: readonly Duel[]): Promise<void>;
  start(roles: string): Promise<ServerProcess>;
}

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

test('a board that missed what the log dropped is mended by the command the log names', {
  timeout: 180_000,
}, async () => {
  const installation = await install();
  const sent: Duel[] = [];
  const play = async (count: number): Promise<void> => {
    const duels = recentDuels(count);
    sent.push(...duels);
    await installation.produce(duels);
  };
  await installation.start('truth');
  const before = await installation.start('ranking');
  await play(300);
  await expectLists(installation, sent);

  expect(await before.stop()).toBe(0);
  await play(300);
  const end = await endReadByTruth(installation);
  const partitions = [{ partition: 0, offset: String(end - LEFT_RECORDS) }];
  await installation.admin.deleteTopicRecords({ topic: installation.topic, partitions });
  const ranking = await installation.start('ranking');
  const sentence = await until(async () => {
    const { status, text } = await readiness(ranking);
    expect([status, text]).toEqual([503, expect.stringContaining('no longer holds the results')]);
    return text;
  }, 30_000);
  expect(ranking.output()).toContain('no longer holds the results');
  expect(sentence).toContain('partition 0 no longer holds the results');
  const commands = (/run `([^`]+)`/.exec(sentence)?.[1] ?? '').split(' && ').toSorted();
  expect(commands).toEqual(Object.keys(BOARDS).map((id) => `npx rankcast rebuild --board ${id} --season 1`));
  await expectOtherPartition(installation, sent);

  let isOver = false;
  const playing = (async () => {
    while (!isOver) {
      await play(10);
      await untilInTruth(installation, sent);
    }
  })();
  for (const command of commands) {
    const { code, stdout, stderr } = await runCommand(command.split(' ').slice(2), installation.env);
    expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/^rebuilt board=\w+ season=1 entries=\d+ /)]);
  }
  isOver = true;
  await playing;
  await expectLists(installation, sent);
  await until(async () => expect(await readiness(ranking)).toMatchObject({ status: 200 }), 30_000);

  await play(100);
  await expectLists(installation, sent);
  const compared = await runCommand(['reconcile', '--board', 'all'], installation.env);
  expect(compared).toMatchObject({ code: 0 });
  expect(compared.stdout.match(/ differing=0 /g)).toHaveLength(2);
});

async function install(): Promise<Installation> {
  const database = await testDatabase();
  cleanups.push(() => database.drop());
  const redis = await testRedis();
  cleanups.push(() => redis.drop());
  const kafka = await testKafka();
  cleanups.push(() => kafka.drop());
  const topic = await kafka.createTopic('truncated', { partitions: 2 });
  const folder = await mkdtemp(path.join(tmpdir(), 'rankcast-truncated-'));
  cleanups.push(() => rm(folder, { recursive: true }));
  const boardsFile = path.join(folder, 'boards.yaml');
  await writeFile(boardsFile, FILE);
  const admin = kafka.kafka.admin();
  await admin.connect();
  cleanups.push(() => admin.disconnect());
  const producer = kafka.kafka.producer();
  await producer.connect();
  cleanups.push(() => producer.disconnect());
  const schema = uniqueName('rankcast');
  const env = {
    RANKCAST_DATABASE_URL: database.url,
    RANKCAST_DATABASE_SCHEMA: schema,
    RANKCAST_REDIS_URL: redis.url,
    RANKCAST_REDIS_PREFIX: redis.keyPrefix.slice(0, -1),
    RANKCAST_KAFKA_BROKERS: kafka.brokers.join(','),
    RANKCAST_KAFKA_TOPIC: topic,
    RANKCAST_KAFKA_GROUP_PREFIX: uniqueName('truncated'),
    RANKCAST_TOKEN_SECRET: '0123456789abcdef0123456789abcdef',
    RANKCAST_BOARDS_FILE: boardsFile,
    RANKCAST_HOST: '127.0.0.1',
    RANKCAST_PORT: '0',
    RANKCAST_ADMIN_PORT: '0',
  };
  const start = async (roles: string): Promise<ServerProcess> => {
    const server = await startServer({ ...env, RANKCAST_ROLES: roles });
    cleanups.push(() => server.stop());
    return server;
  };
  const { port } = await start('gateway');
  const produce = (duels: readonly Duel[]) => send(producer, topic, duels);
  return { env, database, schema, admin, topic, url: `http://127.0.0.1:${port}`, produce, start };
}

async function send(producer: Producer, topic: string, duels: readonly Duel[]): Promise<void> {
  const messages = duels.map((duel) => ({
    key: duel.playerId,
    value: JSON.stringify(duel),
    partition: partitionOf(duel.playerId),
  }));
  await producer.send({ topic, messages, acks: -1 });
}

function partitionOf(playerId: string): number {
  return PLAYERS.indexOf(playerId) % 2;
}

/** Of the last minutes, so that no day has ended for long. */
function recentDuels(count: number): Duel[] {
  const now = Date.now();
  return makeDuels(PLAYERS, count, now).map((duel) => {
    const achievedAt = now - 60_000 - (now - duel.achievedAt) / 2_000;
    return { ...duel, achievedAt: Math.floor(achievedAt / 1_000) * 1_000 };
  });
}

/** Answers where partition 0 ends; what truth itself appends, it has read as well. */
async function endReadByTruth({ admin, topic, database, schema }: Installation): Promise<number> {
  return await until(async () => {
    const ends = await admin.fetchTopicOffsets(topic);
    const { rows } = await database.pool.query<{ partition: number; next: string }>(
      `SELECT partition, next FROM ${schema}.source_position`,
    );
    const high = (partition: number) => ends.find((one) => one.partition === partition)?.high;
    expect(rows.map(({ partition, next }) => [partition, next])).toEqual(
      rows.map(({ partition }) => [partition, high(partition)]),
    );
    expect(rows).toHaveLength(2);
    return Number(high(0));
  });
}

async function untilInTruth({ database, schema }: Installation, sent: readonly Duel[]): Promise<void> {
  const matches = new Set(sent.map(({ matchId }) => matchId)).size;
  await until(async () => {
    const { rows } = await database.pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${schema}.match_results`);
    expect(rows[0]?.n).toBe(matches);
  });
}

async function readiness({ adminPort }: ServerProcess): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`http://127.0.0.1:${adminPort}/readyz`);
  return { status: response.status, text: await response.text() };
}

async function expectLists(installation: Installation, sent: readonly Duel[]): Promise<void> {
  await until(async () => {
    for (const [boardId, board] of Object.entries(BOARDS)) {
      const lists = [...expectedLists(board, sent)];
      expect(lists.length, boardId).toBeGreaterThan(1);
      for (const [query, rows] of lists) {
        expect(await readList(installation, boardId, query), `${boardId}?${query}`).toEqual(rows);
      }
    }
  }, 45_000);
}

/** The rows of those whose partition dropped nothing; their ranks are others'. */
async function expectOtherPartition(installation: Installation, sent: readonly Duel[]): Promise<void> {
  const isThere = ({ playerId }: { readonly playerId: string }) => partitionOf(playerId) === 1;
  const scores = (rows: readonly { playerId: string; score: number }[]) =>
    Object.fromEntries(rows.filter(isThere).map(({ playerId, score }) => [playerId, score]));
  const right = expectedLists(BOARDS['best'] as DuelBoard, sent).get('') ?? [];
  await until(async () => expect(scores(await readList(installation, 'best', ''))).toEqual(scores(right)), 20_000);
}

async function readList(
  { url }: Installation,
  boardId: string,
  query: string,
): Promise<readonly { rank: number; playerId: string; score: number }[]> {
  const response = await fetch(`${url}/v1/boards/${boardId}/entries?limit=${PLAYERS.length}&${query}`);
  if (!response.ok) throw new Error(`${boardId}?${query}: ${response.status} ${await response.text()}`);
  const { entries } = (await response.json()) as { entries: { rank: number; playerId: string; score: number }[] };
  return entries.map(({ rank, playerId, score }) => ({ rank, playerId, score }));
}
