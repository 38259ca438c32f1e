/** Starts the two groups that consider every record: truth and ranking. */

import type { Logger } from 'pino';
import { tagDefinition } from '../boards.js';
import type { Config } from '../config.js';
import type { BoardSet } from '../domain/board.js';
import type { Tag } from '../domain/tag.js';
import type { Lifecycle } from '../ops/lifecycle.js';
import type { Metrics } from '../ops/metrics.js';
import { RankingKeys } from '../ranking/keys.js';
import { MAX_FILL_CHUNK, MAX_SUBMIT_RESULTS } from '../ranking/ranking.js';
import { fillTag } from '../rebuild/fill-tag.js';
import { MarkSettler } from '../rebuild/settle-marks.js';
import { type DefineTag, type OpenTag, OpenTags } from '../results/open-tags.js';
import { RankingConsumer } from '../results/ranking-consumer.js';
import { TruthConsumer } from '../results/truth-consumer.js';
import { MatchResultsPostgres } from '../truth/match-results-postgres.js';
import { PlayerFolds } from '../truth/player-folds.js';
import { TruthSnapshots } from '../truth/truth-snapshot.js';
import type { OpenStores } from './stores.js';

export interface ConsumerOptions {
  readonly config: Config;
  readonly boardSet: BoardSet;
  readonly stores: OpenStores;
  readonly lifecycle: Lifecycle;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Ends a fill that is under way. */
  readonly stopping: AbortSignal;
}

export async function startTruth({ config, boardSet, stores, lifecycle, metrics }: ConsumerOptions): Promise<void> {
  const consumer = new TruthConsumer({
    store: new MatchResultsPostgres({ pool: stores.pool, maxLatenessMs: boardSet.maxLatenessMs }),
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
}

export async function startRanking(options: ConsumerOptions): Promise<void> {
  const { config, boardSet, stores, lifecycle, logger, metrics, stopping } = options;
  const truth = new TruthSnapshots(stores.pool);
  const defineTag: DefineTag = (board, season) => tagDefinition(board, boardSet, season);
  const fill = async ({ board: { modes }, ...tag }: OpenTag): Promise<void> => {
    const target = stores.ranking;
    await fillTag({ ...tag, modes }, { target, truth, logger, maxFillChunk: MAX_FILL_CHUNK, signal: stopping });
  };
  const keys = new RankingKeys(config.redisPrefix);
  /** What makes a board be filled anew from truth: it loses the marks that it was ever filled. */
  const fillAnew = (tags: readonly Tag[]): string =>
    tags.map((tag) => `run \`redis-cli HDEL "${keys.meta(tag)}" definition generation\``).join(', ');
  const consumer = new RankingConsumer({
    ranking: stores.ranking,
    boardSet,
    defineTag,
    fill,
    counters: { count: (outcome, n) => metrics.results.inc({ outcome }, n) },
    maxSubmitResults: MAX_SUBMIT_RESULTS,
    otherDefinition: ({ tag, name }) =>
      `board ${name} was filled under another definition of its rule, keys, ranges or season: restore the boards file, or ` +
      `${fillAnew([tag])} and start again`,
    lostResults: (tags, { source, partition, from, to }) =>
      `${source} partition ${partition} no longer holds the results ${from} to ${to - 1}, which are missing on ` +
      `${tags.map(({ name }) => name).join(', ')}: ${fillAnew(tags.map(({ tag }) => tag))}`,
  });
  await startMarkSettler(options, new OpenTags(boardSet, defineTag));
  const group = `${config.kafka.groupPrefix}-ranking`;
  await lifecycle.start(
    'ranking consumer',
    () => stores.log.consume(group, consumer, 'urgent'),
    (started) => started.close(),
  );
}

async function startMarkSettler({ config, stores, lifecycle, logger }: ConsumerOptions, tags: OpenTags): Promise<void> {
  const truth = new PlayerFolds(stores.pool);
  const settler = new MarkSettler({
    ranking: stores.ranking,
    truth: {
      positions: () => truth.positions(),
      fold: ({ board, season, layout }: OpenTag, playerId, below) =>
        truth.fold({ modes: board.modes, season, layout, rule: board.rule }, playerId, below),
    },
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
