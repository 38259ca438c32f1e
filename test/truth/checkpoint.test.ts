import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Board } from '../../src/domain/board.js';
import type { BoardSeason } from '../../src/domain/board-season.js';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import type { Position } from '../../src/domain/log-record.js';
import type { Rule } from '../../src/domain/rules.js';
import type { AdvanceOptions } from '../../src/truth/checkpoint-advance.js';
import { checkpointAges } from '../../src/truth/checkpoints.js';
import { dropSeenDirt, insertDirty } from '../../src/truth/dirty-subjects.js';
import { foldedScores } from '../../src/truth/fold-scores.js';
import { TruthSnapshots } from '../../src/truth/truth-snapshot.js';
import { boardSeasonOf } from '../support/definitions.js';
import {
  type CheckpointRun,
  DAY_MS,
  newCheckpointRun,
  type Read,
  type Record,
  readSnapshot,
  SOURCE,
  START,
} from './checkpoint-log.js';
import { createTruthDatabase, type TruthDatabase } from './truth-database.js';

const PLAYERS = 5;
const SEASON = { seasonId: 'x', startsAt: START, endsAt: START + 20 * DAY_MS };

let database: TruthDatabase;
beforeAll(async () => {
  database = await createTruthDatabase();
});
afterAll(() => database.drop());

const newRun = (rule: Rule, board: Partial<Board> = {}) => newCheckpointRun(database, rule, board);

const clock = () => START;
const fromRows = (scope: BoardSeason, now = clock) => readSnapshot(new TruthSnapshots(database.pool, now), scope);
const fromCheckpoint = (scope: BoardSeason, below?: readonly Position[], now = clock) =>
  readSnapshot(new TruthSnapshots(database.pool, now, 'checkpoint'), scope, below);

async function advance(
  scope: BoardSeason,
  options: Omit<AdvanceOptions, 'now'> = {},
  now = clock,
): Promise<readonly Position[]> {
  const lock = await new TruthSnapshots(database.pool, now).lock(scope.name);
  try {
    return (await lock?.advance(scope, options)) ?? [];
  } finally {
    await lock?.release();
  }
}

async function expectEqual(run: CheckpointRun): Promise<void> {
  const rows = await fromRows(run.scope);
  const checkpoint = await fromCheckpoint(run.scope);
  expect(checkpoint.scores).toEqual(rows.scores);
  expect(checkpoint.hidden).toEqual(rows.hidden);
  expect(checkpoint.positions).toEqual(rows.positions);
}

const result = (match: number, player: number, points: number, at = 0): Record => ({
  ...{ kind: 'result', match, player, points, at, guild: String(match % 2) },
});

/** Matches repeat, so that orders and copies meet results that are there, or come later. */
function recordsOf(): fc.Arbitrary<Record> {
  const identity = { match: fc.nat({ max: 12 }), player: fc.nat({ max: PLAYERS - 1 }) };
  const points = fc.oneof(fc.constantFrom(0, 50, 100), fc.nat({ max: 100 }));
  const at = fc.oneof(fc.constantFrom(0, 1, DAY_MS - 1), fc.nat({ max: 20 * DAY_MS - 1 }));
  return fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('result' as const), ...identity, points, at }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('void' as const), ...identity }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('correct' as const), ...identity, points }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('hide' as const),
        player: identity.player,
        isHidden: fc.boolean(),
      }),
    },
  );
}

const KINDS = (['best', 'latest', 'sum'] as const).flatMap((rule) =>
  ['player', 'guild'].flatMap((subject) =>
    ['high' as const, 'low' as const].map((order) => ({ rule, subject, order })),
  ),
);

