import fc from 'fast-check';
import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Board } from '../../src/domain/board.js';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import type { Position } from '../../src/domain/log-record.js';
import type { Rule } from '../../src/domain/rules.js';
import type { AdvanceOptions } from '../../src/truth/checkpoint-advance.js';
import { type DayReport, type DetachOptions, detachDays } from '../../src/truth/detach-days.js';
import { DetachedDaysError } from '../../src/truth/detached-days.js';
import { insertDirty } from '../../src/truth/dirty-subjects.js';
import { PlayerFolds } from '../../src/truth/player-folds.js';
import { TruthSnapshots } from '../../src/truth/truth-snapshot.js';
import { boardSeasonOf } from '../support/definitions.js';
import { type CheckpointRun, DAY_MS, newCheckpointRun, type Record, readSnapshot, START } from './checkpoint-log.js';
import { createTruthDatabase, type TruthDatabase } from './truth-database.js';

const PLAYERS = 4;
const SEASON = { seasonId: 'x', startsAt: START, endsAt: START + 20 * DAY_MS };
/** The lists of all days are kept still. */
const NOW = START + 3.5 * DAY_MS;
/** Of the days of results, two are before it and two are not. */
const BEFORE = '2026-04-03';

let database: TruthDatabase;
beforeAll(async () => {
  database = await createTruthDatabase();
});
afterAll(() => database.drop());

/** As `newCheckpointRun`, with every day in its place. */
async function newRun(rule: Rule, board: Partial<Board> = {}): Promise<CheckpointRun> {
  await attachAll();
  return await newCheckpointRun(database, rule, board);
}

const result = (match: number, player: number, points: number, at = 0): Record => ({
  ...{ kind: 'result', match, player, points, at, guild: String(match % 2) },
});

/** Two days that are detached, and two that stay. */
const RESULTS = [
  ...[result(1, 0, 5, 0), result(2, 1, 7, 1), result(3, 0, 9, DAY_MS), result(4, 2, 60, DAY_MS)],
  ...[
    result(5, 0, 20, 2 * DAY_MS),
    result(6, 1, 30, 2 * DAY_MS),
    result(7, 2, 90, 3 * DAY_MS),
    result(8, 2, 80, 3 * DAY_MS),
  ],
];

const read = async ({ scope }: CheckpointRun, origin: 'rows' | 'checkpoint', below?: readonly Position[], now = NOW) =>
  (await readSnapshot(new TruthSnapshots(database.pool, () => now, origin), scope, below)).scores;

async function advance({ scope }: CheckpointRun, options: Omit<AdvanceOptions, 'now'> = {}): Promise<void> {
  const lock = await new TruthSnapshots(database.pool, () => NOW).lock(scope.name);
  await lock?.advance(scope, options).finally(() => lock.release());
}

/** As a fill reads them: what is `null` is on no list. */
async function foldEverybody(
  { scope }: CheckpointRun,
  subjects: readonly string[],
  now = NOW,
): Promise<Map<string, number>> {
  const folds = new PlayerFolds(database.pool, () => now);
  const below = await folds.positions();
  const scores = new Map<string, number>();
  for (const subject of subjects) {
    for (const { list, score } of await folds.fold(scope, subject, below)) {
      if (score !== null) scores.set(`${list.name}\n${subject}`, score);
    }
  }
  return scores;
}

async function detach({ scope }: CheckpointRun, options: Partial<DetachOptions> = {}): Promise<DayReport[]> {
  const days: DayReport[] = [];
  const given = { pool: database.pool, scopes: [scope], maxLatenessMs: -DAY_MS, before: BEFORE, isDry: false };
  for await (const day of detachDays({ ...given, now: NOW, ...options })) days.push(day);
  return days;
}

async function detachedDays(): Promise<string[]> {
  const rows = await database.ask<{ day: string }>('SELECT day::text AS day FROM detached_day ORDER BY 1');
  return rows.map(({ day }) => day);
}

/** What a person does: every detached day, or one. */
async function attachAll(days?: readonly string[]): Promise<void> {
  for (const day of days ?? (await detachedDays())) {
    const table = `match_results_${day.replaceAll('-', '')}`;
    const [there] = await database.ask<{ attached: boolean }>(
      'SELECT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = to_regclass($1)) AS attached',
      [table],
    );
    if (there?.attached === true) continue;
    await database.ask(
      `ALTER TABLE match_results ATTACH PARTITION ${table} FOR VALUES FROM ('${day}') TO (date '${day}' + 1)`,
    );
  }
  await database.ask('DELETE FROM detached_day WHERE $1::date[] IS NULL OR day = ANY ($1::date[])', [days ?? null]);
}

const entriesOf = ({ scope }: CheckpointRun) =>
  database.ask('SELECT subject_id, list, score FROM detached_entry WHERE tag = $1 ORDER BY 1, 2', [scope.name]);

