import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import type { Result } from '../../src/domain/result.js';
import { MatchResultsPostgres } from '../../src/truth/match-results-postgres.js';
import { createPool } from '../../src/truth/pool.js';
import { Receipts } from '../../src/truth/receipts.js';
import { LOCKED_DAYS, makeDays } from './many-days.js';
import { createTruthDatabase, NO_SEASONS, silent, type TruthDatabase } from './truth-database.js';

const DAY_MS = 86_400_000;
/** 2026-04-01T00:00:00.417Z. */
const AT = 1_775_001_600_417;
const SOURCE = 'kafka:match-results';

let database: TruthDatabase;
let store: MatchResultsPostgres;
let receipts: Receipts;
let nextOffset = 0;
beforeAll(async () => {
  database = await createTruthDatabase();
  store = new MatchResultsPostgres({ pool: database.pool, maxLatenessMs: 7 * DAY_MS, calendar: NO_SEASONS });
  receipts = new Receipts(database.pool);
});
afterAll(() => database.drop());

/** One result of its own, stamped a second after it was achieved. Answers its offset. */
async function write(changed: Partial<Result>): Promise<number> {
  const offset = nextOffset++;
  const result: Result = {
    matchId: `match-${offset}`,
    playerId: 'pl-1',
    mode: 'arena',
    fields: { points: 5 },
    achievedAt: AT,
    scopes: {},
    seasonId: '9',
    ...changed,
  };
  const rows = [{ result, offset, brokerAt: result.achievedAt + 1_000 }];
  await store.write([{ source: SOURCE, partition: 3, from: offset, to: nextOffset, rows, voids: [] }]);
  return offset;
}

it('finds a result on any day, exactly as it was written', async () => {
  await write({ matchId: 'm "1"', playerId: 'é😀', achievedAt: AT - 400 * DAY_MS });
  await write({ matchId: 'm "1"', playerId: 'other' });
  const offset = await write({
    matchId: 'm "2"',
    playerId: 'é😀',
    fields: { points: 2_097_151 },
    scopes: { guild: '7"7' },
  });
  expect(await receipts.find('m "2"', 'é😀')).toEqual({
    mode: 'arena',
    fields: { points: 2_097_151 },
    achievedAt: AT,
    brokerAt: AT + 1_000,
    scopes: { guild: '7"7' },
    voidedAt: null,
    correctedAt: null,
    source: SOURCE,
    partition: 3,
    offset,
  });
  expect(await receipts.find('m "1"', 'é😀')).toMatchObject({ achievedAt: AT - 400 * DAY_MS });
});

it('finds all values of a mode with several fields', async () => {
  const fields = { winRate: 612, deaths: 0 };
  await write({ matchId: 'league', mode: 'league', fields });
  expect(await receipts.find('league', 'pl-1')).toMatchObject({ mode: 'league', fields });
});

it('says when a result was taken back', async () => {
  await write({ matchId: 'gone' });
  await database.ask('UPDATE match_results SET voided_at = $1 WHERE match_id = $2', [new Date(AT + 9_999), 'gone']);
  expect(await receipts.find('gone', 'pl-1')).toMatchObject({ voidedAt: AT + 9_999 });
});

it('shows the values that a result is corrected to, and since when', async () => {
  const offset = await write({ matchId: 'corrected' });
  const asked = { matchId: 'corrected', playerId: 'pl-1', mode: 'arena', fields: { points: 3 } };
  const corrections = [{ ...asked, offset: nextOffset, brokerAt: AT + 9_999 }];
  const from = nextOffset++;
  await store.write([{ source: SOURCE, partition: 3, from, to: nextOffset, rows: [], corrections }]);
  expect(await receipts.find('corrected', 'pl-1')).toMatchObject({
    fields: { points: 3 },
    correctedAt: AT + 9_999,
    voidedAt: null,
    offset,
  });
});

it('finds nothing for another match or another player', async () => {
  await write({ matchId: 'mine' });
  expect(await receipts.find('mine', 'pl-2')).toBeNull();
  expect(await receipts.find('Mine', 'pl-1')).toBeNull();
});

it('finds the result achieved last where ids were used again on a day far away, whichever came first', async () => {
  const last = await write({ matchId: 'again', achievedAt: AT + 30 * DAY_MS });
  await write({ matchId: 'again' });
  expect(await database.ask(`SELECT FROM match_results WHERE match_id = 'again'`)).toHaveLength(2);
  expect(await receipts.find('again', 'pl-1')).toMatchObject({ offset: last, achievedAt: AT + 30 * DAY_MS });
});

it('locks a bounded number of days at a time where it has to look at all of them', async () => {
  await makeDays(database, '2024-01-01', 100);
  const locked: number[] = [];
  const watched = {
    connect: async () => {
      const client = await database.pool.connect();
      const query = async (text: string, values: unknown[] = []) => {
        const answer = await client.query(text, values);
        locked.push((await client.query<{ days: number }>(LOCKED_DAYS)).rows[0]?.days ?? Number.NaN);
        return answer;
      };
      return { query, release: (isBroken: boolean) => client.release(isBroken) };
    },
  };
  expect(await new Receipts(watched as unknown as pg.Pool).find('never', 'pl-1')).toBeNull();
  expect(Math.max(...locked)).toBe(30);
});

it('is unavailable while the database is away', async () => {
  const pool = createPool({ url: 'postgres://nobody@127.0.0.1:1/nowhere', schema: 'nowhere', logger: silent });
  await expect(new Receipts(pool).find('m', 'p')).rejects.toThrow(StoreUnavailableError);
  await pool.end();
});
