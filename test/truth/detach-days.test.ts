import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import type { BoardSeason } from '../../src/domain/board-season.js';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import type { Position } from '../../src/domain/log-record.js';
import { type DayReport, type DetachOptions, detachDays } from '../../src/truth/detach-days.js';
import { PlayerFolds } from '../../src/truth/player-folds.js';
import { TruthSnapshots } from '../../src/truth/truth-snapshot.js';
import { boardSeasonOf } from '../support/definitions.js';
import { CheckpointLog, DAY_MS, type Record, readSnapshot, SOURCE, START } from './checkpoint-log.js';
import { createTruthDatabase, type TruthDatabase } from './truth-database.js';

const SEASON = { seasonId: 'x', startsAt: START, endsAt: START + 60 * DAY_MS };
const MODES = [{ mode: 'arena', fields: { points: { min: 0, max: 100 } } }];
const LATER = START + 30 * DAY_MS;
const scopeOf = (boardId: string): BoardSeason =>
  boardSeasonOf({ boardId, rule: 'sum', maxTotal: 1_000 }, SEASON, MODES);

let database: TruthDatabase;
let log: CheckpointLog;
let scope: BoardSeason;
beforeAll(async () => {
  scope = scopeOf('arena');
});
beforeEach(async () => {
  await database?.drop();
  database = await createTruthDatabase();
  log = new CheckpointLog(database, 'arena');
  await log.append([result(1, 0, 5, 0), result(2, 1, 7, DAY_MS), result(3, 0, 9, 2 * DAY_MS)]);
});
afterAll(() => database.drop());

const result = (match: number, player: number, points: number, at: number): Record => ({
  ...{ kind: 'result', match, player, points, at },
});

const read = (one: BoardSeason, origin: 'rows' | 'checkpoint') =>
  readSnapshot(new TruthSnapshots(database.pool, () => LATER, origin), one);

const pointsOf = (packed: number | null | undefined) =>
  Math.floor((packed ?? Number.NaN) / scope.definition.merge.timeSpan);

async function detach(options: Partial<DetachOptions> = {}): Promise<DayReport[]> {
  const days: DayReport[] = [];
  const given = { pool: database.pool, scopes: [scope], maxLatenessMs: 7 * DAY_MS, before: '2026-04-03', isDry: false };
  for await (const day of detachDays({ ...given, now: LATER, ...options })) days.push(day);
  return days;
}

async function attached(): Promise<string[]> {
  const rows = await database.ask<{ name: string }>(
    "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'match_results'::regclass ORDER BY 1",
  );
  return rows.map(({ name }) => name.slice(-8));
}

const FREE = [
  { day: '2026-04-01', obstacle: null },
  { day: '2026-04-02', obstacle: null },
];

it('takes the days before the date out, each once, and says so without doing it where it is asked to', async () => {
  await read(scope, 'checkpoint');
  expect(await detach({ isDry: true })).toEqual(FREE);
  expect(await attached()).toEqual(['20260401', '20260402', '20260403']);
  expect(await detach()).toEqual(FREE);
  expect(await attached()).toEqual(['20260403']);
  expect(await detach()).toEqual([]);
});

it('leaves days whose results may still come, and those that a checkpoint has not seen', async () => {
  const obstacles = async (options: Partial<DetachOptions> = {}) => [
    ...new Set((await detach({ isDry: true, ...options })).map(({ obstacle }) => obstacle)),
  ];
  expect(await obstacles()).toEqual(['board arena:sx has no checkpoint of its present definition']);
  await read(scope, 'checkpoint');
  expect(await obstacles({ now: START + 8 * DAY_MS })).toEqual(['results of this day may still come']);
  expect(await obstacles({ scopes: [scope, scopeOf('duel')] })).toEqual([
    'board duel:sx has no checkpoint of its present definition',
  ]);
  await log.append([result(4, 2, 1, 1)]);
  expect(await obstacles()).toEqual(['the checkpoint of arena:sx has not come to all its results', null]);
  await read(scope, 'checkpoint');
  await log.append([{ kind: 'void', match: 3, player: 0 }]);
  expect(await obstacles()).toEqual(['results were corrected that the checkpoint of arena:sx has not seen yet']);
});

it('waits for no fill', async () => {
  await read(scope, 'checkpoint');
  const lock = await new TruthSnapshots(database.pool).lock(scope.name);
  await expect(detach()).rejects.toBeInstanceOf(StoreUnavailableError);
  await lock?.release();
  expect(await detach()).toEqual(FREE);
});

it('leaves a checkpoint that goes on with what comes', async () => {
  const before = await read(scope, 'rows');
  await read(scope, 'checkpoint');
  await detach();
  await log.append([result(4, 0, 20, 3 * DAY_MS)]);
  const { scores } = await read(scope, 'checkpoint');
  expect(scores.get('s\npl-1')).toBe(before.scores.get('s\npl-1'));
  expect(scores.get('s\npl-0')).toBeGreaterThan(before.scores.get('s\npl-0') ?? Number.NaN);
});

it('refuses what would need the rows, and names the days', async () => {
  await read(scope, 'checkpoint');
  await detach();
  const duel = scopeOf('duel');
  await expect(read(duel, 'rows')).rejects.toThrow(/duel:sx .*2026-04-01, 2026-04-02/);
  await expect(read(duel, 'checkpoint')).rejects.toThrow(/duel:sx .*2026-04-01, 2026-04-02/);
  const folds = new PlayerFolds(database.pool, () => LATER);
  await expect(folds.fold(duel, 'pl-0', await folds.positions())).rejects.toThrow(/pl-0 of duel:sx .*2026-04-01/);
});

