/** Reconciles with the real stores: whatever is wrong by hand is found and repaired, and nothing else is touched. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BoardSeason, listRef } from '../../src/domain/board-season.js';
import type { Change } from '../../src/domain/change.js';
import { packScore } from '../../src/domain/packed-score.js';
import { RankingKeys } from '../../src/ranking/keys.js';
import { RedisRanking } from '../../src/ranking/redis-ranking.js';
import { fillTag } from '../../src/rebuild/fill-tag.js';
import { repairMarked } from '../../src/rebuild/reconcile-repair.js';
import type { ListRow, ReconciledRanking, ReconciledTruth } from '../../src/rebuild/reconcile-stores.js';
import { type Reconciled, reconcileTag } from '../../src/rebuild/reconcile-tag.js';
import { readHidden } from '../../src/truth/hidden-players.js';
import { MatchResultsPostgres } from '../../src/truth/match-results-postgres.js';
import { PlayerFolds } from '../../src/truth/player-folds.js';
import { TruthSnapshots } from '../../src/truth/truth-snapshot.js';
import { boardSeasonOf } from '../support/definitions.js';
import { type TestRedis, testRedis } from '../support/isolation.js';
import { until } from '../support/until.js';
import { createTruthDatabase, NO_SEASONS, silent, type TruthDatabase } from '../truth/truth-database.js';
import { History, readBoards, SOURCE } from './history.js';

const DAY_MS = 86_400_000;
const PLAYERS = 699;
const RESULTS = 1_500;
const LISTS = { periods: ['day', 'week'], scopes: ['guild'] } as const;
const BEST = boardSeasonOf({ rule: 'best', ...LISTS });
const SUM = boardSeasonOf({ rule: 'sum', maxTotal: 2_000_000, ...LISTS });
const GUILDS = boardSeasonOf({ rule: 'sum', maxTotal: 2_000_000, subject: 'guild', periods: ['day'] });

let database: TruthDatabase;
let redis: TestRedis;
let ranking: RedisRanking;
let keys: RankingKeys;
let history: History;
let truth: ReconciledTruth;
/** How many players were folded. */
let folded: number;
beforeEach(async () => {
  database = await createTruthDatabase();
  redis = await testRedis();
  const prefix = redis.keyPrefix.slice(0, -1);
  keys = new RankingKeys(prefix);
  ranking = new RedisRanking({ url: redis.url, prefix, logger: silent });
  history = new History(Date.now() - 3_600_000, PLAYERS);
  const folds = new PlayerFolds(database.pool);
  folded = 0;
  truth = {
    positions: () => folds.positions(),
    fold: async (...call) => {
      folded += 1;
      return await folds.fold(...call);
    },
    hidden: (scope) => readHidden(database.pool, scope),
  };
});
afterEach(async () => {
  await ranking.close();
  await redis.drop();
  await database.drop();
});

/** A board that is days old, so that rule sum remembers what was achieved lately. */
async function fill(scope: BoardSeason): Promise<void> {
  const snapshots = new TruthSnapshots(database.pool);
  await fillTag(scope, { target: ranking, truth: snapshots, logger: silent, maxFillChunk: 1_000 });
  await redis.client.hincrby(keys.meta(scope.tag), 'birth', -3 * DAY_MS);
}

async function start(scope: BoardSeason): Promise<void> {
  await history.store(database, 0, RESULTS);
  await fill(scope);
  history.goLive(RESULTS);
}

async function reconcile(scope: BoardSeason, seen: ReconciledRanking = ranking): Promise<Reconciled | null> {
  const lock = await new TruthSnapshots(database.pool).lock(scope.name);
  if (lock === null) throw new Error('the tag is locked');
  return await reconcileTag(lock, scope, { ranking: seen, truth }).finally(() => lock.release());
}

