import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { warnOfScarceLocks } from '../../src/truth/lock-room.js';
import { createTruthDatabase, type TruthDatabase } from './truth-database.js';

const DAY_MS = 86_400_000;

let database: TruthDatabase;
beforeAll(async () => {
  database = await createTruthDatabase();
});
afterAll(() => database.drop());

interface Warning {
  readonly level: number;
  readonly needed: number;
  readonly days: number;
  readonly msg: string;
}

/** What is logged for seasons of so many days, one after another. */
async function warningsFor(lengths: readonly number[], daysToCome = 1_000_000): Promise<Warning[]> {
  const lines: Warning[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const seasons = lengths.map((days, index) => ({ seasonId: String(index), startsAt: 0, endsAt: days * DAY_MS }));
  await warnOfScarceLocks(database.pool, seasons, logger, daysToCome);
  return lines;
}

async function settings(): Promise<{ locks: number; connections: number; per_day: number }> {
  const [row] = await database.ask<{ locks: number; connections: number; per_day: number }>(
    `SELECT current_setting('max_locks_per_transaction')::int AS locks,
            current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int AS connections,
            (SELECT count(*)::int + 1 FROM pg_indexes WHERE schemaname = $1 AND tablename = 'match_results') AS per_day`,
    [database.schema],
  );
  if (row === undefined) throw new Error('PostgreSQL has settings');
  return row;
}

it('says nothing where two reads of the longest season have room', async () => {
  const { locks, connections, per_day } = await settings();
  const longest = Math.floor((locks * connections) / (2 * per_day));
  expect(await warningsFor([1, longest])).toEqual([]);
  expect(await warningsFor([])).toEqual([]);
});

it('warns once where they have not, and names the setting and the value that suffices', async () => {
  const { locks, connections, per_day } = await settings();
  const tooLong = Math.floor((locks * connections) / (2 * per_day)) + 1;
  const warnings = await warningsFor([1, tooLong, 2]);
  expect(warnings).toMatchObject([{ level: 40, days: tooLong }]);
  const [{ needed, msg } = { needed: 0, msg: '' }] = warnings;
  expect(msg).toContain(`set max_locks_per_transaction to ${needed} or more`);
  expect(needed * connections).toBeGreaterThanOrEqual(2 * tooLong * per_day);
  expect((needed - 1) * connections).toBeLessThan(2 * tooLong * per_day);
});

it('says nothing of days that are far off', async () => {
  const { locks, connections, per_day } = await settings();
  const soon = Math.floor((locks * connections) / (2 * per_day));
  expect(await warningsFor([1_000_000], soon)).toEqual([]);
  expect(await warningsFor([1_000_000], soon + 1)).toMatchObject([{ days: soon + 1 }]);
});
