import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PAST_SOURCE, PastResults } from '../../loadtest/lib/past-results.js';
import { createTruthDatabase, type TruthDatabase } from '../truth/truth-database.js';

const NOW = Date.parse('2026-10-12T15:00:00Z');
const OPTIONS = { rows: 1_000, players: 70, mode: 'arena', days: 3, now: NOW, seasonStartsAt: 0 };

let database: TruthDatabase;
beforeEach(async () => {
  database = await createTruthDatabase({ isMigrated: false });
});
afterEach(() => database.drop());

interface StoredRow {
  readonly player_id: string;
  readonly points: string;
  readonly at: string;
}

describe('past results', () => {
  it('are in the database as they are computed here, each in the partition of its day', async () => {
    const past = new PastResults(OPTIONS);
    await past.seed(database.pool, database.schema);
    const stored = await database.ask<StoredRow>(
      `SELECT player_id, points, (extract(epoch FROM achieved_at) * 1000)::bigint AS at
         FROM match_results ORDER BY source_offset`,
    );
    const rows = stored.map(({ player_id, points, at }) => {
      return { playerId: player_id, points: Number(points), achievedAt: Number(at) };
    });
    expect(rows).toEqual([...past]);
    const wrong = `SELECT FROM match_results WHERE day <> (achieved_at AT TIME ZONE 'UTC')::date`;
    expect(await database.ask(wrong)).toEqual([]);
  });

  it('lie below the position of a log of their own', async () => {
    await new PastResults(OPTIONS).seed(database.pool, database.schema);
    expect(await database.ask('SELECT source, partition, next FROM source_position')).toEqual([
      { source: PAST_SOURCE, partition: 0, next: '1000' },
    ]);
    const above = `SELECT FROM match_results WHERE source <> '${PAST_SOURCE}' OR source_partition <> 0 OR source_offset >= 1000`;
    expect(await database.ask(above)).toEqual([]);
  });
});

it('past results are spread over the days before today, and begin with the season where it is younger', () => {
  const [whole, young] = [OPTIONS, { ...OPTIONS, seasonStartsAt: Date.parse('2026-10-11T00:00:00Z') }].map((options) =>
    [...new PastResults(options)].map(({ achievedAt }) => new Date(achievedAt).toISOString().slice(0, 10)),
  );
  expect([...new Set(whole)]).toEqual(['2026-10-09', '2026-10-10', '2026-10-11']);
  expect([...new Set(young)]).toEqual(['2026-10-11']);
});

it('past results that do not fit in the days are refused', () => {
  expect(() => new PastResults({ ...OPTIONS, rows: 90_000_000, days: 1 })).toThrow('do not fit in the 1 days');
});