describe('a checkpoint', () => {
  it.each(KINDS)(
    'is what all rows come to, whatever was written between its advances ($rule, $subject, $order)',
    async ({ rule, subject, order }) => {
      const steps = fc.array(
        fc.record({ records: fc.array(recordsOf(), { minLength: 1, maxLength: 12 }), stepRecords: fc.nat({ max: 9 }) }),
        { minLength: 1, maxLength: 5 },
      );
      await fc.assert(
        fc.asyncProperty(steps, async (writes) => {
          const run = await newRun(rule, { subject, keys: [{ field: 'points', order }] });
          for (const { records, stepRecords } of writes) {
            await run.log.append(records.map((one) => ({ guild: String(one.player % 2), ...one })));
            // 0: the records of several writes are one advance's.
            if (stepRecords > 0) await advance(run.scope, { stepRecords });
          }
          await expectEqual(run);
        }),
        { numRuns: 15 },
      );
    },
  );

  it.each(['best', 'latest', 'sum'] as const)('sees changes that are committed in another order (%s)', async (rule) => {
    const run = await newRun(rule);
    const { scope, log } = run;
    await log.append([result(1, 0, 90), result(2, 0, 40), result(3, 1, 70)]);
    await advance(scope);
    // Two transactions, each of which changes a row; the older one is committed last.
    const [older, newer] = [await database.newPool().connect(), await database.newPool().connect()];
    // Also where an expectation fails: an open transaction would keep the schema from being dropped.
    onTestFinished(() => [older, newer].forEach((client) => void client.release(true)));
    const voidBy = async (client: typeof older, match: number): Promise<void> => {
      await client.query('BEGIN');
      await client.query('SELECT pg_current_xact_id()');
      const named = [log.matchOf(match)];
      await client.query(
        `WITH changed AS (UPDATE match_results SET voided_at = now() WHERE match_id = ANY ($1) RETURNING *)
         ${insertDirty('changed')}`,
        [named],
      );
    };
    await voidBy(older, 1);
    await voidBy(newer, 3);
    await newer.query('COMMIT');
    await advance(scope);
    await dropSeenDirt(database.pool);
    const between = await fromRows(scope);
    expect((await fromCheckpoint(scope)).scores).toEqual(between.scores);
    await older.query('COMMIT');
    await expectEqual(run);
    expect((await fromRows(scope)).scores.size).toBeLessThan(between.scores.size + 1);
  });

  it('keeps what it has not seen of changed rows, and nothing else', async () => {
    const run = await newRun('best');
    await run.log.append([result(1, 0, 90), result(2, 0, 40)]);
    await advance(run.scope);
    await run.log.append([{ kind: 'void', match: 1, player: 0 }]);
    await dropSeenDirt(database.pool);
    await expectEqual(run);
    // Old transactions of other tests would keep it.
    await vi.waitFor(
      async () => {
        await advance(run.scope);
        await dropSeenDirt(database.pool);
        expect(await database.ask('SELECT FROM dirty_subject')).toEqual([]);
      },
      { timeout: 20_000, interval: 200 },
    );
  });

  it('goes on where a crash between two steps left it', async () => {
    const run = await newRun('sum');
    const records = Array.from({ length: 40 }, (_, index) => result(index, index % PLAYERS, 3, index));
    await run.log.append(records);
    let steps = 0;
    const told: number[] = [];
    const dying = advance(run.scope, {
      stepRecords: 10,
      onStep: (behind) => {
        told.push(behind);
        steps += 1;
        if (steps === 3) throw new Error('killed');
      },
    });
    await expect(dying).rejects.toThrow('killed');
    const rows = await database.ask<{ positions: Position[] }>(
      'SELECT positions FROM board_checkpoint WHERE tag = $1',
      [run.scope.name],
    );
    const reached = rows[0]?.positions ?? [];
    expect(reached.map(({ next }) => next > 0)).toEqual([true, true, true]);
    expect(reached.reduce((sum, { next }) => sum + next, 0)).toBeLessThan(40);
    expect([...told].sort((a, b) => b - a)).toEqual(told);
    await expectEqual(run);
  });

  it('rests between steps, each of them committed', async () => {
    const run = await newRun('best');
    await run.log.append(Array.from({ length: 25 }, (_, index) => result(index, index % PLAYERS, 3, index)));
    const reached: number[] = [];
    const rest = async (): Promise<void> => {
      const [row] = await database.ask<{ positions: Position[] }>(
        'SELECT positions FROM board_checkpoint WHERE tag = $1',
        [run.scope.name],
      );
      reached.push((row?.positions ?? []).reduce((sum, { next }) => sum + next, 0));
    };
    await advance(run.scope, { stepRecords: 10, rest });
    expect(reached).toHaveLength(2);
    expect(reached[0]).toBeGreaterThan(0);
    expect(reached[1]).toBeGreaterThan(reached[0] ?? 0);
  });

  it('stops at the positions that it is asked for', async () => {
    const run = await newRun('sum');
    await run.log.append([result(1, 0, 10), result(2, 0, 20), result(3, 1, 30)]);
    const at = (next: number): Position[] => [{ source: SOURCE, partition: 0, next }];
    const first = await fromCheckpoint(run.scope, at(1));
    expect(first.positions).toEqual(at(1));
    expect([...first.scores.keys()].filter((key) => key.startsWith('s\n'))).toEqual(['s\npl-0']);
    await expect(fromCheckpoint(run.scope, at(3))).rejects.toBeInstanceOf(StoreUnavailableError);
    await expectEqual(run);
    // What it holds cannot be taken apart again.
    await expect(fromCheckpoint(run.scope, at(1))).rejects.toThrow(/ahead of the board/);
  });

  it('starts anew under another definition, and in another cluster', async () => {
    const run = await newRun('best');
    const latest = { ...run, scope: boardSeasonOf({ ...run.scope.board, rule: 'latest' }, SEASON, [modeOf(run)]) };
    await run.log.append([result(1, 0, 90, 5), result(2, 0, 40, 60_000)]);
    await expectEqual(run);
    await expectEqual(latest);
    await database.ask(
      "UPDATE board_checkpoint SET system_identifier = 7, snapshot = '999999999:999999999:' WHERE tag = $1",
      [run.scope.name],
    );
    await run.log.append([{ kind: 'void', match: 2, player: 0 }]);
    await expectEqual(latest);
  });

  it('starts anew however long its old entries take to go', async () => {
    const run = await newRun('best');
    await run.log.append([result(1, 0, 90)]);
    await fromCheckpoint(run.scope);
    await database.ask(
      "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(2.5); RETURN NULL; END'",
    );
    await database.ask(
      'CREATE TRIGGER slow AFTER DELETE ON board_checkpoint_entry FOR EACH STATEMENT EXECUTE FUNCTION slow()',
    );
    onTestFinished(async () => void (await database.ask('DROP FUNCTION slow CASCADE')));
    const pool = database.newPool({ statementTimeoutMs: 100 });
    const latest = boardSeasonOf({ ...run.scope.board, rule: 'latest' }, SEASON, [modeOf(run)]);
    const { scores } = await readSnapshot(new TruthSnapshots(pool, clock, 'checkpoint'), latest);
    expect(scores.has('s\npl-0')).toBe(true);
  });

  it('drops periods that are not kept any more, and brings none of them back', async () => {
    const run = await newRun('best');
    await run.log.append([result(1, 0, 90), result(2, 0, 40, 5 * DAY_MS)]);
    const days = ({ scores }: Read) => [...scores.keys()].filter((key) => key.startsWith('d:')).length;
    expect(days(await fromCheckpoint(run.scope))).toBe(4);
    const later = () => START + 5 * DAY_MS;
    await run.log.append([result(3, 0, 95), { kind: 'void', match: 2, player: 0 }]);
    const left = await fromCheckpoint(run.scope, undefined, later);
    expect(days(left)).toBe(0);
    expect(left.scores).toEqual((await fromRows(run.scope, later)).scores);
    expect(left.scores.size).toBeGreaterThan(0);
  });

  it('tells its age, once it has made a step', async () => {
    const run = await newRun('best');
    await expect(advance(run.scope, { onStep: raise })).rejects.toThrow('given up');
    expect((await checkpointAges(database.pool)).has(run.scope.name)).toBe(false);
    await advance(run.scope);
    expect((await checkpointAges(database.pool)).get(run.scope.name)).toBeLessThan(60_000);
  });
});

