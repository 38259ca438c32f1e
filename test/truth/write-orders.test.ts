import type { PoolClient } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Calendar } from '../../src/domain/season.js';
import type { TruthBatch, TruthCorrection, TruthReply, TruthRow, TruthVoid } from '../../src/domain/truth-batch.js';
import { MatchResultsPostgres } from '../../src/truth/match-results-postgres.js';
import { inTransaction } from '../../src/truth/transaction.js';
import { writeBatches } from '../../src/truth/write-batches.js';
import { LOCKED_DAYS, makeDays } from './many-days.js';
import { createTruthDatabase, type TruthDatabase } from './truth-database.js';

const DAY_MS = 86_400_000;
const DAY_COUNT = 60;
const FIRST_DAY = '2026-02-01';
const START = Date.parse(FIRST_DAY);
const at = (day: number): number => START + day * DAY_MS;

/** Ends in the middle of the days that are there; the next one begins with its end. */
const SPRING = { seasonId: 'spring', startsAt: START, endsAt: at(30) };
const SUMMER = { seasonId: 'summer', startsAt: at(30), endsAt: at(90) };
const GRACE_MS = 3_600_000;
const FINAL_AT = SPRING.endsAt + GRACE_MS;
const calendar: Calendar = { seasons: [SPRING, SUMMER], graceMs: GRACE_MS };
const RULES = { maxLatenessMs: 2 * DAY_MS, calendar };

let database: TruthDatabase;
let store: MatchResultsPostgres;
let offset: number;
beforeAll(async () => {
  database = await createTruthDatabase();
  store = new MatchResultsPostgres({ pool: database.pool, ...RULES });
  await makeDays(database, FIRST_DAY, DAY_COUNT);
}, 60_000);
beforeEach(async () => {
  await database.ask('TRUNCATE match_results, voided_result, corrected_result, dirty_subject, source_position');
  offset = 0;
});
afterAll(() => database.drop());

function row(matchId: string, day: number, mode = 'arena'): TruthRow {
  const played = { matchId, playerId: 'pl-1', mode, fields: { points: 5 }, achievedAt: at(day), scopes: {} };
  return { result: { ...played, seasonId: 'spring' }, offset: offset++, brokerAt: at(day) + 1_000 };
}

const gone = (matchId: string, brokerAt: number): TruthVoid => {
  return { matchId, playerId: 'pl-1', offset: offset++, brokerAt };
};

const correction = (matchId: string, brokerAt: number, mode = 'arena'): TruthCorrection => {
  return { ...gone(matchId, brokerAt), mode, fields: { points: 9 } };
};

/** One batch from where the last one ended. */
function batchOf(from: number, more: Partial<TruthBatch>): TruthBatch {
  return { source: 'kafka:t', partition: 0, from, to: offset, rows: [], ...more };
}

async function write(make: () => Partial<TruthBatch>): Promise<TruthReply & { readonly kind: 'written' }> {
  const from = offset;
  const [reply] = await store.write([batchOf(from, make())]);
  if (reply?.kind !== 'written') throw new Error('behind');
  return reply;
}

async function kept(matchId: string): Promise<{ points: number; is_voided: boolean }[]> {
  return database.ask(
    `SELECT points::int, voided_at IS NOT NULL AS is_voided FROM match_results WHERE match_id = $1 ORDER BY day`,
    [matchId],
  );
}

const UNTOUCHED = { points: 5, is_voided: false };
const reasons = ({ refused }: TruthReply & { readonly kind: 'written' }) => refused.map(({ reason }) => reason);

describe('locks of orders', () => {
  /** Days that a write still locks when it ends. */
  async function lockedBy(make: () => Partial<TruthBatch>): Promise<number> {
    const from = offset;
    const batch = batchOf(from, make());
    return inTransaction(database.pool, async (client: PoolClient) => {
      await writeBatches(client, [{ batch, before: from }], RULES);
      const { rows } = await client.query<{ days: number }>(LOCKED_DAYS);
      return rows[0]?.days ?? Number.NaN;
    });
  }

  it('are those of the days of the results that they name, whatever else is there', async () => {
    await write(() => ({ rows: [row('a', 3), row('b', 40), row('c', 20)] }));
    expect(await lockedBy(() => ({ voids: [gone('a', at(1))], corrections: [correction('b', at(1))] }))).toBe(2);
    expect(await kept('a')).toEqual([{ points: 5, is_voided: true }]);
    expect(await kept('b')).toEqual([{ points: 9, is_voided: false }]);
  });

  it('are none where there is no such result yet', async () => {
    expect(await lockedBy(() => ({ voids: [gone('a', at(1))], corrections: [correction('b', at(1))] }))).toBe(0);
  });

  it('are those of the days around the results that came, where orders waited for them', async () => {
    await write(() => ({ voids: [gone('a', at(1))], corrections: [correction('b', at(1))] }));
    // Copies may be on three days before and after.
    expect(await lockedBy(() => ({ rows: [row('a', 10), row('b', 10)] }))).toBe(7);
    expect(await kept('a')).toEqual([{ points: 5, is_voided: true }]);
    expect(await kept('b')).toEqual([{ points: 9, is_voided: false }]);
  });
});

