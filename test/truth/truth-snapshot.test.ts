import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Board } from '../../src/domain/board.js';
import type { BoardSeason } from '../../src/domain/board-season.js';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import type { FillEntry } from '../../src/domain/fill-entry.js';
import type { Position } from '../../src/domain/log-record.js';
import { packScore } from '../../src/domain/packed-score.js';
import { mergeScores, scoreMerge } from '../../src/domain/rules.js';
import type { Season } from '../../src/domain/season.js';
import type { TagLock, TruthSource } from '../../src/rebuild/truth-source.js';
import { MatchResultsPostgres } from '../../src/truth/match-results-postgres.js';
import { TruthSnapshots } from '../../src/truth/truth-snapshot.js';
import { boardSeasonOf } from '../support/definitions.js';
import { createTruthDatabase, NO_SEASONS, type TruthDatabase } from './truth-database.js';

const DAY_MS = 86_400_000;
const START = Date.parse('2026-04-01T00:00:00Z');
const SOURCE = 'kafka:match-results';

let database: TruthDatabase;
let store: MatchResultsPostgres;
let snapshots: TruthSource;
let nextOffset = 0;
beforeAll(async () => {
  database = await createTruthDatabase();
  store = new MatchResultsPostgres({ pool: database.pool, maxLatenessMs: 7 * DAY_MS, calendar: NO_SEASONS });
  snapshots = new TruthSnapshots(database.pool, () => START);
});
afterAll(() => database.drop());

/** Each test has a mode of its own. */
function scopeOf(season: Season, mode: string, more: Partial<Board> = {}): BoardSeason {
  const fields = { points: { min: 0, max: 1_000 } };
  return boardSeasonOf({ modes: [mode], ...more }, season, [{ mode, fields }]);
}

const SEASON: Season = { seasonId: 'x', startsAt: START, endsAt: START + 90 * DAY_MS };

interface Played {
  readonly playerId: string;
  readonly points: number;
  readonly achievedAt: number;
  readonly mode: string;
  readonly scopes?: Readonly<Record<string, string>>;
}

async function write(played: readonly Played[]): Promise<void> {
  const from = nextOffset;
  nextOffset += played.length;
  const rows = played.map(({ playerId, points, achievedAt, mode, scopes = {} }, index) => {
    const offset = from + index;
    const result = { matchId: `m${offset}`, playerId, mode, fields: { points }, achievedAt, scopes, seasonId: 'x' };
    return { result, offset, brokerAt: achievedAt };
  });
  await store.write([{ source: SOURCE, partition: 0, from, to: nextOffset, rows }]);
}

async function lockOf(tagName: string, source = snapshots): Promise<TagLock> {
  const lock = await source.lock(tagName);
  if (lock === null) throw new Error('the lock is taken');
  return lock;
}

async function readEntries(scope: BoardSeason, below?: readonly Position[], chunkSize = 1_000): Promise<FillEntry[]> {
  const lock = await lockOf(scope.name);
  const entries: FillEntry[] = [];
  try {
    const snapshot = await lock.snapshot(scope, below);
    for await (const chunk of snapshot.chunks(chunkSize)) {
      expect(chunk.length).toBeLessThanOrEqual(chunkSize);
      entries.push(...chunk);
    }
  } finally {
    await lock.release();
  }
  return entries;
}

const scoresOf = (entries: readonly FillEntry[]) => new Map(entries.map(({ playerId, score }) => [playerId, score]));

