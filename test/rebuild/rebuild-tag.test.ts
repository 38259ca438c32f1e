/** Rebuilds with the real stores, while results keep coming: what is read is right before, during and after, whatever is killed. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BoardSeason } from '../../src/domain/board-season.js';
import { standingOf } from '../../src/domain/tag-standing.js';
import { RankingKeys } from '../../src/ranking/keys.js';
import type { Ranking } from '../../src/ranking/ranking.js';
import { RedisRanking } from '../../src/ranking/redis-ranking.js';
import type { FillProgress } from '../../src/rebuild/fill-progress.js';
import { type RebuildTagOptions, rebuildTag } from '../../src/rebuild/rebuild-tag.js';
import { MarkSettler } from '../../src/rebuild/settle-marks.js';
import type { TagLock, TruthSource } from '../../src/rebuild/truth-source.js';
import { MatchResultsPostgres } from '../../src/truth/match-results-postgres.js';
import { PlayerFolds } from '../../src/truth/player-folds.js';
import { type SnapshotOrigin, TruthSnapshots } from '../../src/truth/truth-snapshot.js';
import { boardSeasonOf } from '../support/definitions.js';
import { type TestRedis, testRedis } from '../support/isolation.js';
import { createTruthDatabase, NO_SEASONS, silent, type TruthDatabase } from '../truth/truth-database.js';
import { type Boards, History, readBoards, SOURCE } from './history.js';

const DAY_MS = 86_400_000;
/** No multiple of 7, or the history would bring back few of them. */
const PLAYERS = 699;
/** Far less than there are entries. */
const CHUNK = 400;
const LISTS = { periods: ['day', 'week'], scopes: ['guild'] } as const;
const RULES = {
  best: { rule: 'best' },
  latest: { rule: 'latest' },
  sum: { rule: 'sum', maxTotal: 2_000_000 },
} as const;
const scopeOf = (rule: keyof typeof RULES): BoardSeason => boardSeasonOf({ ...RULES[rule], ...LISTS });

let database: TruthDatabase;
let redis: TestRedis;
let ranking: RedisRanking;
let history: History;
let told: FillProgress[];
/** What rebuilds read. */
let origin: SnapshotOrigin = 'rows';
beforeEach(async () => {
  origin = 'rows';
  database = await createTruthDatabase();
  redis = await testRedis();
  ranking = new RedisRanking({ url: redis.url, prefix: redis.keyPrefix.slice(0, -1), logger: silent });
  // Some twenty minutes of one hour ago: what is remembered for rule sum, and may lie across midnight.
  history = new History(Date.now() - 3_600_000, PLAYERS);
  told = [];
});
afterEach(async () => {
  await ranking.close();
  await redis.drop();
  await database.drop();
});

/** What the options are but for hooks. */
function rebuild(scope: BoardSeason, options: Partial<RebuildTagOptions> = {}): Promise<{ readonly entries: number }> {
  const truth = new TruthSnapshots(database.pool, Date.now, origin);
  const report = (progress: FillProgress): void => void told.push(progress);
  return rebuildTag(scope, { target: ranking, truth, report, maxFillChunk: CHUNK, ...options });
}

/** A board of the first 1,500 results that is days old, so that rule sum remembers what was achieved lately. */
async function start(scope: BoardSeason): Promise<void> {
  await history.store(database, 0, 1_500);
  await rebuild(scope);
  await redis.client.hincrby(new RankingKeys(redis.keyPrefix.slice(0, -1)).meta(scope.tag), 'birth', -3 * DAY_MS);
  history.goLive(1_500);
  told = [];
}

function read(scope: BoardSeason): Promise<Boards | null> {
  return readBoards(ranking, scope, Object.keys(history.boards(scope, 1_500)));
}

/** What is read is every result so far, each once. */
async function expectRight(scope: BoardSeason): Promise<void> {
  expect(await read(scope)).toEqual(history.boards(scope, history.live));
}

async function settleAll(scope: BoardSeason): Promise<void> {
  const truth = new PlayerFolds(database.pool);
  const settler = new MarkSettler({ ranking, truth, scopes: () => [scope], logger: silent });
  await settler.settleAll();
  expect(await ranking.marks(scope.tag)).toEqual([]);
}

/** Generations of the tag that have lists. */
async function generations(): Promise<Set<string>> {
  const keys = await redis.client.keys(`${redis.keyPrefix}*`);
  return new Set(keys.flatMap((key) => /\}:(\d+):/.exec(key)?.[1] ?? []));
}