const SUBJECTS = { player: ['pl-0', 'pl-1', 'pl-2', 'pl-3'], guild: ['0', '1'] };

const KINDS = (['best', 'latest', 'sum'] as const).flatMap((rule) =>
  (['player', 'guild'] as const).flatMap((subject) =>
    (['high', 'low'] as const).map((order) => ({ rule, subject, order })),
  ),
);

const recordsOf = (points: fc.Arbitrary<number>): fc.Arbitrary<Record[]> => {
  const identity = { match: fc.nat({ max: 9 }), player: fc.nat({ max: PLAYERS - 1 }) };
  const at = fc.oneof(fc.constantFrom(0, DAY_MS - 1, DAY_MS, 2 * DAY_MS), fc.nat({ max: 4 * DAY_MS - 1 }));
  const one: fc.Arbitrary<Record> = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('result' as const), ...identity, points, at }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('void' as const), ...identity }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('correct' as const), ...identity, points }) },
  );
  return fc.array(one, { minLength: 4, maxLength: 16 });
};

describe('what detached days come to', () => {
  it.each(KINDS)(
    'stands for their rows wherever rows are folded, whatever is written afterwards ($rule, $subject, $order)',
    async ({ rule, subject, order }) => {
      const records = recordsOf(fc.oneof(fc.constantFrom(0, 50, 100), fc.nat({ max: 100 })));
      await fc.assert(
        fc.asyncProperty(records, records, fc.nat({ max: 9 }), async (before, after, stepRecords) => {
          const run = await newRun(rule, { subject, keys: [{ field: 'points', order }] });
          const written = (all: readonly Record[]) => all.map((one) => ({ guild: String(one.player % 2), ...one }));
          await run.log.append(written(before));
          await advance(run);
          expect((await detach(run)).filter(({ obstacle }) => obstacle !== null)).toEqual([]);
          await run.log.append(written(after));
          const goingOn = await read(run, 'checkpoint');
          const rows = await read(run, 'rows');
          const folded = await foldEverybody(run, SUBJECTS[subject]);
          await database.ask('DELETE FROM board_checkpoint WHERE tag = $1', [run.scope.name]);
          await advance(run, { stepRecords: stepRecords + 1 });
          const anew = await read(run, 'checkpoint');
          await attachAll();
          // All rows are there again.
          const whole = await read(run, 'rows');
          expect(rows).toEqual(whole);
          expect(folded).toEqual(whole);
          expect(goingOn).toEqual(whole);
          expect(anew).toEqual(whole);
        }),
        { numRuns: 10 },
      );
    },
    60_000,
  );

  it.each(['best', 'latest', 'sum'] as const)(
    'lets a counted result of a day that is there be voided and corrected (%s)',
    async (rule) => {
      const run = await newRun(rule);
      await run.log.append(RESULTS);
      await advance(run);
      const before = await read(run, 'rows');
      expect(await detach(run)).toHaveLength(2);
      await run.log.append([
        { kind: 'void', match: 5, player: 0 },
        { kind: 'correct', match: 6, player: 1, points: 40 },
      ]);
      const scores = await read(run, 'checkpoint');
      expect(await foldEverybody(run, SUBJECTS.player)).toEqual(scores);
      const plain = await newRun(rule);
      const touched = [5, 6];
      const others = RESULTS.filter((one) => one.kind !== 'result' || !touched.includes(one.match));
      await plain.log.append([...others, result(6, 1, 40, 2 * DAY_MS)]);
      expect(scores).toEqual(await read(plain, 'rows'));
      expect(scores).not.toEqual(before);
    },
  );

  it('grows with each further day', async () => {
    const run = await newRun('sum');
    await run.log.append(RESULTS);
    await advance(run);
    const whole = await read(run, 'rows');
    await detach(run, { before: '2026-04-02' });
    expect(await read(run, 'rows')).toEqual(whole);
    await detach(run);
    expect(await detachedDays()).toEqual(['2026-04-01', '2026-04-02']);
    expect(await read(run, 'rows')).toEqual(whole);
  });

  it('has no lists that are not kept any more, and loses them with the next advance', async () => {
    const run = await newRun('best');
    await run.log.append(RESULTS);
    await advance(run);
    await detach(run);
    const later = START + 5.5 * DAY_MS;
    const days = (scores: ReadonlyMap<string, number>) =>
      new Set([...scores.keys()].flatMap((key) => /^d:[\d-]+/.exec(key) ?? []));
    expect(days(await read(run, 'rows', undefined, later))).toEqual(new Set(['d:2026-04-03', 'd:2026-04-04']));
    expect(days(await foldEverybody(run, SUBJECTS.player, later))).toEqual(new Set(['d:2026-04-03', 'd:2026-04-04']));
    const before = await entriesOf(run);
    await read(run, 'checkpoint', undefined, later);
    expect((await entriesOf(run)).length).toBeLessThan(before.length);
    const goingOn = await read(run, 'checkpoint', undefined, later);
    expect(goingOn).toEqual(await read(run, 'rows', undefined, later));
  });

  it('is not to be had below positions that some of its rows do not lie below', async () => {
    const run = await newRun('sum');
    await run.log.append(RESULTS);
    const folds = new PlayerFolds(database.pool, () => NOW);
    const below = (await folds.positions()).map((one) => ({ ...one, next: one.next - 1 }));
    await advance(run);
    await detach(run);
    const folding = folds.fold(run.scope, 'pl-0', below);
    await expect(folding).rejects.toThrow(/pl-0 .*below positions .*2026-04-01, 2026-04-02/);
    await expect(folding).rejects.toBeInstanceOf(DetachedDaysError);
    // A board catches up.
    await expect(read(run, 'rows', below)).rejects.toThrow(/must catch up/);
    await database.ask('DELETE FROM board_checkpoint WHERE tag = $1', [run.scope.name]);
    await expect(read(run, 'checkpoint', below)).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(await read(run, 'checkpoint')).toEqual(await read(run, 'rows'));
  });

  it('is refused where some of its days were attached again, and not needed where all were', async () => {
    const run = await newRun('sum');
    await run.log.append(RESULTS);
    await advance(run);
    await detach(run);
    await attachAll(['2026-04-01']);
    await run.log.append([{ kind: 'void', match: 1, player: 0 }]);
    await expect(read(run, 'checkpoint')).rejects.toThrow(/pl-0 .*2026-04-02\. Attach all/);
    await expect(read(run, 'rows')).rejects.toThrow(/Attach all/);
    await expect(foldEverybody(run, ['pl-1'])).rejects.toThrow(/Attach all/);
    await attachAll();
    const whole = await read(run, 'rows');
    expect(await read(run, 'checkpoint')).toEqual(whole);
    expect(await foldEverybody(run, SUBJECTS.player)).toEqual(whole);
    expect(await detach(run)).toHaveLength(2);
    expect(await read(run, 'rows')).toEqual(whole);
  });

  it('lets no further day go while it is not what is detached', async () => {
    const run = await newRun('sum');
    await run.log.append(RESULTS);
    await advance(run);
    await detach(run);
    await attachAll(['2026-04-01']);
    const [first] = await detach(run);
    expect(first).toMatchObject({ day: '2026-04-01', obstacle: expect.stringMatching(/2026-04-02\. Attach all/) });
    expect(await detachedDays()).toEqual(['2026-04-02']);
  });

  it('counts nothing twice where a checkpoint that starts anew is cut off and the days are attached again', async () => {
    const run = await newRun('sum');
    await run.log.append(RESULTS);
    await advance(run);
    const whole = await read(run, 'rows');
    await detach(run);
    await database.ask('DELETE FROM board_checkpoint WHERE tag = $1', [run.scope.name]);
    const dying = advance(run, {
      onStep: () => {
        throw new StoreUnavailableError('given up');
      },
    });
    await expect(dying).rejects.toThrow('given up');
    await attachAll();
    expect(await read(run, 'checkpoint')).toEqual(whole);
  });

  it('is of one definition', async () => {
    const run = await newRun('best');
    await run.log.append(RESULTS);
    await advance(run);
    await detach(run);
    const modes = [{ mode: run.scope.board.modes[0] ?? '', fields: { points: { min: 0, max: 100 } } }];
    const latest = { ...run, scope: boardSeasonOf({ ...run.scope.board, rule: 'latest' }, SEASON, modes) };
    await expect(read(latest, 'checkpoint')).rejects.toThrow(/2026-04-01, 2026-04-02/);
    await expect(foldEverybody(latest, ['pl-0'])).rejects.toBeInstanceOf(DetachedDaysError);
  });
});

