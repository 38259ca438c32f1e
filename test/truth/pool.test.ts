import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StartRefusedError, StoreUnavailableError } from '../../src/domain/errors.js';
import { createPool } from '../../src/truth/pool.js';
import { StoreRefusedError } from '../../src/truth/store-errors.js';
import { inTransaction } from '../../src/truth/transaction.js';
import { createTruthDatabase, databaseUrl, silent, type TruthDatabase } from './truth-database.js';

let database: TruthDatabase;
beforeAll(async () => {
  database = await createTruthDatabase();
});
afterAll(() => database.drop());

describe('the pool', () => {
  it('keeps its connections when batches fail, and the process when idle ones are ended (A17)', async () => {
    const pool = database.newPool({ maxConnections: 3, acquireTimeoutMs: 1_000 });
    const broken = await Promise.allSettled(
      [1, 2, 3].map(() =>
        inTransaction(pool, async (client) => {
          await client.query('SELECT 1');
          await client.query('SELECT 1 / 0');
        }),
      ),
    );
    const reasons = broken.map((batch) => (batch.status === 'rejected' ? batch.reason : undefined));
    for (const reason of reasons) expect(reason).toBeInstanceOf(StoreRefusedError);
    const answer = () => inTransaction(pool, async (client) => (await client.query('SELECT 7 AS seven')).rows[0]);
    expect(await answer()).toEqual({ seven: 7 });

    const clients = await Promise.all([1, 2, 3].map(() => pool.connect()));
    const pids = await Promise.all(
      clients.map(
        async (client) => (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid,
      ),
    );
    for (const client of clients) client.release();
    expect(pool.idleCount).toBe(3);
    await database.ask('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS ended (pid)', [pids]);
    // The lost connections leave the pool as soon as the process hears of it.
    for (const limit = Date.now() + 5_000; pool.totalCount > 0 && Date.now() < limit; ) await sleep(5);
    expect(pool.totalCount).toBe(0);
    expect(await answer()).toEqual({ seven: 7 });
  });

  it('answers in time when all connections are in use', async () => {
    const pool = database.newPool({ maxConnections: 1, acquireTimeoutMs: 200 });
    const held = await pool.connect();
    await expect(inTransaction(pool, async () => 1)).rejects.toBeInstanceOf(StoreUnavailableError);
    held.release();
    expect(await inTransaction(pool, async () => 1)).toBe(1);
  });

  it('ends a statement that takes too long', async () => {
    const pool = createPool({ url: databaseUrl(), schema: database.schema, logger: silent, statementTimeoutMs: 100 });
    const slow = inTransaction(pool, (client) => client.query('SELECT pg_sleep(5)'));
    await expect(slow).rejects.toBeInstanceOf(StoreUnavailableError);
    await pool.end();
  });

  it('lets 64-bit integers arrive as text, and works in its schema', async () => {
    const { rows } = await database.pool.query('SELECT 9007199254740993::bigint AS big, current_schema() AS schema');
    expect(rows).toEqual([{ big: '9007199254740993', schema: database.schema }]);
  });

  it('refuses a schema name that would need quoting', () => {
    const make = () => createPool({ url: databaseUrl(), schema: 'x"; DROP', logger: silent });
    expect(make).toThrow(StartRefusedError);
  });
});
