import type { PoolClient } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ALL_DAYS, type DayRange, readDays } from '../../src/truth/day-windows.js';
import { inTransaction } from '../../src/truth/transaction.js';
import { LOCKED_DAYS, makeDays } from './many-days.js';
import { createTruthDatabase, type TruthDatabase } from './truth-database.js';

const DAY_COUNT = 100;
const MAX_DAYS_LOCKED = 30;

let database: TruthDatabase;
let days: string[];
beforeAll(async () => {
  database = await createTruthDatabase();
  days = await makeDays(database, '2026-01-01', DAY_COUNT);
}, 60_000);
afterAll(() => database.drop());

interface Locks {
  readonly locks: number;
  readonly days: number;
}

async function locksOf(client: PoolClient): Promise<Locks> {
  const { rows } = await client.query<Locks>(LOCKED_DAYS);
  return rows[0] ?? { locks: Number.NaN, days: Number.NaN };
}

/** The ids of the matches of a range, the latest day first. */
async function readMatches(client: PoolClient, { from, to }: DayRange): Promise<string[]> {
  const { rows } = await client.query<{ match_id: string }>(
    'SELECT match_id FROM match_results WHERE day BETWEEN $1::date AND $2::date ORDER BY day DESC',
    [from, to],
  );
  return rows.map((row) => row.match_id);
}

async function insert(day: string): Promise<void> {
  await database.ask(
    `INSERT INTO match_results (match_id, player_id, mode, points, scopes, achieved_at, day,
                                source, source_partition, source_offset, broker_at)
      VALUES ($1, 'pl-1', 'arena', 5, '{}', $1::text::date, $1::text::date, 'kafka:t', 0, 0, $1::text::date)`,
    [day],
  );
}

/** The ranges that are asked for, where `isEnough` ends it. */
function rangesOf(range: DayRange, isEnough?: (found: readonly DayRange[]) => boolean): Promise<DayRange[]> {
  return inTransaction(database.pool, (client) => readDays(client, range, async (some) => [some], isEnough));
}

it('locks the days of one range at a time, and none afterwards', async () => {
  await inTransaction(database.pool, async (client) => {
    const during = await readDays(client, ALL_DAYS, async (range) => {
      await readMatches(client, range);
      return [await locksOf(client)];
    });
    expect(during.map((held) => held.days)).toEqual([30, 30, 30, 10]);
    for (const { locks } of during) expect(locks).toBeLessThanOrEqual(MAX_DAYS_LOCKED * 8);
    expect(await locksOf(client)).toEqual({ locks: 0, days: 0 });
  });
});

it('covers each day once, the latest first', async () => {
  const ranges = await rangesOf(ALL_DAYS);
  const covered = ranges.flatMap(({ from, to }) => days.filter((day) => from <= day && day <= to).reverse());
  expect(covered).toEqual([...days].reverse());
});

it('keeps to the range that it is asked for, both ends included', async () => {
  expect(await rangesOf({ from: '2026-01-05', to: '2026-01-07' })).toEqual([{ from: '2026-01-05', to: '2026-01-07' }]);
  expect(await rangesOf({ from: '2026-04-09', to: ALL_DAYS.to })).toEqual([{ from: '2026-04-09', to: '2026-04-10' }]);
  expect(await rangesOf({ from: ALL_DAYS.from, to: '2026-01-01' })).toEqual([{ from: '2026-01-01', to: '2026-01-01' }]);
  expect(await rangesOf({ from: '2027-01-01', to: ALL_DAYS.to })).toEqual([]);
});

it('leaves out earlier days once it is told that this is enough', async () => {
  const asked: number[] = [];
  const isEnough = (found: readonly DayRange[]): boolean => asked.push(found.length) === 2;
  const ranges = await rangesOf(ALL_DAYS, isEnough);
  expect(ranges.map(({ to }) => to)).toEqual(['2026-04-10', '2026-03-11']);
  expect(asked).toEqual([1, 2]);
});

it('answers what all ranges answered, in their order', async () => {
  const [early, middle, late] = ['2026-01-02', '2026-02-15', '2026-04-10'];
  for (const day of [middle, late, early]) await insert(day ?? '');
  const found = await inTransaction(database.pool, (client) =>
    readDays(client, ALL_DAYS, (range) => readMatches(client, range)),
  );
  expect(found).toEqual([late, middle, early]);
});

it('reads one snapshot in a transaction that has one', async () => {
  // A row that comes to the earliest range while the latest is read.
  const readAround = (client: PoolClient, day: string): Promise<string[]> =>
    readDays(client, ALL_DAYS, async (range) => {
      if (range.to === days.at(-1)) await insert(day);
      return readMatches(client, range);
    });
  const snapshot = 'ISOLATION LEVEL REPEATABLE READ READ ONLY';
  const seen = await inTransaction(database.pool, (client) => readAround(client, '2026-01-03'), snapshot);
  expect(seen).not.toContain('2026-01-03');
  // Else each range reads what is there by then.
  const now = await inTransaction(database.pool, (client) => readAround(client, '2026-01-04'));
  expect(now).toEqual(expect.arrayContaining(['2026-01-03', '2026-01-04']));
});

it('leaves the work of its transaction as it was', async () => {
  const answer = await inTransaction(database.pool, async (client) => {
    await client.query("INSERT INTO voided_result (match_id, player_id, voided_at) VALUES ('m', 'pl-1', now())");
    await readDays(client, ALL_DAYS, (range) => readMatches(client, range));
    return client.query('SELECT FROM voided_result');
  });
  expect(answer.rowCount).toBe(1);
});
