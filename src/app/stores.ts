/** Opens the stores that the configuration names: the database, the result log and the ranking. */

import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import type { Season } from '../domain/season.js';
import type { Lifecycle } from '../ops/lifecycle.js';
import type { Metrics } from '../ops/metrics.js';
import { MemoryRanking } from '../ranking/memory-ranking.js';
import type { Ranking } from '../ranking/ranking.js';
import { RedisRanking } from '../ranking/redis-ranking.js';
import type { DeadLetters } from '../results/dead-letters.js';
import { KafkaLog } from '../results/kafka-log.js';
import { PostgresLog } from '../results/postgres-log.js';
import type { LogReports } from '../results/reports.js';
import type { ResultLog } from '../results/result-log.js';
import { startEmbeddedPostgres } from '../truth/embedded/embedded-postgres.js';
import { warnOfScarceLocks } from '../truth/lock-room.js';
import { migrate } from '../truth/migrate.js';
import { createPool } from '../truth/pool.js';
import { inTransaction } from '../truth/transaction.js';

export interface OpenStores {
  readonly pool: Pool;
  readonly log: ResultLog & { readonly deadLetters: DeadLetters };
  readonly ranking: Ranking;
}

export interface StoreOptions {
  readonly config: Config;
  readonly seasons: readonly Season[];
  readonly lifecycle: Lifecycle;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly reports: LogReports;
}

/** Opens them in the order in which they depend on one another, each checked; the database is the last to stop. */
export async function openStores(options: StoreOptions): Promise<OpenStores> {
  const pool = await openDatabase(options);
  await warnOfScarceLocks(pool, options.seasons, options.logger);
  const ranking = await openRanking(options);
  const log = await openLog(options, pool);
  return { pool, log, ranking };
}

/** Started, where it is ours to start, and migrated. */
export async function openDatabase({
  config,
  lifecycle,
  logger,
}: Pick<StoreOptions, 'config' | 'lifecycle' | 'logger'>): Promise<Pool> {
  const { stores, databaseSchema: schema } = config;
  let url: string;
  if (stores.kind === 'embedded') {
    const { dataDir } = stores;
    const database = await lifecycle.start(
      'embedded PostgreSQL',
      () => startEmbeddedPostgres({ dataDir, logger }),
      (started) => started.stop(),
    );
    url = database.url;
  } else {
    url = stores.databaseUrl;
  }
  const pool = await lifecycle.start(
    'database pool',
    () => createPool({ url, schema, logger }),
    (started) => started.end(),
  );
  await migrate({ pool, schema, logger });
  return pool;
}

async function openRanking({ config, lifecycle, logger, metrics }: StoreOptions): Promise<Ranking> {
  const { stores } = config;
  if (stores.kind !== 'full') {
    return await lifecycle.start(
      'ranking in memory',
      () => new MemoryRanking({ logger, dedupMs: config.dedupMs }),
      (started) => started.close(),
    );
  }
  const ranking = await lifecycle.start(
    'ranking in Redis',
    () => {
      const observe = (script: string, seconds: number): void => metrics.redisSeconds.observe({ script }, seconds);
      return new RedisRanking({
        url: stores.redisUrl,
        prefix: config.redisPrefix,
        logger,
        observe,
        dedupMs: config.dedupMs,
      });
    },
    (started) => started.close(),
  );
  const { version } = await ranking.check();
  logger.info({ redis: version }, 'ranking.ready');
  return ranking;
}

async function openLog(options: StoreOptions, pool: Pool): Promise<OpenStores['log']> {
  const { config, lifecycle, logger, reports } = options;
  const { stores } = config;
  const log = await lifecycle.start(
    'result log',
    () => {
      if (stores.kind === 'full') return new KafkaLog({ ...config.kafka, brokers: stores.brokers, reports, logger });
      const transact = <T>(work: (client: PoolClient) => Promise<T>): Promise<T> => inTransaction(pool, work);
      return new PostgresLog({ database: { pool, transact }, reports, logger });
    },
    (started) => started.close(),
  );
  await log.check();
  return log;
}
