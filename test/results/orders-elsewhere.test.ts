/** An order that came by another partition than its result (a producer that partitions otherwise, or partitions added since). */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { BoardSeasons, listRef } from '../../src/domain/board-season.js';
import { EMPTY_SUM } from '../../src/domain/fill-entry.js';
import type { LogRecord, PartitionBatch } from '../../src/domain/log-record.js';
import { unpackPoints } from '../../src/domain/packed-score.js';
import { MemoryRanking } from '../../src/ranking/memory-ranking.js';
import { MAX_SUBMIT_RESULTS } from '../../src/ranking/ranking.js';
import { MarkSettler } from '../../src/rebuild/settle-marks.js';
import { RankingConsumer } from '../../src/results/ranking-consumer.js';
import { TruthConsumer } from '../../src/results/truth-consumer.js';
import { MatchResultsPostgres } from '../../src/truth/match-results-postgres.js';
import { PlayerFolds } from '../../src/truth/player-folds.js';
import { createTruthDatabase, silent, type TruthDatabase } from '../truth/truth-database.js';
import { boardSet, resultJson } from './log-fixture.js';

const AT = Date.now();
let database: TruthDatabase;
beforeEach(async () => {
  database = await createTruthDatabase();
});
afterEach(() => database.drop());

it.each(['correct', 'void'] as const)(
  '%s: a ranking that meets the result behind the order ends right',
  async (kind) => {
    const seasons = new BoardSeasons(boardSet);
    const [board] = seasons.all;
    if (board === undefined) throw new Error('no board');
    const ranking = new MemoryRanking();
    const log: Buffer[][] = [[], []];
    const counters = { count: () => {} };
    const truth = new TruthConsumer({
      store: new MatchResultsPostgres({ pool: database.pool, ...boardSet }),
      deadLetters: { write: async () => {} },
      log: {
        append: async (records) => {
          for (const { partition, value } of records) log[partition ?? 0]?.push(Buffer.from(value));
        },
      },
      boardSet,
      counters,
    });
    // A process for each partition.
    const [readsZero, readsOne] = [0, 1].map(
      () =>
        new RankingConsumer({
          ranking,
          seasons,
          fill: async ({ tag, definition }) => {
            await ranking.begin(tag, definition, { jobId: 'job', positions: [], hidden: [] });
            await ranking.finish(tag, 'job', 0, EMPTY_SUM);
          },
          voids: { voidedSince: async () => [] },
          counters,
          maxSubmitResults: MAX_SUBMIT_RESULTS,
          otherDefinition: ({ name }) => name,
          lostResults: (tags) => tags.map(({ name }) => name).join(),
          logger: silent,
        }),
    );
    const settler = new MarkSettler({
      ranking,
      truth: new PlayerFolds(database.pool),
      scopes: () => seasons.all,
      logger: silent,
    });
    const batch = (partition: number): PartitionBatch => {
      const records = (log[partition] ?? []).map((value, offset): LogRecord => {
        return { offset, key: null, value, brokerAt: AT };
      });
      return { source: 'kafka:t', partition, from: 0, to: records.length, records };
    };
    const ids = { matchId: 'm-1', playerId: 'amy' };
    log[1]?.push(resultJson({ ...ids, points: 900, achievedAt: AT }));
    log[0]?.push(Buffer.from(JSON.stringify({ kind, ...ids, mode: 'arena', points: 10 })));
    await truth.consume(batch(1));
    await truth.consume(batch(0));
    await readsZero?.consume(batch(0));
    await settler.settleAll();
    // The ranking's lag of that partition ends.
    await readsOne?.consume(batch(1));
    await truth.consume(batch(1));
    await truth.consume(batch(0));
    await readsZero?.consume(batch(0));
    await settler.settleAll();
    const reading = await ranking.readRange(listRef(board), 1, 10);
    const rows = reading?.rows.map(({ score }) => unpackPoints(board.layout, score));
    expect(await ranking.marks(board.tag)).toEqual([]);
    expect(rows).toEqual(kind === 'correct' ? [10] : []);
    await ranking.close();
  },
);
