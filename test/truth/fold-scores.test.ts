import fc from 'fast-check';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { BoardSeason } from '../../src/domain/board-season.js';
import type { Position } from '../../src/domain/log-record.js';
import { packScore, type ScoreKey, scoreLayout } from '../../src/domain/packed-score.js';
import { mergeScores, type Rule, scoreMerge } from '../../src/domain/rules.js';
import { type FoldedRow, foldedScores } from '../../src/truth/fold-scores.js';
import { MatchResultsPostgres } from '../../src/truth/match-results-postgres.js';
import { PlayerFolds } from '../../src/truth/player-folds.js';
import { boardSeasonOf } from '../support/definitions.js';
import { createTruthDatabase, NO_SEASONS, type TruthDatabase } from './truth-database.js';

const DAY_MS = 86_400_000;
const START = Date.parse('2026-04-01T00:00:00Z');

let database: TruthDatabase;
let store: MatchResultsPostgres;
let runs = 0;
beforeAll(async () => {
  database = await createTruthDatabase();
  store = new MatchResultsPostgres({ pool: database.pool, maxLatenessMs: 7 * DAY_MS, calendar: NO_SEASONS });
});
afterAll(() => database.drop());
afterEach(() => vi.restoreAllMocks());

interface Played {
  readonly playerId: string;
  readonly fields: Readonly<Record<string, number>>;
  readonly achievedAt: number;
  readonly partition?: number;
  readonly isVoided?: boolean;
}

/** A row as it was stored: its place in the log of its run. */
interface Stored extends Required<Played> {
  readonly offset: number;
}

interface Run {
  /** Names the mode and the log: runs share the database and nothing else. */
  readonly name: string;
  readonly rows: readonly Stored[];
}

async function play(played: readonly Played[]): Promise<Run> {
  runs += 1;
  const name = `run-${runs}`;
  const rows = played.map((row, offset) => ({ partition: 0, isVoided: false, ...row, offset }));
  const batches = [...new Set(rows.map(({ partition }) => partition))].map((partition) => {
    const own = rows.filter((row) => row.partition === partition);
    const results = own.map(({ playerId, fields, achievedAt, offset }) => {
      const result = {
        matchId: matchOf(name, offset),
        playerId,
        mode: name,
        fields,
        achievedAt,
        scopes: {},
        seasonId: 'x',
      };
      return { result, offset, brokerAt: achievedAt };
    });
    return { source: name, partition, from: 0, to: rows.length, rows: results };
  });
  await store.write(batches);
  const voided = rows.filter(({ isVoided }) => isVoided).map(({ offset }) => matchOf(name, offset));
  await database.ask('UPDATE match_results SET voided_at = now() WHERE match_id = ANY ($1)', [voided]);
  return { name, rows };
}

const matchOf = (run: string, offset: number) => `${run}/${offset}`;

function scopeOf(mode: string, rule: Rule, keys: readonly ScoreKey[], days = 30): BoardSeason {
  const season = { seasonId: 'x', startsAt: START, endsAt: START + days * DAY_MS };
  const plain = boardSeasonOf({}, season);
  return { ...plain, board: { ...plain.board, modes: [mode], rule }, layout: scoreLayout(keys, season) };
}

const unitOf = ({ keys }: Shape, days: number) => scopeOf('', 'best', keys, days).layout.unitMs;

async function foldInSql(scope: BoardSeason): Promise<Map<string, number>> {
  const { text, values } = foldedScores(scope, { now: START });
  const { rows } = await database.pool.query<FoldedRow>(text, [...values]);
  const scores = new Map(rows.map(({ subject, score }) => [subject, Number(score)]));
  expect(scores.size).toBe(rows.length);
  expect(rows.every(({ list }) => list === 's')).toBe(true);
  return scores;
}

async function foldPlayer(scope: BoardSeason, playerId: string, below: readonly Position[]): Promise<number | null> {
  const entries = await new PlayerFolds(database.pool, () => START).fold(scope, playerId, below);
  expect(entries.length).toBeLessThanOrEqual(1);
  return entries[0]?.score ?? null;
}

function foldInTypeScript({ layout, board: { rule } }: BoardSeason, rows: readonly Stored[]): Map<string, number> {
  const merge = scoreMerge(rule, layout);
  const scores = new Map<string, number>();
  for (const { playerId, fields, achievedAt, isVoided } of rows) {
    if (isVoided) continue;
    const score = packScore(layout, fields, achievedAt);
    scores.set(playerId, mergeScores(merge, scores.get(playerId) ?? null, score));
  }
  return scores;
}

interface Shape {
  readonly name: string;
  readonly rules: readonly Rule[];
  /** The mode's fields with the highest value that is played. */
  readonly fields: Readonly<Record<string, number>>;
  readonly keys: readonly ScoreKey[];
}