type Steps = Partial<Pick<Ranking, 'begin' | 'load' | 'finish' | 'abandon' | 'sweep'>>;

function targetWith(steps: Steps): RebuildTagOptions['target'] {
  return {
    state: (...call) => ranking.state(...call),
    begin: (...call) => ranking.begin(...call),
    load: (...call) => ranking.load(...call),
    finish: (...call) => ranking.finish(...call),
    abandon: (...call) => ranking.abandon(...call),
    sweep: (...call) => ranking.sweep(...call),
    ...steps,
  };
}

/** Truth that is asked how far it is only after `look`. */
function truthAfter(look: () => Promise<unknown>): TruthSource {
  const truth = new TruthSnapshots(database.pool, Date.now, origin);
  return {
    lock: async (name) => {
      const lock: TagLock | null = await truth.lock(name);
      return (
        lock && {
          positions: async () => {
            await look();
            return await lock.positions();
          },
          snapshot: (...call) => lock.snapshot(...call),
          release: () => lock.release(),
        }
      );
    },
  };
}

const CASES = (['best', 'latest', 'sum'] as const).flatMap((rule) =>
  (['rows', 'checkpoint'] as const).map((from) => ({ rule, from })),
);

describe.each(CASES)('a rebuild from $from under rule $rule', ({ rule, from }) => {
  beforeEach(() => {
    origin = from;
  });

  it('counts what comes at each of its steps once, and is not seen before its end', async () => {
    const scope = scopeOf(rule);
    await start(scope);
    const before = await ranking.state(scope.tag);
    await history.play(ranking, scope, 100);
    await history.store(database, 1_500, 1_550);
    /** The consumer goes on, and what is read is as if nobody rebuilt. */
    const goOn = async (): Promise<void> => {
      expect(await history.play(ranking, scope, 20)).toBe('done');
      await expectRight(scope);
      expect((await ranking.state(scope.tag))?.epoch).toBe(before?.epoch);
    };
    let looks = 0;
    const truth = truthAfter(async () => {
      await goOn();
      looks += 1;
      // Beyond where the fill began: those are to come from the log alone.
      if (looks === 2) await history.store(database, 1_550, 1_620);
    });
    const target = targetWith({
      load: async (...call) => {
        await goOn();
        return await ranking.load(...call);
      },
      finish: async (...call) => {
        await goOn();
        return await ranking.finish(...call);
      },
    });
    await rebuild(scope, { truth, target });
    await expectRight(scope);
    expect((await ranking.state(scope.tag))?.epoch).not.toBe(before?.epoch);
    await history.play(ranking, scope, 50);
    await expectRight(scope);
    expect(told).toContainEqual({ phase: 'waiting', behind: 50 });
    expect(await generations()).toHaveProperty('size', 1);
  });

  it('leaves out whom his mark brought in whole meanwhile', async () => {
    const scope = scopeOf(rule);
    await start(scope);
    const settleDuring = async (): Promise<void> => {
      const marked = [0, 1, 2].map((n) => ({ playerId: `pl-${n}`, lists: [] }));
      expect(await ranking.mark(scope.tag, scope.definition.hash, marked)).toBe('marked');
      await settleAll(scope);
    };
    const target = targetWith({
      load: async (...call) => {
        if (call[2] === 0) await settleDuring();
        return await ranking.load(...call);
      },
    });
    await rebuild(scope, { target });
    await expectRight(scope);
  });

  it('makes a board that is missing', async () => {
    const scope = scopeOf(rule);
    await history.store(database, 0, 1_500);
    history.goLive(1_500);
    const target = targetWith({
      load: async (...call) => {
        await history.play(ranking, scope, 20);
        return await ranking.load(...call);
      },
    });
    await rebuild(scope, { target });
    // A board that was just born may have forgotten copies: under rule sum it asks truth.
    await history.store(database, 1_500, history.live);
    await settleAll(scope);
    await expectRight(scope);
  });
});

/** Where a process dies: from then on nothing that it does arrives. */
const DEATHS = ['begin', 'wait for truth', 'chunk', 'finish', 'sweep'] as const;

const KILLED = DEATHS.flatMap((death) => (['rows', 'checkpoint'] as const).map((from) => ({ death, from })));

