/** Boards on a log of one partition, which truth writes to as well, with both its groups: real SQL, and a ranking in memory. */

import type { BoardSeason, BoardSeasons } from '../../src/domain/board-season.js';
import { listRef } from '../../src/domain/board-season.js';
import { EMPTY_SUM } from '../../src/domain/fill-entry.js';
import type { LogRecord } from '../../src/domain/log-record.js';
import { MemoryRanking } from '../../src/ranking/memory-ranking.js';
import { MAX_SUBMIT_RESULTS } from '../../src/ranking/ranking.js';
import { MarkSettler } from '../../src/rebuild/settle-marks.js';
import { RankingConsumer } from '../../src/results/ranking-consumer.js';
import { TruthConsumer } from '../../src/results/truth-consumer.js';
import { MatchResultsPostgres } from '../../src/truth/match-results-postgres.js';
import { PlayerFolds } from '../../src/truth/player-folds.js';
import { RecentVoids } from '../../src/truth/recent-voids.js';
import { silent, type TruthDatabase } from '../truth/truth-database.js';

const SOURCE = 'kafka:t';
const BATCH_RECORDS = 200;

export type Group = 'truth' | 'ranking';
/** Which of them is at the log's end before the other begins; `in step`: a batch each in turn, truth first. */
export type Pace = 'truth first' | 'ranking first' | 'in step';

export class Installation {
  private readonly log: Buffer[] = [];
  private readonly ranking: MemoryRanking;
  private readonly consumers: Readonly<Record<Group, TruthConsumer | RankingConsumer>>;
  private readonly settler: MarkSettler;
  private readonly nexts = { truth: 0, ranking: 0 };

  /** The broker stamps `at`; boards were born an hour before, so that they know the copies of their results. */
  constructor(
    database: TruthDatabase,
    readonly seasons: BoardSeasons,
    private readonly at: number,
  ) {
    const { boardSet } = seasons;
    this.ranking = new MemoryRanking({ now: () => at - 3_600_000 });
    const counters = { count: () => {} };
    const truth = new TruthConsumer({
      store: new MatchResultsPostgres({ pool: database.pool, ...boardSet }),
      deadLetters: { write: async () => {} },
      log: { append: async (records) => this.append(records.map(({ value }) => Buffer.from(value))) },
      boardSet,
      counters,
    });
    const ranking = new RankingConsumer({
      ranking: this.ranking,
      seasons,
      fill: async ({ tag, definition }) => {
        await this.ranking.begin(tag, definition, { jobId: 'job', positions: [], hidden: [] });
        await this.ranking.finish(tag, 'job', 0, EMPTY_SUM);
      },
      voids: new RecentVoids(database.pool),
      counters,
      maxSubmitResults: MAX_SUBMIT_RESULTS,
      otherDefinition: ({ name }) => name,
      lostResults: (tags) => tags.map(({ name }) => name).join(),
      logger: silent,
    });
    this.consumers = { truth, ranking };
    this.settler = new MarkSettler({
      ranking: this.ranking,
      truth: new PlayerFolds(database.pool),
      scopes: () => seasons.all,
      logger: silent,
    });
  }

  append(values: readonly Buffer[]): void {
    this.log.push(...values);
  }

  /** Until both groups are at the end, what truth itself writes there included, and no player waits. */
  async bring(pace: Pace): Promise<void> {
    const groups: readonly Group[] = pace === 'ranking first' ? ['ranking', 'truth'] : ['truth', 'ranking'];
    while (groups.some((group) => this.nexts[group] < this.log.length)) {
      for (const group of groups) {
        do await this.step(group);
        while (pace !== 'in step' && this.nexts[group] < this.log.length);
      }
    }
    await this.settler.settleAll();
  }

  async marked(): Promise<readonly string[]> {
    const marks = await Promise.all(this.seasons.all.map(({ tag }) => this.ranking.marks(tag)));
    return marks.flat().map(({ playerId }) => playerId);
  }

  /** Packed score by who is ranked. */
  async scores(board: BoardSeason, list: string): Promise<Map<string, number>> {
    const reading = await this.ranking.readRange(listRef(board, list), 1, 10_000);
    return new Map(reading?.rows.map(({ playerId, score }) => [playerId, score]));
  }

  async close(): Promise<void> {
    await this.ranking.close();
  }

  /** One batch, and what can be settled after it. */
  private async step(group: Group): Promise<void> {
    const from = this.nexts[group];
    const values = this.log.slice(from, from + BATCH_RECORDS);
    const records = values.map(
      (value, index): LogRecord => ({ offset: from + index, key: null, value, brokerAt: this.at }),
    );
    const batch = { source: SOURCE, partition: 0, from, to: from + values.length, records };
    this.nexts[group] = await this.consumers[group].consume(batch);
    await this.settler.settleAll();
  }
}