async function repair(scope: BoardSeason): Promise<void> {
  await repairMarked(scope, { ranking, truth, logger: silent });
  expect(await ranking.marks(scope.tag)).toEqual([]);
}

async function keyOf({ tag }: BoardSeason, list: string): Promise<string> {
  return keys.list(tag, Number(await redis.client.hget(keys.meta(tag), 'generation')), list);
}

/** Writes a row past the scripts, and no change tells of it; `null` takes it away. */
async function tamper(scope: BoardSeason, { list, playerId }: ListRow, score: number | null): Promise<void> {
  const key = await keyOf(scope, list);
  if (score === null) await redis.client.zrem(key, playerId);
  else await redis.client.zadd(key, score, playerId);
}

async function register({ tag }: BoardSeason, list: string): Promise<void> {
  const generation = Number(await redis.client.hget(keys.meta(tag), 'generation'));
  await redis.client.zadd(keys.registry(tag, generation), '+inf', list);
}

async function hide(playerId: string): Promise<void> {
  const results = new MatchResultsPostgres({ pool: database.pool, maxLatenessMs: DAY_MS, calendar: NO_SEASONS });
  const hides = [{ playerId, isHidden: true, offset: 0, brokerAt: Date.now() }];
  await results.write([{ source: SOURCE, partition: 1, from: 0, to: 1, rows: [], hides }], async () => {});
}

function rowsOf(scope: BoardSeason, total: number): number {
  return Object.values(history.boards(scope, total)).reduce((n, rows) => n + Object.keys(rows).length, 0);
}

async function expectRight(scope: BoardSeason, total = RESULTS): Promise<void> {
  const boards = history.boards(scope, total);
  expect(await readBoards(ranking, scope, Object.keys(boards))).toEqual(boards);
}

/** All changes since a seq, as its listeners are told. */
async function changesSince(scope: BoardSeason, seq: number, count: number): Promise<readonly Change[]> {
  const changes: Change[] = [];
  const listener = {
    changes: (set: { readonly changes: readonly Change[] }) => void changes.push(...set.changes),
    position: () => {},
  };
  const subscription = ranking.follow(listRef(scope), seq, listener);
  await until(async () => expect(changes.length).toBeGreaterThanOrEqual(count));
  subscription.close();
  return changes;
}

it('restores a total that is lower in one list than in the others, and tells of it in one change', async () => {
  const scope = boardSeasonOf({ rule: 'sum', maxTotal: 100_000, periods: ['day', 'week'] });
  await fill(scope);
  const achievedAt = Date.now() - 60_000;
  const [, day, week] = scope.lists.listsOf({ achievedAt, scopes: {} }).map(({ name }) => name);
  const results = new MatchResultsPostgres({ pool: database.pool, maxLatenessMs: DAY_MS, calendar: NO_SEASONS });
  /** Each in a partition of its own, so that all come at once. */
  const playOne = async (n: number): Promise<void> => {
    const place = { source: SOURCE, partition: n, from: 0, to: 1 };
    const result = { playerId: 'pl-3', mode: 'arena', fields: { points: 5 }, achievedAt, scopes: {}, seasonId: '1' };
    const row = { result: { ...result, matchId: `m-${n}` }, offset: 0, brokerAt: achievedAt };
    const scored = {
      ...{ playerId: 'pl-3', offset: 0, at: achievedAt, identity: { hash: String(n), achievedAt } },
      score: packScore(scope.layout, { points: 5 }, achievedAt),
      lists: scope.lists.listsOf(result),
    };
    const submit = () => ranking.submit(scope.tag, scope.definition.hash, { ...place, results: [scored] });
    // The answer of every third one is lost, so it is sent again.
    const sent = n % 3 === 0 ? [submit(), submit()] : [submit()];
    await Promise.all([...sent, results.write([{ ...place, rows: [row] }], async () => {})]);
  };
  await Promise.all(Array.from({ length: 200 }, (_, n) => playOne(n)));
  const right = packScore(scope.layout, { points: 1_000 }, achievedAt);
  const lists = ['s', String(day), String(week)];
  const all = { s: { 'pl-3': right }, [String(day)]: { 'pl-3': right }, [String(week)]: { 'pl-3': right } };
  expect(await readBoards(ranking, scope, lists)).toEqual(all);
  expect(await database.ask('SELECT sum(points)::int AS points FROM match_results')).toEqual([{ points: 1_000 }]);
  expect(await reconcile(scope)).toEqual({ compared: 3, differing: 0, marked: 0 });

  const low = packScore(scope.layout, { points: 950 }, achievedAt);
  await tamper(scope, { list: String(week), playerId: 'pl-3' }, low);
  const seq = (await ranking.state(scope.tag))?.seq ?? 0;
  expect(await reconcile(scope)).toEqual({ compared: 3, differing: 1, marked: 1 });
  await repair(scope);
  expect(await readBoards(ranking, scope, lists)).toEqual(all);
  expect(await changesSince(scope, seq, 1)).toMatchObject([
    { list: week, playerId: 'pl-3', scoreBefore: low, score: right, rankBefore: 1, rank: 1, label: null },
  ]);
  expect((await ranking.state(scope.tag))?.seq).toBe(seq + 1);
});