describe.each(KILLED)('a rebuild from $from that is killed at its step "$death"', ({ death, from }) => {
  beforeEach(() => {
    origin = from;
  });

  it('leaves what is read as it is, and the next one ends right', async () => {
    const scope = scopeOf('sum');
    await start(scope);
    const before = await ranking.state(scope.tag);
    await history.play(ranking, scope, 50);
    let isDead = false;
    const dyingAt = <Call extends readonly unknown[], Answer>(
      step: (typeof DEATHS)[number] | null,
      work: (...call: Call) => Promise<Answer>,
    ) => {
      return async (...call: Call): Promise<Answer> => {
        // The call of a begin arrives, and its answer finds nobody.
        if (step === 'begin' && step === death) await work(...call);
        if (step === death) isDead = true;
        if (isDead) throw new Error('killed');
        return await work(...call);
      };
    };
    const target = targetWith({
      begin: dyingAt('begin', (...call) => ranking.begin(...call)),
      load: async (tag, jobId, index, entries) => {
        const load = dyingAt(index === 1 ? 'chunk' : null, () => ranking.load(tag, jobId, index, entries));
        return await load();
      },
      finish: dyingAt('finish', (...call) => ranking.finish(...call)),
      abandon: dyingAt(null, (...call) => ranking.abandon(...call)),
      sweep: dyingAt('sweep', (...call) => ranking.sweep(...call)),
    });
    const truth = truthAfter(dyingAt('wait for truth', () => history.store(database, 1_500, 1_550)));
    await expect(rebuild(scope, { target, truth })).rejects.toThrow('killed');

    const isShown = death === 'sweep';
    expect((await ranking.state(scope.tag))?.epoch === before?.epoch).toBe(!isShown);
    await expectRight(scope);
    await history.play(ranking, scope, 50);
    await expectRight(scope);

    await history.store(database, 1_500, history.live);
    await rebuild(scope);
    await expectRight(scope);
    await history.play(ranking, scope, 50);
    await expectRight(scope);
    expect(await generations()).toHaveProperty('size', 1);
  });
});

describe('a rebuild under another definition', () => {
  it('shows the old board until the new one is whole, and takes results for the new one alone', async () => {
    const [old, changed] = [scopeOf('best'), boardSeasonOf({ rule: 'latest', scopes: ['guild'] })];
    await start(old);
    const target = targetWith({
      load: async (...call) => {
        expect(await ranking.submit(old.tag, old.definition.hash, history.batch(old, 1_500, 1_501))).toEqual({
          kind: 'other-definition',
        });
        expect(await history.play(ranking, changed, 20)).toBe('done');
        expect(await read(old)).toEqual(history.boards(old, 1_500));
        expect(await read(changed)).toBeNull();
        return await ranking.load(...call);
      },
    });
    await rebuild(changed, { target });
    await expectRight(changed);
    expect(await read(old)).toBeNull();
    expect(await generations()).toHaveProperty('size', 1);
  });

  it('ranks nobody who is hidden', async () => {
    const [old, changed] = [scopeOf('best'), scopeOf('latest')];
    await start(old);
    const results = new MatchResultsPostgres({ pool: database.pool, maxLatenessMs: DAY_MS, calendar: NO_SEASONS });
    const hides = [{ playerId: 'pl-7', isHidden: true, offset: 1_500, brokerAt: Date.now() }];
    const batch = { source: SOURCE, partition: 0, from: 1_500, to: 1_501, rows: [], hides };
    await results.write([batch], async () => {});
    await rebuild(changed);
    const seen = await read(changed);
    expect(Object.keys(seen?.['s'] ?? {})).toHaveLength(PLAYERS - 1);
    expect(seen?.['s']).not.toHaveProperty('pl-7');
  });

  it('that was given up leaves a board that can be rebuilt under its own again', async () => {
    const [old, changed] = [scopeOf('sum'), scopeOf('best')];
    await start(old);
    await history.play(ranking, old, 50);
    const target = targetWith({ load: () => Promise.reject(new Error('out of memory')) });
    await expect(rebuild(changed, { target })).rejects.toThrow('out of memory');
    await expectRight(old);
    await history.store(database, 1_500, 1_550);
    await rebuild(old);
    await expectRight(old);
  });
});