describe('an advance', () => {
  it('of few rows reads few blocks of a season', async () => {
    const run = await newRun('best');
    const mode = run.scope.board.modes[0];
    await run.log.append([result(1, 0, 1), result(2, 1, 1, DAY_MS), result(3, 2, 1, 2 * DAY_MS)]);
    await database.ask(
      `INSERT INTO match_results (match_id, player_id, mode, points, scopes, achieved_at, day,
                                  source, source_partition, source_offset, broker_at)
       SELECT 'x' || n, 'pl-' || n, $1, 1, '{}', day, day, $2, n % 3, n / 3 + 7000 * (day - $3::date), day
         FROM unnest(ARRAY[$3::date, $3::date + 1, $3::date + 2]) AS day, generate_series(3, 20000) AS n`,
      [mode, SOURCE, '2026-04-01'],
    );
    await database.ask('UPDATE source_position SET next = 21000 WHERE source = $1', [SOURCE]);
    await database.ask('ANALYZE match_results');
    await advance(run.scope);
    const from = [0, 1, 2].map((partition) => ({ source: SOURCE, partition, next: 20_500 }));
    const below = [0, 1, 2].map((partition) => ({ source: SOURCE, partition, next: 21_000 }));
    const { text, values } = foldedScores(run.scope, { from, below, now: START });
    const [plan] = await database.ask<{ 'QUERY PLAN': [{ Plan: BufferedPlan }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
      values,
    );
    const { Plan } = plan?.['QUERY PLAN'][0] ?? { Plan: undefined };
    const [size] = await database.ask<{ pages: string }>(
      "SELECT sum(relpages)::text AS pages FROM pg_class WHERE relname ~ '^match_results_\\d+$'",
    );
    const read = (Plan?.['Shared Hit Blocks'] ?? 0) + (Plan?.['Shared Read Blocks'] ?? 0);
    expect(Plan?.['Plan Rows']).toBeGreaterThan(0);
    expect(read).toBeLessThan(Number(size?.pages) / 5);
  });
});

interface BufferedPlan {
  readonly 'Plan Rows': number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
}

function modeOf({ scope }: CheckpointRun) {
  return { mode: scope.board.modes[0] ?? '', fields: { points: { min: 0, max: 100 } } };
}

function raise(): never {
  throw new StoreUnavailableError('given up');
}