describe.each([
  ['best', BEST],
  ['sum', SUM],
] as const)('under rule %s', (_rule, scope) => {
  it('finds nothing where nothing is wrong, and repairs whatever is', async () => {
    await start(scope);
    const compared = rowsOf(scope, RESULTS);
    expect(await reconcile(scope)).toEqual({ compared, differing: 0, marked: 0 });

    const { achievedAt, scopes } = history.result(0);
    const [, day = ''] = scope.lists.listsOf({ achievedAt, scopes }).map(({ name }) => name);
    await tamper(scope, { list: 's', playerId: 'pl-0' }, 77);
    // As many rows as before, and not the same.
    await tamper(scope, { list: day, playerId: history.result(0).playerId }, null);
    await tamper(scope, { list: day, playerId: 'stranger' }, 77);
    // A row of a list that truth knows of others only, and a list that nobody has a result for.
    await tamper(scope, { list: 's:guild:1', playerId: 'stranger' }, 77);
    await tamper(scope, { list: 's:guild:no', playerId: 'pl-1' }, 77);
    await tamper(scope, { list: 's:guild:no', playerId: 'pl-2' }, 77);
    await register(scope, 's:guild:no');
    expect(await reconcile(scope)).toEqual({ compared, differing: 6, marked: 4 });
    // The four at each of two looks, and nobody else of the lists that were walked.
    expect(folded).toBe(8);
    await repair(scope);
    await expectRight(scope);
    expect(await redis.client.exists(await keyOf(scope, 's:guild:no'))).toBe(0);
    expect(await reconcile(scope)).toEqual({ compared, differing: 0, marked: 0 });
  });

  it('marks nobody for what comes meanwhile, and still finds who is wrong', async () => {
    await start(scope);
    await tamper(scope, { list: 's', playerId: 'pl-1' }, 77);
    let suspected = 0;
    const seen: ReconciledRanking = {
      state: (tag) => ranking.state(tag),
      scanLists: (...call) => ranking.scanLists(...call),
      readRange: (...call) => ranking.readRange(...call),
      mark: (...call) => ranking.mark(...call),
      readScores: async (...call) => {
        suspected += 1;
        return await ranking.readScores(...call);
      },
    };
    let isOver = false;
    /** Truth is behind the ranking, and ahead of it, in turns; players come whom nobody has seen before. */
    const live = async (): Promise<void> => {
      for (let turn = 0; !isOver; turn++) {
        const from = history.live;
        const steps = [() => history.play(ranking, scope, 20), () => history.store(database, from, from + 20)];
        for (const step of turn % 2 === 0 ? steps : steps.toReversed()) await step();
      }
    };
    const playing = live();
    const found = await reconcile(scope, seen).finally(() => {
      isOver = true;
    });
    await playing;
    expect(history.live).toBeGreaterThan(RESULTS + 100);
    // Truth's rows in chunks, and then those that had changed meanwhile.
    expect(suspected).toBeGreaterThan(Math.ceil((found?.compared ?? 0) / 1_000) + 1);
    expect(found).toMatchObject({ differing: 1, marked: 1 });
    await repair(scope);
    await expectRight(scope, history.live);
  });

  it('expects a hidden player nowhere', async () => {
    await history.store(database, 0, RESULTS);
    await hide('pl-7');
    await fill(scope);
    const rows = Object.values(history.boards(scope, RESULTS)).filter((list) => 'pl-7' in list).length;
    const compared = rowsOf(scope, RESULTS) - rows;
    expect(await reconcile(scope)).toEqual({ compared, differing: 0, marked: 0 });
    await tamper(scope, { list: 's', playerId: 'pl-7' }, history.boards(scope, RESULTS)['s']?.['pl-7'] ?? 0);
    expect(await reconcile(scope)).toEqual({ compared, differing: 1, marked: 1 });
    await repair(scope);
    expect((await readBoards(ranking, scope, ['s']))?.['s']).not.toHaveProperty('pl-7');
  });
});

