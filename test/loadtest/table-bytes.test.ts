import { afterEach, beforeEach, expect, it } from 'vitest';
import { readTableBytes, readWalBytes } from '../../loadtest/bench/table-bytes.js';
import { createTruthDatabase, type TruthDatabase } from '../truth/truth-database.js';

let database: TruthDatabase;
beforeEach(async () => {
  database = await createTruthDatabase({ isMigrated: false });
  await database.ask(`CREATE SCHEMA "${database.schema}"`);
});
afterEach(() => database.drop());

it('the parts of a table are together all that it takes but its free space and visibility maps', async () => {
  await database.ask('CREATE TABLE kept (id int PRIMARY KEY, name text, story text)');
  await database.ask('CREATE INDEX ON kept (name)');
  // Text that does not repeat, or it would be pressed into the row instead of being moved out.
  const story = `(SELECT string_agg(md5(part || ' of ' || n), '') FROM generate_series(1, 200) AS part)`;
  await database.ask(`INSERT INTO kept SELECT n, 'name ' || n, ${story} FROM generate_series(1, 300) AS n`);
  const { heap, primaryKey, otherIndexes, toast } = await readTableBytes(database.pool, 'kept');
  const [sizes] = await database.ask<{ all: string; maps: string }>(
    `SELECT pg_total_relation_size('kept') AS all,
            pg_relation_size('kept', 'fsm') + pg_relation_size('kept', 'vm') AS maps`,
  );
  expect(heap + primaryKey + otherIndexes + toast).toBe(Number(sizes?.all) - Number(sizes?.maps));
  for (const part of [heap, primaryKey, otherIndexes, toast]) expect(part).toBeGreaterThan(0);
  expect(toast).toBeGreaterThan(300 * 32 * 200 * 0.5);
});

it('the write-ahead log grows by what is written', async () => {
  await database.ask('CREATE TABLE kept (story text)');
  const before = await readWalBytes(database.pool);
  await database.ask(`INSERT INTO kept SELECT repeat('x', 1000) FROM generate_series(1, 100)`);
  expect((await readWalBytes(database.pool)) - before).toBeGreaterThan(100_000);
});
