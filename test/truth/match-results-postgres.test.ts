import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Result } from '../../src/domain/result.js';
import type { TruthBatch, TruthRow } from '../../src/domain/truth-batch.js';
import { MatchResultsPostgres } from '../../src/truth/match-results-postgres.js';
import { StoreRefusedError } from '../../src/truth/store-errors.js';
import { createTruthDatabase, NO_SEASONS, type TruthDatabase } from './truth-database.js';

const DAY_MS = 86_400_000;
/** 2026-04-01T00:00:00Z. */
const AT = 1_775_001_600_000;
const SOURCE = 'kafka:match-results';

let database: TruthDatabase;
let store: MatchResultsPostgres;
beforeEach(async () => {
  database = await createTruthDatabase();
  store = new MatchResultsPostgres({ pool: database.pool, maxLatenessMs: 7 * DAY_MS, calendar: NO_SEASONS });
});
afterEach(() => database.drop());

function row(offset: number, changed: Partial<Result> = {}): TruthRow {
  const result: Result = {
    matchId: `match-${offset}`,
    playerId: 'pl-1',
    mode: 'arena',
    fields: { points: 5 },
    achievedAt: AT,
    scopes: { guild: '77' },
    seasonId: '9',
    ...changed,
  };
  return { result, offset, brokerAt: AT + 1_000 };
}

function batch(from: number, to: number, rows: readonly TruthRow[], partition = 0): TruthBatch {
  return { source: SOURCE, partition, from, to, rows };
}

async function storedIds(): Promise<string[]> {
  const rows = await database.ask<{ match_id: string }>('SELECT match_id FROM match_results ORDER BY source_offset, 1');
  return rows.map((stored) => stored.match_id);
}

