/** Starts the two groups that consider every record: truth and ranking. */

import type { Logger } from 'pino';
import { definitionHash } from '../boards.js';
import type { Config } from '../config.js';
import { type BoardSet, maxPointsOf } from '../domain/board.js';
import { scoreLayout } from '../domain/packed-score.js';
import type { Tag } from '../domain/tag.js';
import type { Lifecycle } from '../ops/lifecycle.js';
import type { Metrics } from '../ops/metrics.js';
import { RankingKeys } from '../ranking/keys.js';
import { MAX_FILL_CHUNK, MAX_SUBMIT_RESULTS } from '../ranking/ranking.js';
import { type FillPlan, fillTag } from '../rebuild/fill-tag.js';
import { RankingConsumer } from '../results/ranking-consumer.js';
import { TruthConsumer } from '../results/truth-consumer.js';
import { MatchResultsPostgres } from '../truth/match-results-postgres.js';
import { TruthSnapshots } from '../truth/truth-snapshot.js';
import type { OpenStores } from './stores.js';

export interface ConsumerOptions {
  readonly config: Config;
  readonly boardSet: BoardSet;
  readonly stores: OpenStores;
  readonly lifecycle: Lifecycle;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export async function startTruth({ config, boardSet, stores, lifecycle, metrics }: ConsumerOptions): Promise<void> {
  const consumer = new TruthConsumer({
    store: new MatchResultsPostgres({ pool: stores.pool, maxLatenessMs: boardSet.maxLatenessMs }),
    deadLetters: stores.log.deadLetters,
    boardSet,
    counters: { count: (outcome, n) => metrics.truthResults.inc({ outcome }, n) },
    letterCounters: { count: (reason, n) => metrics.deadLetters.inc({ reason }, n) },
  });
  const group = `${config.kafka.groupPrefix}-truth`;
  await lifecycle.start(
    'truth consumer',
    () => stores.log.consume(group, consumer),
    (started) => started.close(),
  );
}

export async function startRanking(options: ConsumerOptions): Promise<void> {
  const { config, boardSet, stores, lifecycle, logger, metrics } = options;
  const stopping = new AbortController();
  const truth = new TruthSnapshots(stores.pool);
  const fill = async (tag: Tag): Promise<void> => {
    const target = stores.ranking;
    const { signal } = stopping;
    await fillTag(planOf(tag, boardSet), { target, truth, logger, maxFillChunk: MAX_FILL_CHUNK, signal });
  };
  const keys = new RankingKeys(config.redisPrefix);
  const consumer = new RankingConsumer({
    ranking: stores.ranking,
    boardSet,
    definitionHash: (board, season) => definitionHash(board, boardSet, season),
    fill,
    counters: { count: (outcome, n) => metrics.results.inc({ outcome }, n) },
    maxSubmitResults: MAX_SUBMIT_RESULTS,
    otherDefinition: ({ tag, name }) =>
      `board ${name} in Redis was filled under another definition of its points, bits or season: restore the boards ` +
      `file, or run \`redis-cli DEL "${keys.meta(tag)}"\` and start again, then it is filled anew from PostgreSQL`,
  });
  const group = `${config.kafka.groupPrefix}-ranking`;
  await lifecycle.start(
    'ranking consumer',
    () => stores.log.consume(group, consumer),
    (started) => {
      stopping.abort();
      return started.close();
    },
  );
}

/** All that shapes a tag's scores. The consumer asks only for tags of the boards file. */
function planOf(tag: Tag, boardSet: BoardSet): FillPlan {
  const board = boardSet.boards.find((candidate) => candidate.boardId === tag.boardId);
  const season = boardSet.calendar.seasons.find((candidate) => candidate.seasonId === tag.seasonId);
  if (board === undefined || season === undefined) throw new Error(`no board for tag ${JSON.stringify(tag)}`);
  return {
    tag,
    modes: board.modes,
    season,
    layout: scoreLayout(maxPointsOf(board, boardSet.modes), season),
    definitionHash: definitionHash(board, boardSet, season),
  };
}
