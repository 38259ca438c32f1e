import pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { DayPartitions } from '../../src/truth/day-partitions.js';
import { PlayerFolds } from '../../src/truth/player-folds.js';
import { ensureSubjectIndexes } from '../../src/truth/subject-indexes.js';
import { boardSeasonOf } from '../support/definitions.js';
import { createTruthDatabase, silent, type TruthDatabase } from './truth-database.js';

let database: TruthDatabase;
beforeEach(async () => {
  database = await createTruthDatabase();
});
afterEach(() => database.drop());

async function indexedTables(): Promise<string[]> {
  const rows = await database.ask<{ tablename: string }>(
    `SELECT tablename FROM pg_indexes WHERE schemaname = $1 AND indexdef LIKE '%scopes ->>%' ORDER BY 1`,
    [database.schema],
  );
  return rows.map(({ tablename }) => tablename);
}

it('are made once for each scope that is ranked, by several processes at once, and not for players', async () => {
  const subjects = ['player', 'guild', 'team-2', 'guild'];
  await Promise.all([1, 2, 3].map(() => ensureSubjectIndexes(database.newPool(), subjects, silent)));
  await ensureSubjectIndexes(database.pool, subjects, silent);
  expect(await indexedTables()).toEqual(['match_results', 'match_results']);
});

it("find a guild's rows on days that were there, and on those that are made later", async () => {
  await new DayPartitions(database.pool).ensure(['2026-04-01']);
  await ensureSubjectIndexes(database.pool, ['guild'], silent);
  await new DayPartitions(database.pool).ensure(['2026-04-02']);
  expect(await indexedTables()).toEqual(['match_results', 'match_results_20260401', 'match_results_20260402']);
  await database.ask(
    `INSERT INTO match_results (match_id, player_id, mode, points, scopes, achieved_at, day,
                                source, source_partition, source_offset, broker_at)
     SELECT n, 'pl', 'arena', 1, jsonb_build_object('guild', n::text), day, day, 'kafka:t', 0, n, day
       FROM generate_series(1, 5000) AS n, unnest('{2026-04-01,2026-04-02}'::date[]) AS day`,
  );
  await database.ask('ANALYZE match_results');
  const query = vi.spyOn(pg.Client.prototype, 'query');
  onTestFinished(() => query.mockRestore());
  const below = [{ source: 'kafka:t', partition: 0, next: 9_999 }];
  const scope = boardSeasonOf({ subject: 'guild' });
  expect(await new PlayerFolds(database.pool).fold(scope, '77', below)).toHaveLength(1);
  const [text, values] = query.mock.calls.find(([sql]) => String(sql).includes('FROM match_results')) as unknown as [
    string,
    unknown[],
  ];
  const plan = JSON.stringify(await database.ask(`EXPLAIN (FORMAT JSON) ${text}`, values));
  expect(plan).not.toContain('Seq Scan');
  expect(plan.match(/"Index Name":"match_results_2026040[12]_\w+"/g)).toHaveLength(2);
});

it('say so where somebody waits for them', async () => {
  const lines: string[] = [];
  const logger = pino({}, { write: (line: string) => lines.push(line) });
  const holder = await database.newPool().connect();
  await holder.query('BEGIN');
  await holder.query('LOCK TABLE match_results IN SHARE UPDATE EXCLUSIVE MODE');
  const made = ensureSubjectIndexes(database.pool, ['guild'], logger);
  await vi.waitFor(() => expect(lines.join('')).toContain('"subject":"guild"'), { timeout: 10_000 });
  await holder.query('COMMIT');
  holder.release();
  await made;
  expect(await indexedTables()).toEqual(['match_results']);
});