it('takes a list away that nobody has a result for, however long it is', async () => {
  const scope = boardSeasonOf({ scopes: ['guild'] });
  await start(scope);
  const rows = Array.from({ length: 1_050 }, (_, n) => [n, `stranger-${n}`]).flat();
  await redis.client.zadd(await keyOf(scope, 's:guild:no'), ...rows);
  await register(scope, 's:guild:no');
  expect(await reconcile(scope)).toMatchObject({ differing: 1_050, marked: 1_050 });
  await repair(scope);
  await expectRight(scope);
  expect(await redis.client.exists(await keyOf(scope, 's:guild:no'))).toBe(0);
});

it('finds what is too much on a board of the version before, which did not register its list', async () => {
  const scope = boardSeasonOf();
  await start(scope);
  await redis.client.del(keys.registry(scope.tag, 1));
  await tamper(scope, { list: 's', playerId: 'stranger' }, 77);
  expect(await reconcile(scope)).toMatchObject({ differing: 1, marked: 1 });
  await repair(scope);
  await expectRight(scope);
});

it('compares the scopes that a board ranks', async () => {
  await start(GUILDS);
  const ids = Object.keys((await readBoards(ranking, GUILDS, ['s']))?.['s'] ?? {});
  expect(ids.toSorted()).toEqual(['0', '1']);
  expect(await reconcile(GUILDS)).toMatchObject({ differing: 0 });
  await tamper(GUILDS, { list: 's', playerId: '1' }, 77);
  const before = await reconcile(GUILDS);
  expect(before).toMatchObject({ differing: 1, marked: 1 });
  await repair(GUILDS);
  expect(await reconcile(GUILDS)).toEqual({ compared: before?.compared, differing: 0, marked: 0 });
});

it('compares nothing with a board of another definition, or none', async () => {
  expect(await reconcile(BEST)).toBeNull();
  await start(BEST);
  expect(await reconcile(SUM)).toBeNull();
});

it('is ended by an abort, and leaves the lock to the next', async () => {
  await start(BEST);
  const abort = new AbortController();
  const lock = await new TruthSnapshots(database.pool).lock(BEST.name);
  if (lock === null) throw new Error('the tag is locked');
  const report = (): void => abort.abort(new Error('stopped by hand'));
  const ended = reconcileTag(lock, BEST, { ranking, truth, report, signal: abort.signal });
  await expect(ended).rejects.toThrow('stopped by hand');
  await lock.release();
  expect(await reconcile(BEST)).toMatchObject({ differing: 0 });
});
