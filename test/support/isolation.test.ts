import { Redis } from 'ioredis';
import pg from 'pg';
import { expect, test } from 'vitest';
import { testDatabase, testKafka, testRedis, uniqueName } from './isolation.js';

test('gives names that differ and suit every service', () => {
  expect(uniqueName('board')).toMatch(/^board_[0-9a-f]{12}$/);
  expect(uniqueName('board')).not.toBe(uniqueName('board'));
});

test('gives each test an empty database, where its url leads into the schema', async () => {
  const [one, other] = [await testDatabase(), await testDatabase()];
  try {
    await one.pool.query('CREATE TABLE here (n int)');
    const { rows } = await one.pool.query(
      `SELECT table_schema FROM information_schema.tables WHERE table_name = 'here'`,
    );
    expect(rows).toEqual([{ table_schema: one.schema }]);
    await expect(other.pool.query('SELECT * FROM here')).rejects.toThrow(/does not exist/);
  } finally {
    await one.drop();
    await other.drop();
  }
});

test('removes a database that somebody is still connected to', async () => {
  const database = await testDatabase();
  const client = new pg.Client(database.url);
  const ended = new Promise<void>((resolve) => {
    client.on('error', () => undefined).once('end', () => resolve());
  });
  await client.connect();
  await database.drop();
  await ended;
  await expect(new pg.Client(database.url).connect()).rejects.toThrow(/does not exist/);
});

test('removes the keys of one test and no others', async () => {
  const [one, other] = [await testRedis(), await testRedis()];
  await one.client.set(`${one.keyPrefix}a`, '1');
  await other.client.set(`${other.keyPrefix}a`, '1');
  await one.drop();
  const look = new Redis(one.url);
  expect(await look.exists(`${one.keyPrefix}a`)).toBe(0);
  expect(await look.exists(`${other.keyPrefix}a`)).toBe(1);
  look.disconnect();
  await other.drop();
});

test('gives topics of the wanted shape and removes them', async () => {
  const { kafka, createTopic, drop } = await testKafka();
  const topic = await createTopic('match-results', { partitions: 3 });
  const admin = kafka.admin();
  await admin.connect();
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
  expect(topics[0]?.partitions).toHaveLength(3);
  const producer = kafka.producer();
  await producer.connect();
  const [receipt] = await producer.send({ topic, messages: [{ value: 'x', timestamp: '1' }] });
  // The broker's clock, not the producer's: that is what LogAppendTime means.
  expect(Number(receipt?.logAppendTime)).toBeGreaterThan(1_000_000_000_000);
  await producer.disconnect();
  await drop();
  expect(await admin.listTopics()).not.toContain(topic);
  await admin.disconnect();
});