describe('a snapshot of truth', () => {
  it.each(['best', 'latest', 'sum'] as const)(
    'holds the fold of every player by the rule, in chunks (%s)',
    async (rule) => {
      const mode = `chunks-${rule}`;
      const scope = scopeOf(SEASON, mode, { rule, maxTotal: rule === 'sum' ? 10_000 : null });
      const players = ['pl-1', 'pl-2', 'Ａ', '😀', 'a,"b"'];
      const first = players.map((playerId, index) => ({ playerId, points: 10 + index, achievedAt: START, mode }));
      const second = players.map((playerId) => ({ playerId, points: 7, achievedAt: START + 5_000, mode }));
      await write([...first, ...second]);
      const merge = scoreMerge(rule, scope.layout);
      const expected = new Map(
        players.map((playerId, index) => {
          const [a, b] = [first[index]?.points ?? 0, 7];
          const scores = [
            packScore(scope.layout, { points: a }, START),
            packScore(scope.layout, { points: b }, START + 5_000),
          ];
          return [playerId, scores.reduce((current, score) => mergeScores(merge, current, score))];
        }),
      );
      expect(scoresOf(await readEntries(scope, undefined, 3))).toEqual(expected);
    },
  );

  it("takes only the board's modes and the season's window", async () => {
    const season = { seasonId: 'w', startsAt: START + DAY_MS, endsAt: START + 2 * DAY_MS };
    const mode = 'window';
    await write([
      { playerId: 'before', points: 1, achievedAt: season.startsAt - 1, mode },
      { playerId: 'first', points: 1, achievedAt: season.startsAt, mode },
      { playerId: 'last', points: 1, achievedAt: season.endsAt - 1, mode },
      { playerId: 'after', points: 1, achievedAt: season.endsAt, mode },
      { playerId: 'other-mode', points: 1, achievedAt: season.startsAt, mode: 'duel' },
    ]);
    const scores = scoresOf(await readEntries(scopeOf(season, mode)));
    expect([...scores.keys()].sort()).toEqual(['first', 'last']);
  });

  it('shows positions, hidden players and rows of one moment, whatever is written meanwhile', async () => {
    const mode = 'moment';
    const scope = scopeOf(SEASON, mode);
    const hide = async (playerId: string) => {
      const hides = [{ playerId, isHidden: true, offset: nextOffset, brokerAt: START }];
      const from = nextOffset++;
      await store.write([{ source: SOURCE, partition: 0, from, to: nextOffset, rows: [], hides }]);
    };
    await write([{ playerId: 'pl-1', points: 1, achievedAt: START, mode }]);
    await hide('hidden-before');
    const before = nextOffset;
    const lock = await lockOf(scope.name);
    const snapshot = await lock.snapshot(scope);
    await write([{ playerId: 'pl-2', points: 2, achievedAt: START, mode }]);
    await hide('hidden-after');
    expect(snapshot.positions).toEqual([{ source: SOURCE, partition: 0, next: before }]);
    expect(snapshot.hidden).toEqual(['hidden-before']);
    const players: string[] = [];
    for await (const chunk of snapshot.chunks(1_000)) players.push(...chunk.map(({ playerId }) => playerId));
    expect(players).toEqual(['pl-1']);
    await snapshot.close();
    expect(await lock.positions()).toEqual([{ source: SOURCE, partition: 0, next: nextOffset }]);
    await lock.release();
  });

  it('leaves out rows at and above the positions that it is asked for, and refuses what is not there yet', async () => {
    const mode = 'below';
    const scope = scopeOf(SEASON, mode);
    const from = nextOffset;
    const players = ['pl-1', 'pl-2', 'pl-3'];
    await write(players.map((playerId) => ({ playerId, points: 1, achievedAt: START, mode })));
    const below = (next: number): Position[] => [{ source: SOURCE, partition: 0, next }];
    expect([...scoresOf(await readEntries(scope, below(from + 2))).keys()].sort()).toEqual(['pl-1', 'pl-2']);
    expect(await readEntries(scope, [])).toEqual([]);
    await expect(readEntries(scope, below(nextOffset + 1))).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(await readEntries(scope)).toHaveLength(3);
  });

  it('names lists until when they are kept, and leaves out those that are not any more', async () => {
    const mode = 'kept';
    const scope = scopeOf(SEASON, mode, { periods: ['day'], scopes: ['guild'] });
    const at = [START, START + 5 * DAY_MS];
    await write(at.map((achievedAt) => ({ playerId: 'pl-1', points: 1, achievedAt, mode, scopes: { guild: '7' } })));
    const read = async (now: number) => {
      snapshots = new TruthSnapshots(database.pool, () => now);
      const entries = await readEntries(scope);
      return Object.fromEntries(entries.map(({ list }) => [list.name, list.keptUntil]));
    };
    const season = { s: null, 's:guild:7': null };
    const second = { 'd:2026-04-06': START + 9 * DAY_MS, 'd:2026-04-06:guild:7': START + 9 * DAY_MS };
    const first = { 'd:2026-04-01': START + 4 * DAY_MS, 'd:2026-04-01:guild:7': START + 4 * DAY_MS };
    expect(await read(START + 4 * DAY_MS - 1)).toEqual({ ...season, ...first, ...second });
    expect(await read(START + 4 * DAY_MS)).toEqual({ ...season, ...second });
    expect(await read(START + 9 * DAY_MS)).toEqual(season);
  });
});

