import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TruthBatch, TruthVoid } from '../../src/domain/truth-batch.js';
import { MatchResultsPostgres } from '../../src/truth/match-results-postgres.js';
import { createTruthDatabase, NO_SEASONS, type TruthDatabase } from './truth-database.js';

/** 2026-04-01T00:00:00Z. */
const AT = 1_775_001_600_000;
const DAY_MS = 86_400_000;

let database: TruthDatabase;
let store: MatchResultsPostgres;
beforeEach(async () => {
  database = await createTruthDatabase();
  store = new MatchResultsPostgres({ pool: database.pool, maxLatenessMs: 7 * DAY_MS, calendar: NO_SEASONS });
});
afterEach(() => database.drop());

function result(matchId: string, offset: number, points = 5) {
  const fields = { points };
  const played = { matchId, playerId: 'pl-1', mode: 'arena', fields, achievedAt: AT, scopes: {}, seasonId: '9' };
  return { result: played, offset, brokerAt: AT + offset };
}

const gone = (matchId: string, offset = 0, brokerAt = AT): TruthVoid => ({
  matchId,
  playerId: 'pl-1',
  offset,
  brokerAt,
});

function batch(from: number, to: number, more: Partial<TruthBatch>, partition = 0): TruthBatch {
  return { source: 'kafka:t', partition, from, to, rows: [], ...more };
}

/** Offsets whose player is to be computed anew, of each batch. */
async function write(...batches: TruthBatch[]): Promise<number[][]> {
  const replies = await store.write(batches);
  return replies.map((reply) => (reply.kind === 'written' ? reply.doubts.map(({ offset }) => offset) : []));
}

async function voided(): Promise<Record<string, boolean>> {
  const rows = await database.ask<{ match_id: string; is_voided: boolean }>(
    'SELECT match_id, voided_at IS NOT NULL AS is_voided FROM match_results',
  );
  return Object.fromEntries(rows.map(({ match_id, is_voided }) => [match_id, is_voided]));
}

it('takes back a result that is there, and nothing beside it', async () => {
  await write(batch(0, 2, { rows: [result('a', 0), result('b', 1)] }));
  expect(await write(batch(2, 3, { voids: [gone('a', 2, AT + 77)] }))).toEqual([[2]]);
  expect(await voided()).toEqual({ a: true, b: false });
  const [row] = await database.ask(`SELECT voided_at FROM match_results WHERE match_id = 'a'`);
  expect(row?.['voided_at']).toEqual(new Date(AT + 77));
});

it('takes back a result that comes after its void, and doubts it: a ranking has counted it', async () => {
  await write(batch(0, 1, { voids: [gone('a')] }));
  expect(await write(batch(1, 3, { rows: [result('a', 1), result('b', 2)] }))).toEqual([[1]]);
  expect(await voided()).toEqual({ a: true, b: false });
});

it('does so in one transaction, whichever comes first', async () => {
  const both = { rows: [result('a', 0), result('b', 1), result('c', 3)], voids: [gone('a', 2), gone('b', 2)] };
  expect((await write(batch(0, 4, both))).map((offsets) => offsets.sort())).toEqual([[0, 1, 2, 2]]);
  expect(await voided()).toEqual({ a: true, b: true, c: false });
});

it('doubts each copy of a voided result, and keeps it voided', async () => {
  await write(batch(0, 1, { rows: [result('a', 0)] }), batch(0, 1, { voids: [gone('a')] }, 1));
  expect(await write(batch(1, 3, { rows: [result('a', 1), result('a', 2, 9)] }))).toEqual([[1, 2]]);
  expect(await voided()).toEqual({ a: true });
});

it('says where the result counted that it takes back, and behind which partitions it is to be computed anew', async () => {
  await write(batch(0, 1, { rows: [result('a', 0)] }));
  const replies = await store.write([
    batch(1, 2, { voids: [gone('a', 1)] }),
    batch(0, 1, { voids: [gone('a', 0), gone('unknown', 0)] }, 1),
  ]);
  const copies = [{ achievedAt: AT, scopes: {} }];
  expect(replies).toMatchObject([
    { doubts: [{ playerId: 'pl-1', offset: 1, partitions: [0], copies }] },
    { doubts: [{ playerId: 'pl-1', offset: 0, partitions: [0, 1], copies }] },
  ]);
});

it('keeps the first of several voids', async () => {
  await write(batch(0, 3, { voids: [gone('a', 0, AT + 2), gone('a', 1, AT + 1), gone('a', 2, AT + 3)] }));
  await write(batch(3, 4, { voids: [gone('a', 3, AT - 5)], rows: [result('a', 3)] }));
  const [row] = await database.ask('SELECT voided_at FROM match_results');
  expect(row?.['voided_at']).toEqual(new Date(AT + 1));
});

it('takes back a result of any day', async () => {
  const old = result('a', 0);
  const rows = [{ ...old, result: { ...old.result, achievedAt: AT - 6 * DAY_MS } }];
  await write(batch(0, 1, { rows }), batch(0, 1, { voids: [gone('a')] }, 1));
  expect(await voided()).toEqual({ a: true });
});
