/** Starts the two groups that consider every record: truth and ranking. */

import type { Logger } from 'pino';
import type { Config } from '../config.js';
import type { BoardSeason, BoardSeasons } from '../domain/board-season.js';
import { PLAYER_SUBJECT } from '../domain/lists.js';
import type { Lifecycle } from '../ops/lifecycle.js';
import type { Metrics } from '../ops/metrics.js';
import { MAX_FILL_CHUNK, MAX_SUBMIT_RESULTS } from '../ranking/ranking.js';
import { fillTag } from '../rebuild/fill-tag.js';
import { otherDefinition, rebuildCommand } from '../rebuild/rebuild-tag.js';
import { MarkSettler } from '../rebuild/settle-marks.js';
import { sweepTags } from '../rebuild/sweep-tags.js';
import { OpenTags } from '../results/open-tags.js';
import { RankingConsumer } from '../results/ranking-consumer.js';
import { TruthConsumer } from '../results/truth-consumer.js';
import { checkpointAges } from '../truth/checkpoints.js';
import { dropSeenDirt } from '../truth/dirty-subjects.js';
import { MatchResultsPostgres } from '../truth/match-results-postgres.js';
import { PlayerFolds } from '../truth/player-folds.js';
import { RecentVoids } from '../truth/recent-voids.js';
import { ensureSubjectIndexes } from '../truth/subject-indexes.js';
import { TruthSnapshots } from '../truth/truth-snapshot.js';
import { CheckpointJob } from './checkpoint-job.js';
import type { OpenStores } from './stores.js';

export interface ConsumerOptions {
  readonly config: Config;
  readonly seasons: BoardSeasons;
  readonly stores: OpenStores;
  readonly lifecycle: Lifecycle;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Ends a fill that is under way. */
  readonly stopping: AbortSignal;
}

export async function startTruth(options: ConsumerOptions): Promise<void> {
  const { config, seasons, stores, lifecycle, logger, metrics } = options;
  const { boardSet } = seasons;
  const { maxLatenessMs, calendar } = boardSet;
  const subjects = boardSet.boards.map(({ subject }) => subject).filter((subject) => subject !== PLAYER_SUBJECT);
  await ensureSubjectIndexes(stores.pool, subjects, logger);
  const consumer = new TruthConsumer({
    store: new MatchResultsPostgres({ pool: stores.pool, maxLatenessMs, calendar }),
    deadLetters: stores.log.deadLetters,
    log: stores.log,
    boardSet,
    counters: { count: (outcome, n) => metrics.truthResults.inc({ outcome }, n) },
    letterCounters: { count: (reason, n) => metrics.deadLetters.inc({ reason }, n) },
  });
  const group = `${config.kafka.groupPrefix}-truth`;
  await lifecycle.start(
    'truth consumer',
    // Nobody waits for a row, and a transaction of many costs little more than one of one.
    () => stores.log.consume(group, consumer, 'gathered'),
    (started) => started.close(),
  );
  await startCheckpointJob(options);
}

async function startCheckpointJob({
  config,
  seasons,
  stores,
  lifecycle,
  logger,
  metrics,
}: ConsumerOptions): Promise<void> {
  const { pool } = stores;
  const tags = new OpenTags(seasons);
  const snapshots = new TruthSnapshots(pool);
  const job = new CheckpointJob({
    store: {
      ages: () => checkpointAges(pool),
      lock: (tagName) => snapshots.lock(tagName),
      dropSeenDirt: () => dropSeenDirt(pool),
    },
    scopes: () => tags.openAt(Date.now()),
    everyMs: config.checkpointMs,
    setAge: (board, seconds) => metrics.checkpointAge.set({ board }, seconds),
    logger,
  });
  await lifecycle.start(
    'checkpoint job',
    () => job.start(),
    () => job.close(),
  );
}

export async function startRanking(options: ConsumerOptions): Promise<void> {
  const { config, seasons, stores, lifecycle, logger, metrics, stopping } = options;
  const truth = new TruthSnapshots(stores.pool, Date.now, 'checkpoint');
  const fill = async (tag: BoardSeason): Promise<void> => {
    const target = stores.ranking;
    await fillTag(tag, { target, truth, logger, maxFillChunk: MAX_FILL_CHUNK, signal: stopping });
  };
  const consumer = new RankingConsumer({
    ranking: stores.ranking,
    seasons,
    fill,
    voids: new RecentVoids(stores.pool),
    counters: { count: (outcome, n, reason = '') => metrics.results.inc({ outcome, reason }, n) },
    maxSubmitResults: MAX_SUBMIT_RESULTS,
    otherDefinition,
    lostResults: (tags, { source, partition, from, to }) =>
      `${source} partition ${partition} no longer holds the results ${from} to ${to - 1}, which are missing on ` +
      `${tags.map(({ name }) => name).join(', ')}: run \`${tags.map(({ tag }) => rebuildCommand(tag)).join(' && ')}\``,
    logger,
  });
  const tags = new OpenTags(seasons);
  await startMarkSettler(options, tags);
  await startSweep(options, tags);
  const group = `${config.kafka.groupPrefix}-ranking`;
  await lifecycle.start(
    'ranking consumer',
    () => stores.log.consume(group, consumer, 'urgent'),
    (started) => started.close(),
  );
}

/** Once, and nobody waits for it: a board of a million lists takes minutes. */
async function startSweep({ stores, lifecycle, logger, stopping }: ConsumerOptions, tags: OpenTags): Promise<void> {
  const sweep = { target: stores.ranking, logger, signal: stopping };
  await lifecycle.start(
    'sweep',
    () => ({ ended: sweepTags(tags.openAt(Date.now()), sweep) }),
    ({ ended }) => ended,
  );
}

async function startMarkSettler({ config, stores, lifecycle, logger }: ConsumerOptions, tags: OpenTags): Promise<void> {
  const settler = new MarkSettler({
    ranking: stores.ranking,
    truth: new PlayerFolds(stores.pool),
    scopes: () => tags.openAt(Date.now()),
    logger,
  });
  const sums = tags.openAt(Date.now()).filter(({ board }) => board.rule === 'sum');
  const boards = sums.map(({ name }) => name);
  if (boards.length > 0) {
    const hours = config.dedupMs / 3_600_000;
    logger.info(
      { boards, hours },
      'boards of rule sum remember results to count copies once: a million take 11 to 24 MB of Redis',
    );
  }
  await lifecycle.start(
    'mark settler',
    () => settler.start(),
    () => settler.close(),
  );
}
