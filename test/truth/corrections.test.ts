import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Result } from '../../src/domain/result.js';
import type { TruthBatch, TruthCorrection, TruthReply, TruthRow } from '../../src/domain/truth-batch.js';
import { MatchResultsPostgres } from '../../src/truth/match-results-postgres.js';
import { createTruthDatabase, NO_SEASONS, type TruthDatabase } from './truth-database.js';

/** 2026-04-01T00:00:00Z. */
const AT = 1_775_001_600_000;
const DAY_MS = 86_400_000;
const SCOPES = { guild: '77' };

let database: TruthDatabase;
let store: MatchResultsPostgres;
beforeEach(async () => {
  database = await createTruthDatabase();
  store = new MatchResultsPostgres({ pool: database.pool, maxLatenessMs: 7 * DAY_MS, calendar: NO_SEASONS });
});
afterEach(() => database.drop());

function row(offset: number, changed: Partial<Result> = {}): TruthRow {
  const played = { matchId: 'm', playerId: 'pl-1', mode: 'arena', fields: { points: 5 }, achievedAt: AT };
  return { result: { ...played, scopes: SCOPES, seasonId: '9', ...changed }, offset, brokerAt: AT + offset };
}

function correction(offset: number, points: number, changed: Partial<TruthCorrection> = {}): TruthCorrection {
  const asked = { matchId: 'm', playerId: 'pl-1', mode: 'arena', fields: { points } };
  return { ...asked, offset, brokerAt: AT + offset, ...changed };
}

function batch(from: number, to: number, more: Partial<TruthBatch>, partition = 0): TruthBatch {
  return { source: 'kafka:t', partition, from, to, rows: [], ...more };
}

async function write(one: TruthBatch): Promise<TruthReply & { readonly kind: 'written' }> {
  const [reply] = await store.write([one]);
  if (reply?.kind !== 'written') throw new Error('behind');
  return reply;
}

async function kept(): Promise<unknown> {
  const rows = await database.ask(
    `SELECT points::int, fields, voided_at IS NOT NULL AS is_voided, corrected_at FROM match_results`,
  );
  expect(rows).toHaveLength(1);
  return rows[0];
}

const corrected = (points: number, offset: number) => ({ points, corrected_at: new Date(AT + offset) });

it('gives a result other points, and doubts its player in the lists where it counts', async () => {
  await write(batch(0, 1, { rows: [row(0)] }));
  const { doubts, refused } = await write(batch(1, 2, { corrections: [correction(1, 9)] }));
  expect(await kept()).toMatchObject({ ...corrected(9, 1), fields: null, is_voided: false });
  expect(refused).toEqual([]);
  expect(doubts).toEqual([
    { playerId: 'pl-1', offset: 1, partitions: [0], copies: [{ achievedAt: AT, scopes: SCOPES }] },
  ]);
});

it('gives all values of a mode with several', async () => {
  await write(batch(0, 1, { rows: [row(0, { fields: { kills: 4, deaths: 1 } })] }));
  await write(batch(1, 2, { corrections: [correction(1, 0, { fields: { kills: 3, deaths: 2 } })] }));
  expect(await kept()).toMatchObject({ points: 3, fields: { kills: 3, deaths: 2 } });
});

it('waits for its result, and doubts that when it comes: a ranking has counted it as it came', async () => {
  expect(await write(batch(0, 1, { corrections: [correction(0, 9)] }))).toMatchObject({ doubts: [], refused: [] });
  const { inserted, doubts } = await write(batch(1, 2, { rows: [row(1)] }));
  expect({ inserted, offsets: doubts.map(({ offset }) => offset) }).toEqual({ inserted: 1, offsets: [1] });
  expect(await kept()).toMatchObject(corrected(9, 0));
});

it('measures later copies by the result as it came', async () => {
  await write(batch(0, 1, { rows: [row(0)] }));
  await write(batch(1, 3, { corrections: [correction(1, 9), correction(2, 8)] }));
  const copies = [row(3), row(4, { fields: { points: 8 } })];
  const { duplicates, conflicts, doubts } = await write(batch(3, 5, { rows: copies }));
  expect({ duplicates, conflicts: conflicts.map(({ detail }) => detail) }).toEqual({
    duplicates: 1,
    conflicts: [expect.stringContaining('points 8 instead of 5')],
  });
  expect(doubts.map(({ offset }) => offset)).toEqual([3, 4]);
  expect(await kept()).toMatchObject(corrected(8, 2));
});

it('lets the last one in the log count, in one transaction and when an older one is read again', async () => {
  await write(batch(0, 3, { rows: [row(0)], corrections: [correction(2, 8), correction(1, 9)] }));
  expect(await kept()).toMatchObject(corrected(8, 2));
  await write(batch(1, 2, { corrections: [correction(1, 9)] }));
  expect(await kept()).toMatchObject(corrected(8, 2));
});

it('goes by the stamps of the log where partitions were added', async () => {
  await write(batch(0, 6, { rows: [row(0)], corrections: [correction(5, 8)] }));
  await write(batch(0, 1, { corrections: [correction(0, 7, { brokerAt: AT + 4 })] }, 1));
  expect(await kept()).toMatchObject(corrected(8, 5));
  await write(batch(1, 2, { corrections: [correction(1, 6, { brokerAt: AT + 6 })] }, 1));
  expect(await kept()).toMatchObject(corrected(6, 6));
});

it('is outweighed by a void, whichever comes first', async () => {
  const gone = { matchId: 'm', playerId: 'pl-1', offset: 1, brokerAt: AT };
  await write(batch(0, 2, { rows: [row(0)], voids: [gone] }));
  await write(batch(2, 3, { corrections: [correction(2, 9)] }));
  expect(await kept()).toMatchObject({ is_voided: true });
});

it('is refused where the result is of another mode, and changes nothing', async () => {
  await write(batch(0, 2, { rows: [row(0)], corrections: [correction(1, 9)] }));
  const wrong = correction(2, 3, { mode: 'duel' });
  const { refused, doubts } = await write(batch(2, 3, { corrections: [wrong] }));
  const detail = expect.stringContaining('is of mode arena, not duel');
  expect(refused).toEqual([{ order: wrong, reason: 'correction_mismatch', detail }]);
  expect(doubts).toEqual([]);
  expect(await kept()).toMatchObject(corrected(9, 1));
});

it('of another mode that comes before the result does not stand in the way of the right one', async () => {
  await write(batch(0, 2, { corrections: [correction(0, 9), correction(1, 3, { mode: 'duel' })] }));
  await write(batch(2, 3, { rows: [row(2)] }));
  expect(await kept()).toMatchObject(corrected(9, 0));
});

it('corrects nothing that is not named', async () => {
  await write(batch(0, 1, { rows: [row(0)] }));
  const others = [correction(1, 9, { matchId: 'M' }), correction(2, 9, { playerId: 'pl-2' })];
  expect(await write(batch(1, 3, { corrections: others }))).toMatchObject({ doubts: [], refused: [] });
  expect(await kept()).toMatchObject({ points: 5, corrected_at: null });
});
