/** The built-in board in Redis, filled and moved from here, as the ranking group would: the gateway sees nothing but its stream. */

import { pino } from 'pino';
import { loadBoards } from '../../../src/boards.js';
import { type BoardSeason, BoardSeasons } from '../../../src/domain/board-season.js';
import { addToSum, EMPTY_SUM } from '../../../src/domain/fill-entry.js';
import { packScore } from '../../../src/domain/packed-score.js';
import { MAX_FILL_CHUNK, MAX_SUBMIT_RESULTS } from '../../../src/ranking/ranking.js';
import { RedisRanking } from '../../../src/ranking/redis-ranking.js';
import type { PlayedResult } from '../../lib/standings.js';

const JOB = 'bench';
const SOURCE = 'bench';

export class FilledBoard {
  readonly boardSeason: BoardSeason;
  private readonly ranking: RedisRanking;
  private next = 0;

  constructor(url: string, prefix: string) {
    this.ranking = new RedisRanking({ url, prefix, logger: pino({ level: 'warn' }) });
    const seasons = new BoardSeasons(loadBoards());
    const found = seasons.find('arena', undefined, Date.now());
    if (found === undefined) throw new Error('the built-in board is gone');
    this.boardSeason = found;
  }

  async fill(results: readonly PlayedResult[]): Promise<void> {
    const { tag, definition, lists, layout } = this.boardSeason;
    const list = lists.named('s');
    await this.ranking.begin(tag, definition, { jobId: JOB, positions: [], hidden: [] });
    let sum = EMPTY_SUM;
    let chunk = 0;
    for (let from = 0; from < results.length; from += MAX_FILL_CHUNK) {
      const entries = results.slice(from, from + MAX_FILL_CHUNK).map(({ playerId, points, achievedAt }) => {
        return { list, playerId, score: packScore(layout, { points }, achievedAt) };
      });
      await this.ranking.load(tag, JOB, chunk, entries);
      sum = addToSum(sum, entries);
      chunk += 1;
    }
    await this.ranking.finish(tag, JOB, chunk, sum);
    // The server knows the script then: calls in flight keep their order.
    await this.play([]);
  }

  /** One script call, one entry of the stream. */
  async play(results: readonly PlayedResult[]): Promise<void> {
    if (results.length > MAX_SUBMIT_RESULTS) throw new RangeError('more results than a call takes');
    const { tag, definition, lists, layout } = this.boardSeason;
    const season = [lists.named('s')];
    const from = this.next;
    this.next += results.length;
    const reply = await this.ranking.submit(tag, definition.hash, {
      source: SOURCE,
      partition: 0,
      from,
      to: this.next,
      results: results.map(({ playerId, points, achievedAt }, index) => {
        const score = packScore(layout, { points }, achievedAt);
        return { playerId, score, lists: season, offset: from + index, at: achievedAt };
      }),
    });
    if (reply.kind !== 'done') throw new Error(`unexpected reply ${reply.kind}`);
  }

  close(): Promise<void> {
    return this.ranking.close();
  }
}
