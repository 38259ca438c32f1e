/**
 * Looks keys up over all days a few days at a time: a query locks each day's table and indexes until its transaction ends,
 * and a season of years has more of them than PostgreSQL's table of locks has room for.
 */

import type { PoolClient } from 'pg';

/** UTC days, both inclusive. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

export const ALL_DAYS: DayRange = { from: '-infinity', to: 'infinity' };

/** Some five locks each: forty looks at once fit the table of a PostgreSQL as it comes (64 locks for each of 100 connections). */
const DAYS_AT_ONCE = 30;

const TABLE_OF_DAY = /^match_results_(\d{4})(\d\d)(\d\d)$/;

/**
 * Calls `read` with ranges that cover the days of `range` that have a table, the latest first, and answers what all of them
 * answered, in that order. `client` is in a transaction, and `read` only reads: what it locked is given back before the
 * next range. `isEnough`: leaves out the earlier days when it says so of what was read so far.
 */
export async function readDays<T>(
  client: PoolClient,
  range: DayRange,
  read: (days: DayRange) => Promise<readonly T[]>,
  isEnough: (found: readonly T[]) => boolean = () => false,
): Promise<T[]> {
  const windows = windowsOf(await readDayNames(client, range));
  const found: T[] = [];
  for (const days of windows) {
    // The locks of a savepoint end with it; the snapshot of the transaction, where it has one, does not.
    await client.query('SAVEPOINT some_days');
    found.push(...(await read(days)));
    await client.query('ROLLBACK TO SAVEPOINT some_days');
    await client.query('RELEASE SAVEPOINT some_days');
    if (isEnough(found)) break;
  }
  return found;
}

/** The latest first. */
function windowsOf(days: readonly string[]): DayRange[] {
  const windows: DayRange[] = [];
  for (let end = days.length; end > 0; end -= DAYS_AT_ONCE) {
    const some = days.slice(Math.max(0, end - DAYS_AT_ONCE), end);
    windows.push({ from: some[0] ?? '', to: some.at(-1) ?? '' });
  }
  return windows;
}

/** In the order of time. */
async function readDayNames(client: PoolClient, { from, to }: DayRange): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
      WHERE inhparent = 'match_results'::regclass`,
  );
  return rows
    .flatMap(({ name }) => {
      const [, year, month, date] = TABLE_OF_DAY.exec(name) ?? [];
      return date === undefined ? [] : [`${year}-${month}-${date}`];
    })
    .filter((day) => (from === ALL_DAYS.from || day >= from) && (to === ALL_DAYS.to || day <= to))
    .sort();
}