const SHAPES: readonly Shape[] = [
  {
    name: 'one key, high first',
    rules: ['best', 'latest'],
    fields: { points: 2_097_151 },
    keys: [{ field: 'points', max: 2_097_151, isLow: false }],
  },
  {
    name: 'one key, low first, called other than points',
    rules: ['best', 'latest'],
    fields: { time: 3_600_000 },
    keys: [{ field: 'time', max: 3_600_000, isLow: true }],
  },
  {
    name: 'three keys of both directions, in another order than the fields',
    rules: ['best', 'latest'],
    fields: { deaths: 255, constructor: 900, kills: 1_000 },
    keys: [
      { field: 'kills', max: 1_000, isLow: false },
      { field: 'deaths', max: 255, isLow: true },
      { field: 'constructor', max: 1_023, isLow: false },
    ],
  },
  {
    name: 'a total far from its end',
    rules: ['sum'],
    fields: { points: 1_000 },
    keys: [{ field: 'points', max: 1_048_575, isLow: false }],
  },
  {
    name: 'a total that stops',
    rules: ['sum'],
    fields: { points: 20_000_000 },
    keys: [{ field: 'points', max: 30_000_000, isLow: false }],
  },
  {
    name: 'a total that stops, low first, of the second field',
    rules: ['sum'],
    fields: { kills: 50, faults: 20_000_000 },
    keys: [{ field: 'faults', max: 30_000_000, isLow: true }],
  },
];

/** Rows around the edges of the unit; every third repeats values and unit of another, mostly for another player. */
function playedOf(shape: Shape, unitMs: number): fc.Arbitrary<Played[]> {
  const units = Math.floor(DAY_MS / unitMs);
  const who = fc.record({
    playerId: fc.constantFrom('pl-1', 'pl-2', 'Ａ', '😀', 'é', 'e\u0301', 'a,"b"'),
    partition: fc.nat({ max: 2 }),
    isVoided: fc.constantFrom(false, false, false, true),
    inUnit: fc.oneof(fc.constantFrom(0, unitMs - 1), fc.nat({ max: unitMs - 1 })),
  });
  const reached = fc.record({
    unit: fc.oneof(fc.constantFrom(0, 1, 2), fc.nat({ max: units - 1 })),
    fields: fc.record(
      Object.fromEntries(
        Object.entries(shape.fields).map(([field, max]) => [
          field,
          fc.oneof(fc.constantFrom(0, 1, max), fc.nat({ max })),
        ]),
      ),
      { noNullPrototype: true },
    ),
  });
  const pairs = fc.tuple(reached, reached, who, who, who);
  return fc.array(pairs, { minLength: 1, maxLength: 14 }).map((all) =>
    all
      .flatMap(([a, b, first, second, third]) => [
        { ...a, ...first },
        { ...b, ...second },
        { ...a, ...third },
      ])
      .map(({ unit, inUnit, ...row }) => ({ ...row, achievedAt: START + unit * unitMs + inUnit })),
  );
}

const CASES = SHAPES.flatMap((shape) => shape.rules.map((rule) => ({ shape, rule, name: `${rule}: ${shape.name}` })));