describe('detaching a day', () => {
  /** What it waits for: the table before its own steps, and the readers of the table in their midst. */
  it.each(['SHARE UPDATE EXCLUSIVE', 'ACCESS SHARE'])(
    'that was cut off while others held %s is finished without counting it twice',
    async (mode) => {
      const run = await newRun('sum', { maxTotal: 10_000 });
      await run.log.append(RESULTS);
      await advance(run);
      const whole = await read(run, 'rows');
      const blocker = await beginOn(database.newPool());
      await blocker.query(`LOCK TABLE match_results IN ${mode} MODE`);
      const dying = detach(run, { before: '2026-04-02' });
      const killed = expect(dying).rejects.toBeInstanceOf(StoreUnavailableError);
      await killWhoWaits();
      await killed;
      await blocker.query('COMMIT');
      expect(await detachedDays()).toEqual(['2026-04-01']);
      const [first] = await database.ask<{ names: number }>(
        "SELECT count(*)::int AS names FROM pg_inherits WHERE inhrelid = 'match_results_20260401'::regclass",
      );
      expect(first?.names).toBe(1);
      expect(await read(run, 'rows')).toEqual(whole);
      expect(await foldEverybody(run, SUBJECTS.player)).toEqual(whole);
      const entries = await entriesOf(run);
      expect(await detach(run, { before: '2026-04-02' })).toEqual([{ day: '2026-04-01', obstacle: null }]);
      expect(await entriesOf(run)).toEqual(entries);
      expect(await read(run, 'rows')).toEqual(whole);
    },
  );

  it('leaves it where a result of it was changed while it was folded', async () => {
    const run = await newRun('sum');
    await run.log.append(RESULTS);
    await advance(run);
    const other = await beginOn(database.newPool());
    // As a writer does that looks whether the day is told of.
    await other.query('SELECT FROM detached_day');
    const detaching = detach(run, { before: '2026-04-02' });
    await waitingPids();
    await other.query(
      `WITH changed AS (UPDATE match_results SET voided_at = now() WHERE match_id = $1 RETURNING *) ${insertDirty('changed')}`,
      [run.log.matchOf(1)],
    );
    await other.query('COMMIT');
    expect(await detaching).toEqual([{ day: '2026-04-01', obstacle: expect.stringContaining('changed while') }]);
    expect(await detachedDays()).toEqual([]);
    expect(await entriesOf(run)).toEqual([]);
    expect(await read(run, 'checkpoint')).toEqual(await read(run, 'rows'));
  });

  it('waits for a fold whose snapshot does not tell of the day yet', async () => {
    const run = await newRun('sum');
    await run.log.append(RESULTS);
    await advance(run);
    const whole = await foldEverybody(run, ['pl-0']);
    const below = await new PlayerFolds(database.pool).positions();
    const other = await beginOn(database.newPool());
    await other.query('SELECT FROM detached_day');
    const detaching = detach(run, { before: '2026-04-02' });
    await waitingPids();
    const { pool, beforeRows } = await observedPool();
    beforeRows(async () => void (await Promise.race([waitingPids(), detaching])));
    const folding = new PlayerFolds(pool, () => NOW).fold(run.scope, 'pl-0', below);
    // Its snapshot is taken, and the day is told of only behind that.
    await vi.waitFor(async () => {
      const waiting = "SELECT FROM pg_locks WHERE relation = 'detached_day'::regclass AND NOT granted";
      expect(await database.ask(waiting)).toHaveLength(2);
    });
    await other.query('COMMIT');
    expect(new Map((await folding).map(({ list, score }) => [`${list.name}\npl-0`, score]))).toEqual(whole);
    expect(await detaching).toHaveLength(1);
  });
});

