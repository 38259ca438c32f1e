/** Results, voids, copies and conflicts of a player in every order of arrival, with truth ahead of the ranking and behind. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BoardSet, scoreLayoutOf } from '../../src/domain/board.js';
import type { LogRecord } from '../../src/domain/log-record.js';
import { unpackPoints } from '../../src/domain/packed-score.js';
import { type Rule, scoreMerge } from '../../src/domain/rules.js';
import { MemoryRanking } from '../../src/ranking/memory-ranking.js';
import { MAX_SUBMIT_RESULTS } from '../../src/ranking/ranking.js';
import { MarkSettler } from '../../src/rebuild/settle-marks.js';
import { RankingConsumer } from '../../src/results/ranking-consumer.js';
import type { NewRecord } from '../../src/results/result-log.js';
import { TruthConsumer } from '../../src/results/truth-consumer.js';
import { MatchResultsPostgres } from '../../src/truth/match-results-postgres.js';
import { PlayerFolds } from '../../src/truth/player-folds.js';
import { ARENA_BOARD } from '../support/definitions.js';
import { createTruthDatabase, silent, type TruthDatabase } from '../truth/truth-database.js';
import { boardSet, resultJson, season } from './log-fixture.js';

const SOURCE = 'kafka:t';
const TAG = { boardId: 'arena', seasonId: '1' };
const AT = Date.now();

/** Of one player: two matches, the better and later one sent twice, once with other points, and voided. */
type Kind = 'first' | 'second' | 'copy' | 'conflict' | 'void';

/** Each alone as well: what heals one of them must not hide that another is not healed. */
const STORIES: Readonly<Record<string, readonly Kind[]>> = {
  void: ['first', 'second', 'copy', 'void'],
  conflict: ['first', 'second', 'conflict'],
  both: ['first', 'second', 'copy', 'conflict', 'void'],
};

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

/** The first content of a match wins. */
function expectedPoints(rule: Rule, order: readonly Kind[]): number {
  if (order.includes('void')) return 10;
  const kept = order.find((kind) => kind === 'second' || kind === 'conflict') === 'conflict' ? 90 : 50;
  return rule === 'sum' ? 10 + kept : kept;
}

function recordOf(kind: Kind, playerId: string): Buffer {
  const second = { playerId, matchId: 'second', points: 50, achievedAt: AT - 1_000 };
  switch (kind) {
    case 'first':
      return resultJson({ playerId, matchId: 'first', points: 10, achievedAt: AT - 2_000 });
    case 'second':
    case 'copy':
      return resultJson(second);
    case 'conflict':
      return resultJson({ ...second, points: 90 });
    case 'void':
      return Buffer.from(JSON.stringify({ kind: 'void', playerId, matchId: 'second' }));
  }
}

/** A log of one partition, which truth writes to as well, and its two groups. */
class Installation {
  readonly log: Buffer[] = [];
  readonly ranking: MemoryRanking;
  private readonly truth: TruthConsumer;
  private readonly consumer: RankingConsumer;
  private readonly settler: MarkSettler<{ readonly tag: typeof TAG }>;
  private readonly nexts = new Map<TruthConsumer | RankingConsumer, number>();

  constructor(
    database: TruthDatabase,
    readonly rule: Rule,
  ) {
    // Born long ago, so that copies are told by what the tag remembers.
    this.ranking = new MemoryRanking({ now: () => AT - 3_600_000 });
    const boards: BoardSet = {
      ...boardSet,
      boards: [{ ...ARENA_BOARD, rule, maxTotal: rule === 'sum' ? 2_097_151 : null }],
    };
    const layout = scoreLayoutOf(ARENA_BOARD, boardSet.modes, season);
    const definition = { hash: 'hash', merge: scoreMerge(rule, layout) };
    const count = { count: () => {} };
    this.truth = new TruthConsumer({
      store: new MatchResultsPostgres({ pool: database.pool, maxLatenessMs: boardSet.maxLatenessMs }),
      deadLetters: { write: async () => {} },
      log: {
        append: async (records: readonly NewRecord[]) => {
          this.log.push(...records.map(({ value }) => Buffer.from(value)));
        },
      },
      boardSet: boards,
      counters: count,
    });
    this.consumer = new RankingConsumer({
      ranking: this.ranking,
      boardSet: boards,
      defineTag: () => definition,
      fill: async ({ tag }) => {
        await this.ranking.begin(tag, definition, { jobId: 'job', positions: [] });
        await this.ranking.finish(tag, 'job', 0);
      },
      counters: count,
      maxSubmitResults: MAX_SUBMIT_RESULTS,
      otherDefinition: ({ name }) => name,
    });
    const folds = new PlayerFolds(database.pool);
    this.settler = new MarkSettler({
      ranking: this.ranking,
      truth: {
        positions: () => folds.positions(),
        fold: (_, playerId, below) => folds.fold({ modes: ['arena'], season, layout, rule }, playerId, below),
      },
      scopes: () => [{ tag: TAG }],
      logger: silent,
    });
  }

  /** Brings a group to the log's end, in batches of so many records, and settles what can be after each. */
  async bring(group: 'truth' | 'ranking', batchSize: number): Promise<void> {
    const consumer = group === 'truth' ? this.truth : this.consumer;
    for (;;) {
      const from = this.nexts.get(consumer) ?? 0;
      if (from >= this.log.length) return;
      const values = this.log.slice(from, from + batchSize);
      const records = values.map(
        (value, index): LogRecord => ({ offset: from + index, key: null, value, brokerAt: AT }),
      );
      const batch = { source: SOURCE, partition: 0, from, to: from + values.length, records };
      this.nexts.set(consumer, await consumer.consume(batch));
      await this.settler.settleAll();
    }
  }

  /** Until both groups are at the end: truth may have written records of its own. */
  async bringBoth(first: 'truth' | 'ranking', batchSize: number): Promise<void> {
    const second = first === 'truth' ? 'ranking' : 'truth';
    for (let length = -1; length !== this.log.length; ) {
      length = this.log.length;
      await this.bring(first, batchSize);
      await this.bring(second, batchSize);
    }
    expect(await this.ranking.marks(TAG)).toEqual([]);
  }

  async points(): Promise<Map<string, number>> {
    const layout = scoreLayoutOf(ARENA_BOARD, boardSet.modes, season);
    const reading = await this.ranking.readRange(TAG, 1, 1_000);
    return new Map(reading?.rows.map(({ playerId, score }) => [playerId, unpackPoints(layout, score)]));
  }
}

let database: TruthDatabase;
beforeEach(async () => {
  database = await createTruthDatabase();
});
afterEach(() => database.drop());

describe.each(['best', 'latest', 'sum'] as const)('by rule %s', (rule) => {
  it.each([
    ['truth', 200],
    ['ranking', 200],
    ['truth', 3],
    ['ranking', 3],
  ] as const)('leaves what truth kept, with the %s first, %i records at a time', async (first, batchSize) => {
    const installation = new Installation(database, rule);
    const expected = new Map<string, number>();
    for (const [story, kinds] of Object.entries(STORIES)) {
      for (const order of permutations(kinds)) {
        const playerId = `${story} ${order.join(' ')}`;
        installation.log.push(...order.map((kind) => recordOf(kind, playerId)));
        expected.set(playerId, expectedPoints(rule, order));
      }
    }
    await installation.bringBoth(first, batchSize);
    const points = await installation.points();
    expect(new Map([...expected.keys()].map((playerId) => [playerId, points.get(playerId)]))).toEqual(expected);
    await installation.ranking.close();
  });
});