describe('folding rows in SQL', () => {
  it.each(CASES)('gives what merging them one by one in any order gives ($name)', async ({ shape, rule }) => {
    // The longer the season, the coarser the unit: 1 ms to a minute.
    const seasons = fc.constantFrom(1, 30, 1_826);
    const inputs = seasons.chain((days) => fc.tuple(fc.constant(days), playedOf(shape, unitOf(shape, days))));
    const input = inputs.chain(([days, played]) =>
      fc.record({
        days: fc.constant(days),
        played: fc.constant(played),
        order: fc.shuffledSubarray([...played.keys()], { minLength: played.length }),
        // Partition 2 has no position.
        nexts: fc.tuple(fc.nat({ max: played.length }), fc.nat({ max: played.length })),
      }),
    );
    await fc.assert(
      fc.asyncProperty(input, async ({ days, played, order, nexts }) => {
        const { name, rows } = await play(played);
        const scope = scopeOf(name, rule, shape.keys, days);
        const shuffled = order.flatMap((index) => rows[index] ?? []);
        expect(await foldInSql(scope)).toEqual(foldInTypeScript(scope, shuffled));

        const below = nexts.map((next, partition): Position => ({ source: name, partition, next }));
        const belowRows = shuffled.filter(({ partition, offset }) => offset < (nexts[partition] ?? 0));
        const expected = foldInTypeScript(scope, belowRows);
        for (const playerId of new Set(rows.map((row) => row.playerId))) {
          expect(await foldPlayer(scope, playerId, below)).toBe(expected.get(playerId) ?? null);
        }
      }),
      { numRuns: 25 },
    );
  });

  const points: ScoreKey = { field: 'points', max: 100, isLow: false };
  const beyond = [-1, 0, 100, 101].map((value) => ({
    playerId: `p${value}`,
    fields: { points: value },
    achievedAt: START,
  }));

  it.each(['best', 'latest'] as const)('leaves out values that the keys have no room for (%s)', async (rule) => {
    const { name } = await play(beyond);
    expect([...(await foldInSql(scopeOf(name, rule, [points]))).keys()].sort()).toEqual(['p0', 'p100']);
  });

  it.each(['best', 'latest', 'sum'] as const)('leaves out rows that do not have the field (%s)', async (rule) => {
    const fields = [{ points: 5 }, { kills: 5 }, { kills: 5, timeMs: 7 }, { timeMs: 7 }];
    const rows = fields.map((own, index) => ({ playerId: `p${index}`, fields: own, achievedAt: START }));
    const { name } = await play(rows);
    const timeMs: ScoreKey = { field: 'timeMs', max: 100, isLow: true };
    expect([...(await foldInSql(scopeOf(name, rule, [timeMs]))).keys()].sort()).toEqual(['p2', 'p3']);
    expect([...(await foldInSql(scopeOf(name, rule, [points]))).keys()]).toEqual(['p0']);
  });

  it('lets a value beyond the largest total fill it, and takes nothing away by one below 0 (sum)', async () => {
    const { name } = await play(beyond);
    const scope = scopeOf(name, 'sum', [points]);
    const full = packScore(scope.layout, { points: 100 }, START);
    const empty = packScore(scope.layout, { points: 0 }, START);
    const expected = { p0: empty, p100: full, p101: full };
    expect(Object.fromEntries(await foldInSql(scope))).toEqual(expected);
  });

  it('adds up more than 64 bits hold before it stops', async () => {
    const huge = Number.MAX_SAFE_INTEGER;
    const { name } = await play([{ playerId: 'p', fields: { points: huge }, achievedAt: START }]);
    await database.ask(
      `INSERT INTO match_results (match_id, player_id, mode, points, scopes, achieved_at, day,
                                  source, source_partition, source_offset, broker_at)
       SELECT match_id || n, player_id, mode, points, scopes, achieved_at, day, source, source_partition, n, broker_at
         FROM match_results, generate_series(1, 1100) AS n WHERE mode = $1`,
      [name],
    );
    const scope = scopeOf(name, 'sum', [points]);
    expect(await foldInSql(scope)).toEqual(new Map([['p', packScore(scope.layout, { points: 100 }, START)]]));
  });
});

describe("folding one player's rows", () => {
  const key: ScoreKey = { field: 'points', max: 1_000, isLow: false };
  const at = (value: number) => ({ playerId: 'pl-1', fields: { points: value }, achievedAt: START });

  it('counts a row once, however often its partition is named, up to the highest position', async () => {
    const { name } = await play([at(1), at(2), at(4)]);
    const scope = scopeOf(name, 'sum', [key]);
    const below = [1, 2, 2].map((next) => ({ source: name, partition: 0, next }));
    expect(await foldPlayer(scope, 'pl-1', below)).toBe(packScore(scope.layout, { points: 3 }, START));
  });

  it('has nothing to say of nobody, of no positions and of those of another log', async () => {
    const { name } = await play([at(1)]);
    const scope = scopeOf(name, 'best', [key]);
    const below = [{ source: name, partition: 0, next: 9 }];
    expect(await foldPlayer(scope, 'pl-1', below)).not.toBeNull();
    expect(await foldPlayer(scope, 'pl-2', below)).toBeNull();
    expect(await foldPlayer(scope, 'pl-1', [])).toBeNull();
    expect(await foldPlayer(scope, 'pl-1', [{ source: 'other', partition: 0, next: 9 }])).toBeNull();
  });

  it('finds them by index on every day, also where a day has many rows', async () => {
    const nextDay = START + DAY_MS;
    const { name } = await play([at(1), { ...at(2), achievedAt: nextDay }]);
    await database.ask(
      `INSERT INTO match_results (match_id, player_id, mode, points, scopes, achieved_at, day,
                                  source, source_partition, source_offset, broker_at)
       SELECT match_id || n, 'pl-' || n, mode, points, scopes, achieved_at, day, source, source_partition, n, broker_at
         FROM match_results, generate_series(2, 20000) AS n WHERE mode = $1`,
      [name],
    );
    await database.ask('ANALYZE match_results');
    const query = vi.spyOn(pg.Client.prototype, 'query');
    const scope = scopeOf(name, 'best', [key]);
    await foldPlayer(scope, 'pl-7', [{ source: name, partition: 0, next: 50_000 }]);
    const [text, values] = query.mock.calls.find(([sql]) => String(sql).includes('FROM match_results')) as unknown as [
      string,
      unknown[],
    ];
    const plan = JSON.stringify(await database.ask(`EXPLAIN (FORMAT JSON) ${text}`, values));
    expect(plan).toContain('"Index Name":"match_results_20260401_player_id_achieved_at_idx"');
    expect(plan).toContain('"Index Name":"match_results_20260402_player_id_achieved_at_idx"');
    expect(plan).not.toContain('Seq Scan');
  });
});