it('needs no detached day for a change of what no checkpoint has counted yet', async () => {
  await read(scope, 'checkpoint');
  await detach();
  await log.append([result(4, 0, 20, 3 * DAY_MS), result(5, 1, 30, 3 * DAY_MS)]);
  await log.append([
    { kind: 'void', match: 4, player: 0 },
    { kind: 'correct', match: 5, player: 1, points: 40 },
  ]);
  const folds = new PlayerFolds(database.pool, () => LATER);
  const [folded] = await folds.fold(scope, 'pl-1', await folds.positions());
  const { scores } = await read(scope, 'checkpoint');
  expect([pointsOf(scores.get('s\npl-0')), pointsOf(scores.get('s\npl-1'))]).toEqual([14, 47]);
  expect(pointsOf(folded?.score)).toBe(47);
});

it('sees a change once, whatever transaction was under way meanwhile', async () => {
  await read(scope, 'checkpoint');
  await detach();
  const other = await database.pool.connect();
  // Also where an expectation fails: an open transaction would keep the schema from being dropped.
  onTestFinished(() => void other.release(true));
  await other.query('BEGIN');
  await other.query('SELECT pg_current_xact_id()');
  await log.append([result(4, 0, 20, 3 * DAY_MS)]);
  await log.append([{ kind: 'void', match: 4, player: 0 }]);
  await read(scope, 'checkpoint');
  expect(pointsOf((await read(scope, 'checkpoint')).scores.get('s\npl-0'))).toBe(14);
});

it('lets a player be folded, below positions behind the checkpoint and where a row of his was changed as well', async () => {
  const whole = await read(scope, 'rows');
  await read(scope, 'checkpoint');
  await detach();
  const folds = new PlayerFolds(database.pool, () => LATER);
  const positions = await folds.positions();
  const fold = async (subject: string, below: readonly Position[]) =>
    (await folds.fold(scope, subject, below))[0]?.score;
  expect(await fold('pl-0', positions)).toBe(whole.scores.get('s\npl-0'));
  await log.append([result(4, 1, 20, 2 * DAY_MS)]);
  expect((await read(scope, 'checkpoint')).scores.get('s\npl-1')).toBe(await fold('pl-1', await folds.positions()));
  // The checkpoint is ahead of these now.
  expect(await fold('pl-1', positions)).toBe(whole.scores.get('s\npl-1'));
  await log.append([{ kind: 'void', match: 3, player: 0 }]);
  expect(pointsOf(await fold('pl-0', await folds.positions()))).toBe(5);
  expect(pointsOf((await read(scope, 'checkpoint')).scores.get('s\npl-0'))).toBe(5);
});

it('takes results of detached days for known that the log brings again', async () => {
  await read(scope, 'checkpoint');
  await detach();
  const again = new CheckpointLog(database, 'arena');
  await again.append([result(1, 0, 5, 0), result(3, 0, 9, 2 * DAY_MS), result(5, 0, 11, 3 * DAY_MS)]);
  const rows = await database.ask<{ match: string }>('SELECT match_id AS match FROM match_results ORDER BY 1');
  expect(rows.map(({ match }) => match)).toEqual(['arena/3', 'arena/5']);
  expect(
    await database.ask('SELECT next::int FROM source_position WHERE source = $1 AND partition = 0', [SOURCE]),
  ).toEqual([{ next: 3 }]);
});

it('lets others go on beside a result of a detached day that comes late, which no board keeps', async () => {
  const { scores } = await read(scope, 'checkpoint');
  await detach();
  await log.append([result(4, 1, 3, 3 * DAY_MS), result(5, 0, 3, 1)]);
  const after = (await read(scope, 'checkpoint')).scores;
  expect(pointsOf(after.get('s\npl-1'))).toBe(10);
  expect(after.get('s\npl-0')).toBe(scores.get('s\npl-0'));
});

it('refuses orders for results of detached days, and keeps nothing of them, as long as their tables are there', async () => {
  await read(scope, 'checkpoint');
  await detach();
  const correction = { kind: 'correct', match: 2, player: 1, points: 40 } as const;
  const replies = await log.append([{ kind: 'void', match: 1, player: 0 }, correction]);
  const refused = replies.flatMap((reply) => (reply.kind === 'written' ? reply.refused : []));
  expect(refused).toMatchObject([
    { order: { matchId: 'arena/1' }, reason: 'day_detached', detail: expect.stringContaining('2026-04-01') },
    { order: { matchId: 'arena/2' }, reason: 'day_detached', detail: expect.stringContaining('2026-04-02') },
  ]);
  expect(await database.ask('SELECT FROM voided_result')).toEqual([]);
  expect(await database.ask('SELECT FROM corrected_result')).toEqual([]);
  await database.ask('DROP TABLE match_results_20260401');
  const again = await log.append([
    { kind: 'void', match: 1, player: 0 },
    { kind: 'void', match: 9, player: 0 },
  ]);
  expect(again).toMatchObject([{ kind: 'written', refused: [] }]);
  expect(await database.ask('SELECT FROM voided_result')).toHaveLength(2);
});