describe('the lock of a tag', () => {
  it('is one at a time, until it is released, also with a snapshot open', async () => {
    const other = new TruthSnapshots(database.newPool());
    const held = await lockOf('arena:slock');
    await held.snapshot(scopeOf(SEASON, 'lock'));
    expect(await other.lock('arena:slock')).toBeNull();
    const elsewhere = await lockOf('duel:slock', other);
    await held.release();
    await held.release();
    const next = await lockOf('arena:slock', other);
    await Promise.all([elsewhere.release(), next.release()]);
  });

  it('ends with its connection, and its holder is told', async () => {
    const held = await lockOf('arena:slost');
    await held.snapshot(scopeOf(SEASON, 'lost'));
    await database.ask(
      `SELECT pg_terminate_backend(pid) FROM pg_locks
        WHERE locktype = 'advisory' AND pid <> pg_backend_pid() AND (classid::bigint << 32 | objid::bigint)
              = hashtextextended('rankcast:fill:' || current_schema() || ':arena:slost', 0)`,
    );
    const other = new TruthSnapshots(database.newPool());
    await vi.waitFor(async () => (await lockOf('arena:slost', other)).release());
    await held.release();
    await expect(lockOf('arena:slost').then((lock) => lock.release())).resolves.toBeUndefined();
  });

  it('gives back a clean connection where it is released while a snapshot begins', async () => {
    const pool = database.newPool({ maxConnections: 1 });
    const scope = scopeOf(SEASON, 'begun');
    const lock = await lockOf(scope.name, new TruthSnapshots(pool, () => START));
    const refused = expect(lock.snapshot(scope)).rejects.toThrow('given up');
    await lock.release();
    expect((await pool.query('SHOW transaction_isolation')).rows).toEqual([
      { transaction_isolation: 'read committed' },
    ]);
    await refused;
  });

  it('gives its connection back where an advance ends before the answer to its cancelling comes', async () => {
    const pool = database.newPool();
    const scope = scopeOf(SEASON, 'cancelled');
    const blocker = await database.newPool().connect();
    await blocker.query('BEGIN; LOCK TABLE board_checkpoint');
    const lock = await lockOf(scope.name, new TruthSnapshots(pool, () => START, 'checkpoint'));
    const ended = expect(lock.snapshot(scope)).rejects.toBeInstanceOf(StoreUnavailableError);
    const cancel = pool.query.bind(pool) as (...query: unknown[]) => Promise<unknown>;
    const answeringLate = async (...query: unknown[]): Promise<unknown> => {
      const answer = await cancel(...query);
      await ended;
      return answer;
    };
    Object.assign(pool, { query: answeringLate });
    await lock.release();
    expect(pool.idleCount).toBe(pool.totalCount);
    await blocker.query('ROLLBACK');
    blocker.release();
  });

  it('does not wait for a fold that was given up', async () => {
    const mode = 'given-up';
    const scope = scopeOf(SEASON, mode);
    await write([{ playerId: 'pl-1', points: 1, achievedAt: START, mode }]);
    const blocker = await database.newPool().connect();
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE match_results IN ACCESS EXCLUSIVE MODE');
    const lock = await lockOf(scope.name);
    const snapshot = await lock.snapshot(scope);
    const reading = snapshot.chunks(10)[Symbol.asyncIterator]().next();
    const refused = expect(reading).rejects.toBeInstanceOf(StoreUnavailableError);
    // The fold waits for the table: only being cancelled ends it, and gives the lock back, while that is locked.
    await lock.release();
    await refused;
    await (await lockOf(scope.name)).release();
    await blocker.query('ROLLBACK');
    blocker.release();
  });
});