describe('writing results', () => {
  it('stores each result once with its position, and a redelivery changes nothing', async () => {
    const first = batch(0, 3, [row(0), row(2)]);
    expect(await store.write([first])).toMatchObject([
      { kind: 'written', before: 0, next: 3, inserted: 2, duplicates: 0 },
    ]);
    expect(await store.write([first])).toMatchObject([
      { kind: 'written', before: 3, next: 3, inserted: 0, duplicates: 2 },
    ]);
    expect(await storedIds()).toEqual(['match-0', 'match-2']);
    expect(await store.positions(SOURCE, [0, 1])).toEqual(
      new Map([
        [0, 3],
        [1, 0],
      ]),
    );
  });

  it('keeps a result exactly as it came', async () => {
    const wanted = { matchId: 'm "quoted" \\ {x}', playerId: 'Ａ😀,', achievedAt: AT + 417 };
    const fields = { points: 2_097_151 };
    await store.write([batch(0, 1, [row(0, { ...wanted, fields, scopes: { guild: '"7"' } })])]);
    const stored = await database.ask(
      `SELECT match_id, player_id, points::int, fields, scopes, day::text, source, source_partition, source_offset::int,
              to_char(achieved_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') AS achieved FROM match_results`,
    );
    expect(stored).toEqual([
      {
        match_id: wanted.matchId,
        player_id: wanted.playerId,
        points: 2_097_151,
        fields: null,
        scopes: { guild: '"7"' },
        day: '2026-04-01',
        source: SOURCE,
        source_partition: 0,
        source_offset: 0,
        achieved: '2026-04-01 00:00:00.417',
      },
    ]);
  });

  it('answers behind and writes nothing of a batch that lies ahead, while its neighbours are written', async () => {
    const replies = await store.write([batch(5, 9, [row(5)], 0), batch(0, 2, [row(1)], 1)]);
    expect(replies).toMatchObject([
      { kind: 'behind', next: 0 },
      { kind: 'written', next: 2, inserted: 1 },
    ]);
    expect(await storedIds()).toEqual(['match-1']);
    expect(await store.positions(SOURCE, [0, 1])).toEqual(
      new Map([
        [0, 0],
        [1, 2],
      ]),
    );
  });

  it('never moves a position back, and notices one that was restored', async () => {
    await store.write([batch(0, 10, [])]);
    expect(await store.write([batch(2, 4, [])])).toMatchObject([{ kind: 'written', next: 10 }]);
    expect(await store.write([batch(10, 10, [])])).toMatchObject([{ kind: 'written', next: 10 }]);
    await database.ask('UPDATE source_position SET next = 4');
    expect(await store.write([batch(10, 10, [])])).toEqual([{ kind: 'behind', next: 4 }]);
  });

  it('leaves out what another process judged otherwise when it moved the position past it', async () => {
    await store.write([batch(0, 3, [row(0)])]);
    const [reply] = await store.write([batch(0, 4, [row(0), row(1), row(3)])]);
    expect(reply).toMatchObject({ kind: 'written', before: 3, next: 4, inserted: 1, duplicates: 1 });
    expect(await storedIds()).toEqual(['match-0', 'match-3']);
  });

  it('does not write when it only confirms', async () => {
    await store.write([batch(0, 10, [])]);
    const version = () => database.ask('SELECT xmin::text, xmax::text FROM source_position');
    const before = await version();
    await store.write([batch(10, 10, [])]);
    expect(await version()).toEqual(before);
  });

  it('keeps the first content of an identity and tells of the others, on another day too', async () => {
    await store.write([batch(0, 1, [row(0, { matchId: 'm' })])]);
    const [reply] = await store.write([
      batch(1, 6, [
        row(1, { matchId: 'm', fields: { points: 6 } }),
        row(2, { matchId: 'm', achievedAt: AT + 2 * DAY_MS }),
        row(3, { matchId: 'm', scopes: {} }),
        row(4, { matchId: 'm' }),
        row(5, { matchId: 'm', playerId: 'pl-2' }),
      ]),
    ]);
    expect(reply).toMatchObject({ kind: 'written', inserted: 1, duplicates: 1 });
    const conflicts = reply?.kind === 'written' ? reply.conflicts : [];
    expect(conflicts.map((conflict) => conflict.row.offset)).toEqual([1, 2, 3]);
    expect(conflicts[0]?.detail).toContain('points 6 instead of 5');
    expect(await database.ask('SELECT count(*)::int FROM match_results')).toEqual([{ count: 2 }]);
  });

  it('keeps all fields of a mode that has several, and the first one as points', async () => {
    const fields = { time: 61_250, kills: 0, constructor: Number.MAX_SAFE_INTEGER };
    await store.write([batch(0, 1, [row(0, { fields })])]);
    expect(await database.ask('SELECT points::int, fields FROM match_results')).toEqual([{ points: 61_250, fields }]);
  });

  it('takes the same fields for a repeat, in whatever order they come', async () => {
    const first = row(0, { matchId: 'm', fields: { kills: 3, deaths: 1, assists: 9 } });
    await store.write([batch(0, 1, [first])]);
    const again = row(1, { matchId: 'm', fields: { assists: 9, kills: 3, deaths: 1 } });
    expect(await store.write([batch(1, 2, [again])])).toMatchObject([{ inserted: 0, duplicates: 1, conflicts: [] }]);
  });

  it.each([
    ['another value', { kills: 3, deaths: 1 }, { kills: 3, deaths: 2 }, 'deaths 2 instead of 1'],
    ['another value of the first field', { kills: 3, deaths: 1 }, { kills: 4, deaths: 1 }, 'kills 4 instead of 3'],
    ['a field more', { kills: 3, deaths: 1 }, { kills: 3, deaths: 1, assists: 0 }, 'assists 0 instead of absent'],
    ['a field less', { kills: 3, deaths: 1 }, { kills: 3 }, 'deaths absent instead of 1'],
    ['a second field where there was one', { kills: 3 }, { kills: 3, deaths: 0 }, 'deaths 0 instead of absent'],
    ['another value of the only field', { time: 3 }, { time: 4 }, 'time 4 instead of 3'],
  ])('tells of a conflict in %s, stored or in the same batch', async (_, kept, other, difference) => {
    const rows = [row(0, { matchId: 'm', fields: kept }), row(1, { matchId: 'm', fields: other })];
    const replies = [
      ...(await store.write([batch(0, 2, rows)])),
      ...(await store.write([batch(2, 3, [row(2, { matchId: 'm', fields: other })])])),
    ];
    const details = replies.flatMap((reply) => (reply.kind === 'written' ? reply.conflicts : []));
    expect(details.map(({ row: { offset } }) => offset)).toEqual([1, 2]);
    for (const { detail } of details) expect(detail).toContain(`this one has ${difference}`);
  });

  it('refuses to compare with a stored value that is not exact', async () => {
    await store.write([batch(0, 1, [row(0, { matchId: 'm', fields: { kills: 3, deaths: 1 } })])]);
    await database.ask(`UPDATE match_results SET fields = '{"kills": 3, "deaths": 9007199254740993}'`);
    const again = store.write([batch(1, 2, [row(1, { matchId: 'm', fields: { kills: 3, deaths: 1 } })])]);
    await expect(again).rejects.toThrow('match_results.fields.deaths');
  });

  it('finds repeats and conflicts inside one transaction', async () => {
    const [reply, other] = await store.write([
      batch(0, 2, [row(0, { matchId: 'm' }), row(1, { matchId: 'm' })], 0),
      batch(0, 1, [row(0, { matchId: 'm', fields: { points: 7 } })], 1),
    ]);
    expect(reply).toMatchObject({ inserted: 1, duplicates: 1, conflicts: [] });
    expect(other).toMatchObject({ inserted: 0, duplicates: 0, conflicts: [{ row: { offset: 0 } }] });
  });

  it('rolls back rows and positions when the step before the commit fails', async () => {
    const failing = store.write([batch(0, 2, [row(0)])], async () => {
      throw new Error('dead letters cannot be written');
    });
    await expect(failing).rejects.toThrow('dead letters cannot be written');
    expect(await storedIds()).toEqual([]);
    expect(await store.positions(SOURCE, [0])).toEqual(new Map([[0, 0]]));
  });

  it('names the row that PostgreSQL can never store', async () => {
    const poison = row(1, { scopes: { 'a\u0000b': '1' } });
    const poisoned = batch(0, 3, [row(0), poison, row(2)]);
    await expect(store.write([poisoned])).rejects.toBeInstanceOf(StoreRefusedError);
    expect(await store.findRefused(poisoned)).toEqual([poison]);
    expect(await storedIds()).toEqual([]);
  });

  it('tells of a row whose day is detached, writes its neighbours, and does not take it for one that cannot be stored', async () => {
    await store.write([batch(0, 1, [row(0)])]);
    await database.ask('ALTER TABLE match_results DETACH PARTITION match_results_20260401');
    await database.ask("INSERT INTO detached_day (day) VALUES ('2026-04-01')");
    const late = row(1);
    const next = batch(1, 3, [late, row(2, { achievedAt: AT + DAY_MS, playerId: 'pl-2' })]);
    const { playerId, achievedAt, scopes } = late.result;
    const doubt = { playerId, offset: 1, partitions: [0], copies: [{ achievedAt, scopes }] };
    expect(await store.findRefused(next)).toEqual([]);
    expect(await store.write([next])).toMatchObject([{ next: 3, inserted: 1, detached: [late], doubts: [doubt] }]);
    expect(await storedIds()).toEqual(['match-2']);
  });

  it("makes a day's partition anew where a restore took it away, without giving up the rows", async () => {
    await store.write([batch(0, 1, [row(0)])]);
    await database.ask('DROP TABLE match_results_20260401');
    await expect(store.write([batch(1, 2, [row(1)])])).rejects.toMatchObject({ isRetryable: true });
    expect(await store.write([batch(1, 2, [row(1)])])).toMatchObject([{ kind: 'written', inserted: 1 }]);
  });

  it('lets processes write the same new day at once', async () => {
    const stores = [1, 2, 3, 4].map(
      () =>
        new MatchResultsPostgres({
          pool: database.newPool({ maxConnections: 2 }),
          maxLatenessMs: 7 * DAY_MS,
          calendar: NO_SEASONS,
        }),
    );
    const replies = await Promise.all(
      stores.map((one, partition) => one.write([batch(0, 1, [row(0, { matchId: 'same' })], partition)])),
    );
    const inserted = replies.flat().map((reply) => (reply.kind === 'written' ? reply.inserted : 0));
    expect(inserted.reduce((sum, n) => sum + n, 0)).toBe(1);
    expect(await storedIds()).toEqual(['same']);
  });
});
