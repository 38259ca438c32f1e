/** A season of days, made by the table: tests of locks need many, and no rows in most of them. */

import type { TruthDatabase } from './truth-database.js';

/** Makes the tables of `count` days from `first` on, as `DayPartitions` does, and answers the days. */
export async function makeDays(database: TruthDatabase, first: string, count: number): Promise<string[]> {
  const days = Array.from({ length: count }, (_, index) =>
    new Date(Date.parse(first) + index * 86_400_000).toISOString().slice(0, 10),
  );
  // One transaction would need the locks of all of them.
  for (const [index, day] of days.entries()) {
    const next = days[index + 1] ?? new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
    const table = `match_results_${day.replaceAll('-', '')}`;
    await database.ask(`CREATE TABLE ${table} PARTITION OF match_results FOR VALUES FROM ('${day}') TO ('${next}')`);
  }
  return days;
}

/** Tables and indexes of days that the transaction holds locks on. */
export const LOCKED_DAYS = `
  SELECT count(*)::int AS locks, count(DISTINCT substring(relname FROM '\\d{8}'))::int AS days
    FROM pg_locks JOIN pg_class ON pg_class.oid = relation
   WHERE pid = pg_backend_pid() AND relname ~ '^match_results_\\d{8}'`;