it('takes back and corrects results on all days where ids were used again', async () => {
  await write(() => ({ rows: [row('a', 32), row('b', 33)] }));
  await write(() => ({ rows: [row('a', 50), row('b', 51)] }));
  await write(() => ({ voids: [gone('a', at(60))], corrections: [correction('b', at(60))] }));
  expect(await kept('a')).toEqual(Array(2).fill({ points: 5, is_voided: true }));
  expect(await kept('b')).toEqual(Array(2).fill({ points: 9, is_voided: false }));
});

describe('orders about a season that is final', () => {
  it('are refused from the end of its grace on, by the stamp of the log, and change nothing', async () => {
    await write(() => ({ rows: [row('a', 29)] }));
    const reply = await write(() => ({ voids: [gone('a', FINAL_AT)], corrections: [correction('a', FINAL_AT)] }));
    expect(reasons(reply)).toEqual(['season_final', 'season_final']);
    expect(reply.refused[0]?.detail).toContain(
      'season spring, whose standings are final since 2026-03-03T01:00:00.000Z',
    );
    expect(reply.doubts).toEqual([]);
    expect(await kept('a')).toEqual([UNTOUCHED]);
    expect(await database.ask('SELECT FROM voided_result')).toEqual([]);
    expect(await database.ask('SELECT FROM dirty_subject')).toEqual([]);
  });

  it('are taken in its grace, whenever they are read', async () => {
    await write(() => ({ rows: [row('a', 29), row('b', 29)] }));
    const inGrace = FINAL_AT - 1;
    expect(
      reasons(await write(() => ({ voids: [gone('a', inGrace)], corrections: [correction('b', inGrace)] }))),
    ).toEqual([]);
    expect(await kept('a')).toEqual([{ points: 5, is_voided: true }]);
    expect(await kept('b')).toEqual([{ points: 9, is_voided: false }]);
  });

  it('are refused where they come with their result', async () => {
    const reply = await write(() => ({ rows: [row('a', 29)], voids: [gone('a', FINAL_AT)] }));
    expect(reasons(reply)).toEqual(['season_final']);
    expect(await kept('a')).toEqual([UNTOUCHED]);
  });

  it('leave results of the season that is on alone: those are taken back and corrected', async () => {
    await write(() => ({ rows: [row('a', 30)] }));
    expect(reasons(await write(() => ({ corrections: [correction('a', FINAL_AT)] })))).toEqual([]);
    expect(await kept('a')).toEqual([{ points: 9, is_voided: false }]);
  });

  it('are refused where ids were used again, as one of the results can no longer change', async () => {
    await write(() => ({ rows: [row('a', 10), row('b', 10, 'duel')] }));
    await write(() => ({ rows: [row('a', 40), row('b', 40)] }));
    expect(reasons(await write(() => ({ voids: [gone('a', at(41))] })))).toEqual(['season_final']);
    expect(await kept('a')).toEqual([UNTOUCHED, UNTOUCHED]);
    // A correction is about one mode, and the other one keeps its points.
    expect(reasons(await write(() => ({ corrections: [correction('b', at(41))] })))).toEqual([]);
    expect(await kept('b')).toEqual([UNTOUCHED, { points: 9, is_voided: false }]);
  });

  it('are kept for a result that is not there yet: nobody knows its season', async () => {
    expect(reasons(await write(() => ({ voids: [gone('a', FINAL_AT)] })))).toEqual([]);
    expect(await database.ask('SELECT FROM voided_result')).toHaveLength(1);
  });
});

describe('a day that is told of as detached and still attached', () => {
  beforeEach(() => database.ask('INSERT INTO detached_day (day) VALUES ($1)', ['2026-03-12']));
  afterEach(() => database.ask('DELETE FROM detached_day'));

  it('takes no order: its rows count as they were when it was told of', async () => {
    const day = (Date.parse('2026-03-12') - START) / DAY_MS;
    // Written when the day was not told of yet.
    await database.ask('DELETE FROM detached_day');
    await write(() => ({ rows: [row('m-1', day), row('m-2', day + 1)] }));
    await database.ask('INSERT INTO detached_day (day) VALUES ($1)', ['2026-03-12']);
    const reply = await write(() => ({ voids: [gone('m-1', at(day + 2)), gone('m-2', at(day + 2))] }));
    expect(reasons(reply)).toEqual(['day_detached']);
    expect([await kept('m-1'), await kept('m-2')]).toEqual([[UNTOUCHED], [{ points: 5, is_voided: true }]]);
  });
});
