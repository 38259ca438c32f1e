/** The reconcile job of servers with the role truth, over real stores that come and go. */

import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ConsumerOptions } from '../../src/app/consumers.js';
import { startReconcileJob } from '../../src/app/reconcile-job.js';
import { BoardSeasons } from '../../src/domain/board-season.js';
import { Lifecycle } from '../../src/ops/lifecycle.js';
import { Metrics } from '../../src/ops/metrics.js';
import { RankingKeys } from '../../src/ranking/keys.js';
import type { Ranking } from '../../src/ranking/ranking.js';
import { RedisRanking } from '../../src/ranking/redis-ranking.js';
import { fillTag } from '../../src/rebuild/fill-tag.js';
import { MarkSettler } from '../../src/rebuild/settle-marks.js';
import { PlayerFolds } from '../../src/truth/player-folds.js';
import { createPool } from '../../src/truth/pool.js';
import { TruthSnapshots } from '../../src/truth/truth-snapshot.js';
import { History, readBoards } from '../rebuild/history.js';
import { ARENA_BOARD, boardSetOf } from '../support/definitions.js';
import { type TestRedis, testRedis } from '../support/isolation.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';
import { createTruthDatabase, databaseUrl, silent, type TruthDatabase } from '../truth/truth-database.js';

const SEASONS = new BoardSeasons(boardSetOf([{ ...ARENA_BOARD, periods: ['day'], scopes: ['guild'] }]));
const RESULTS = 300;
const EVERY_MS = 200;
const NOT_COMPARED = 'a board was not compared with the database';

interface Job {
  /** Through which it speaks to the database, and nothing else does. */
  readonly pool: Pool;
  readonly lines: readonly { readonly msg: string }[];
  /** How many rows it has found wrong so far. */
  drift(): Promise<number>;
  /** Answers what did not end, of the process's own steps. */
  stop(): Promise<readonly string[]>;
}

let database: TruthDatabase;
let redis: TestRedis;
let redisProxy: TcpProxy;
let databaseProxy: TcpProxy;
let ranking: RedisRanking;
let keys: RankingKeys;
let history: History;
let cleanups: (() => Promise<unknown>)[];
beforeEach(async () => {
  database = await createTruthDatabase();
  redis = await testRedis();
  const prefix = redis.keyPrefix.slice(0, -1);
  keys = new RankingKeys(prefix);
  ranking = new RedisRanking({ url: redis.url, prefix, logger: silent });
  history = new History(Date.now() - 3_600_000, 50);
  await history.store(database, 0, RESULTS);
  const truth = new TruthSnapshots(database.pool);
  await fillTag(scope, { target: ranking, truth, logger: silent, maxFillChunk: 1_000 });
  redisProxy = await startTcpProxy();
  databaseProxy = await startTcpProxy();
  lead(redisProxy, redis.url);
  lead(databaseProxy, databaseUrl());
  cleanups = [];
});
afterEach(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
  await ranking.close();
  await redisProxy.close();
  await databaseProxy.close();
  await redis.drop();
  await database.drop();
});

const [only] = SEASONS.all;
if (only === undefined) throw new Error('no board');
const scope = only;

function lead(proxy: TcpProxy, url: string): void {
  const { hostname, port } = new URL(url);
  proxy.setTarget(hostname, Number(port));
}

function cutOff(proxy: TcpProxy): void {
  proxy.setTarget('127.0.0.1', 1);
}

function through({ port }: TcpProxy, url: string): string {
  const address = new URL(url);
  address.host = `127.0.0.1:${port}`;
  return address.href;
}