describe.each(['rows', 'checkpoint'] as const)(
  'a rebuild from %s of a board below what the log still holds',
  (from) => {
    const STANDSTILL = { standstillMs: 500 };
    beforeEach(() => {
      origin = from;
    });

    it('begins anew where truth is, and takes results from there on', async () => {
      const scope = scopeOf('sum');
      await start(scope);
      // Truth had them in time, and the log begins behind them now.
      await history.store(database, 1_500, 1_600);
      await rebuild(scope, STANDSTILL);
      history.goLive(1_600);
      await expectRight(scope);
      expect(await history.play(ranking, scope, 20)).toBe('done');
      await history.store(database, 1_600, 1_620);
      await settleAll(scope);
      await expectRight(scope);
    });

    it('leaves the board to servers of its definition where it fails on the way', async () => {
      const scope = scopeOf('sum');
      await start(scope);
      await history.store(database, 1_500, 1_600);
      const before = await read(scope);
      const target = targetWith({ load: () => Promise.reject(new Error('out of memory')) });
      await expect(rebuild(scope, { ...STANDSTILL, target })).rejects.toThrow('out of memory');
      expect(await read(scope)).toEqual(before);
      expect(standingOf(scope.definition.hash, await ranking.state(scope.tag))).toBe('left-behind');
    });
  },
);

describe('a rebuild from a checkpoint', () => {
  beforeEach(() => {
    origin = 'checkpoint';
  });

  it('waits for a board that is behind the checkpoint, which would count twice what comes', async () => {
    const scope = scopeOf('sum');
    await start(scope);
    await history.store(database, 1_500, 1_600);
    const before = await ranking.state(scope.tag);
    let isWaiting = false;
    const report = (progress: FillProgress): void => {
      told.push(progress);
      isWaiting ||= progress.phase === 'catching-up';
    };
    const rebuilding = rebuild(scope, { report });
    await vi.waitFor(() => expect(isWaiting).toBe(true), { timeout: 10_000 });
    expect(told).toContainEqual({ phase: 'catching-up', behind: 100 });
    expect((await ranking.state(scope.tag))?.epoch).toBe(before?.epoch);
    await history.play(ranking, scope, 100);
    await rebuilding;
    await expectRight(scope);
    expect((await ranking.state(scope.tag))?.epoch).not.toBe(before?.epoch);
  });

  it('reads the results of a season once, however often it is made', async () => {
    const scope = scopeOf('sum');
    await start(scope);
    const results = new MatchResultsPostgres({ pool: database.pool, maxLatenessMs: DAY_MS, calendar: NO_SEASONS });
    // Rows that were counted are looked at no more: without them the next board is the same.
    expect(await results.positions(SOURCE, [0])).toEqual(new Map([[0, 1_500]]));
    await database.ask('DELETE FROM match_results');
    await rebuild(scope);
    await expectRight(scope);
  });
});

describe('an abort', () => {
  const ABORTED = new Error('stopped by hand');

  it.each(['waiting', 'loading'] as const)('while %s gives the fill up and leaves nothing of it', async (phase) => {
    const scope = scopeOf('best');
    await start(scope);
    const before = await ranking.state(scope.tag);
    if (phase === 'waiting') await history.play(ranking, scope, 50);
    const abort = new AbortController();
    const report = (progress: FillProgress): void => {
      const hasBegun = progress.phase === 'waiting' || (progress.phase === 'loading' && progress.entries > 0);
      if (progress.phase === phase && hasBegun) abort.abort(ABORTED);
    };
    await expect(rebuild(scope, { report, signal: abort.signal })).rejects.toBe(ABORTED);
    expect((await ranking.state(scope.tag))?.epoch).toBe(before?.epoch);
    expect(await generations()).toHaveProperty('size', 1);
    await history.play(ranking, scope, 50);
    await expectRight(scope);
    expect(await generations()).toHaveProperty('size', 1);
  });

  it('ends the wait for another process', async () => {
    const scope = scopeOf('best');
    const lock = await new TruthSnapshots(database.newPool()).lock(scope.name);
    const abort = new AbortController();
    const rebuilding = rebuild(scope, { signal: abort.signal });
    await vi.waitFor(() => expect(told).toContainEqual({ phase: 'queued' }));
    abort.abort(ABORTED);
    await expect(rebuilding).rejects.toBe(ABORTED);
    await lock?.release();
  });
});

it('two rebuilds of one board take turns', async () => {
  const scope = scopeOf('sum');
  await start(scope);
  const entries = Object.values(history.boards(scope, 1_500)).reduce((n, list) => n + Object.keys(list).length, 0);
  const truth = new TruthSnapshots(database.newPool());
  expect(await Promise.all([rebuild(scope), rebuild(scope, { truth })])).toEqual([{ entries }, { entries }]);
  expect(told).toContainEqual({ phase: 'queued' });
  await expectRight(scope);
});