/** Of one connection, whose looks into rows wait for what is given. */
async function observedPool() {
  const pool = database.newPool({ maxConnections: 1 });
  const client = await pool.connect();
  const query = client.query.bind(client) as (...call: unknown[]) => Promise<unknown>;
  let before: () => Promise<void> = async () => undefined;
  vi.spyOn(client, 'query').mockImplementation((async (...call: unknown[]) => {
    if (String(call[0]).includes('FROM match_results')) await before();
    return await query(...call);
  }) as never);
  client.release();
  const beforeRows = (wait: () => Promise<void>): void => {
    before = wait;
  };
  return { pool, beforeRows };
}

async function beginOn(pool: ReturnType<TruthDatabase['newPool']>): Promise<PoolClient> {
  const client = await pool.connect();
  // Also where an expectation fails: an open transaction would keep the schema from being dropped.
  onTestFinished(() => void client.release(true));
  await client.query('BEGIN');
  return client;
}

/** Of this schema's connections that wait for a lock, as soon as there is one. */
async function waitingPids(): Promise<number[]> {
  return await vi.waitFor(
    async () => {
      const rows = await database.ask<{ pid: number }>(
        `SELECT DISTINCT waiting.pid FROM pg_locks waiting JOIN pg_locks held USING (pid)
          WHERE NOT waiting.granted AND held.locktype = 'advisory' AND held.granted AND waiting.locktype <> 'advisory'
            AND (held.classid::bigint << 32 | held.objid::bigint) IN
                (SELECT hashtextextended('rankcast:fill:' || current_schema() || ':' || tag, 0) FROM board_checkpoint)`,
      );
      expect(rows.length).toBeGreaterThan(0);
      return rows.map(({ pid }) => pid);
    },
    { timeout: 5_000, interval: 20 },
  );
}

async function killWhoWaits(): Promise<void> {
  for (const pid of await waitingPids()) await database.ask('SELECT pg_terminate_backend($1)', [pid]);
}