/** As a process of its own has it; `seen` may stand between it and its ranking. */
async function startJob(seen: (ranking: Ranking) => Ranking = (one) => one): Promise<Job> {
  const lines: { msg: string }[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const lifecycle = new Lifecycle({ logger: silent });
  const metrics = new Metrics({ version: '1', proto: 'p' });
  const pool = createPool({
    url: through(databaseProxy, databaseUrl()),
    schema: database.schema,
    logger: silent,
    acquireTimeoutMs: 1_000,
  });
  const prefix = redis.keyPrefix.slice(0, -1);
  const own = new RedisRanking({ url: through(redisProxy, redis.url), prefix, logger: silent });
  const stores = { pool, ranking: seen(own) } as unknown as ConsumerOptions['stores'];
  const options = { seasons: SEASONS, stores, lifecycle, logger, metrics } as ConsumerOptions;
  await startReconcileJob(options, EVERY_MS);
  cleanups.push(async () => {
    expect(await lifecycle.stop()).toEqual([]);
    metrics.close();
    await own.close();
    await pool.end();
  });
  return {
    pool,
    lines,
    stop: () => lifecycle.stop(),
    drift: async () =>
      Number(/^rankcast_drift_rows_total\{board="arena"\} (\d+)$/m.exec(await metrics.render())?.[1] ?? 0),
  };
}

/** What every server with the role ranking runs. */
function startSettler(): void {
  const truth = new PlayerFolds(database.pool);
  const settler = new MarkSettler({ ranking, truth, scopes: () => [scope], logger: silent });
  settler.start();
  cleanups.push(() => settler.close());
}

async function damage(): Promise<void> {
  await redis.client.zadd(keys.list(scope.tag, 1, 's'), 77, 'stranger', 77, 'pl-1');
  await redis.client.zrem(keys.list(scope.tag, 1, 's:guild:0'), 'pl-0');
}

async function untilRight(total = RESULTS): Promise<void> {
  const boards = history.boards(scope, total);
  await until(async () => expect(await readBoards(ranking, scope, Object.keys(boards))).toEqual(boards), 20_000);
}

async function untilSaid({ lines }: Job, text: string, since = 0): Promise<void> {
  await until(() => expect(lines.slice(since).map(({ msg }) => msg)).toContain(text), 20_000);
}

it('repairs by itself what was damaged by hand, again and again, and counts it', async () => {
  startSettler();
  const job = await startJob();
  await damage();
  await untilRight();
  await until(async () => expect(await job.drift()).toBeGreaterThanOrEqual(3));
  await damage();
  await untilRight();
  history.goLive(RESULTS);
  await history.store(database, RESULTS, RESULTS + 20);
  expect(await history.play(ranking, scope, 20)).toBe('done');
  await damage();
  await untilRight(RESULTS + 20);
  expect(job.lines.filter(({ msg }) => msg === NOT_COMPARED)).toEqual([]);
});

it('compares a board in one process at a time, and the other takes its turn', async () => {
  const reading: string[] = [];
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  /** Whoever is the first to read rows stops there. */
  const heldAs = (name: string) => (ranking: Ranking) =>
    watched(ranking, async () => {
      reading.push(name);
      await gate;
    });
  const jobs = [await startJob(heldAs('one')), await startJob(heldAs('other'))];
  const turns = jobs.map(({ pool }) => {
    const turn = { tries: 0 };
    pool.on('release', () => {
      turn.tries += 1;
    });
    return turn;
  });
  try {
    await until(() => expect(reading).toHaveLength(1));
    const waiting = turns[reading[0] === 'one' ? 1 : 0];
    const before = waiting?.tries ?? 0;
    // Each of its connections comes back from a try for the lock.
    await until(() => expect(waiting?.tries).toBeGreaterThanOrEqual(before + 3));
    expect(reading).toHaveLength(1);
  } finally {
    open();
  }
  await until(() => expect(new Set(reading)).toEqual(new Set(['one', 'other'])));
});

it('goes on when PostgreSQL is back that was away between two runs', async () => {
  startSettler();
  const job = await startJob();
  await damage();
  await untilRight();
  cutOff(databaseProxy);
  await untilSaid(job, NOT_COMPARED, job.lines.length);
  await damage();
  lead(databaseProxy, databaseUrl());
  await untilRight();
});

it('goes on when PostgreSQL went away while rows were compared', async () => {
  startSettler();
  const { whenCut, job } = await startCutOff(databaseProxy);
  await damage();
  await whenCut;
  await untilSaid(job, NOT_COMPARED);
  lead(databaseProxy, databaseUrl());
  await untilRight();
});

it('goes on when Redis went away while rows were compared', async () => {
  startSettler();
  const { whenCut } = await startCutOff(redisProxy);
  await damage();
  await whenCut;
  lead(redisProxy, redis.url);
  await untilRight();
});

it('ends at once while Redis is away in the middle of its rows, and lets the board go', async () => {
  const { whenCut, job } = await startCutOff(redisProxy);
  await whenCut;
  expect(await job.stop()).toEqual([]);
  const lock = await new TruthSnapshots(database.pool).lock(scope.name);
  expect(lock).not.toBeNull();
  await lock?.release();
});

/** A job whose store is away from the moment on when it reads the first rows of the ranking. */
async function startCutOff(proxy: TcpProxy): Promise<{ readonly job: Job; readonly whenCut: Promise<void> }> {
  let cut = (): void => {};
  const whenCut = new Promise<void>((resolve) => {
    cut = () => {
      cutOff(proxy);
      resolve();
    };
  });
  let isCut = false;
  const job = await startJob((own) =>
    watched(own, async () => {
      if (isCut) return;
      isCut = true;
      cut();
    }),
  );
  return { job, whenCut };
}

/** A ranking that calls `onRead` before it reads the scores of rows. */
function watched(ranking: Ranking, onRead: () => Promise<void>): Ranking {
  return new Proxy(ranking, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name !== 'readScores') return member.bind(target);
      return async (...call: unknown[]) => {
        await onRead();
        return await member.apply(target, call);
      };
    },
  });
}
