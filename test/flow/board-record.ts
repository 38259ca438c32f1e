/** What the top of a board was at each seq: read from the change feed, folded with no code of gateway or client. */

import { pino } from 'pino';
import { loadBoards } from '../../src/boards.js';
import { BoardSeasons, listRef } from '../../src/domain/board-season.js';
import type { Change, ChangeSet } from '../../src/domain/change.js';
import { unpackPoints } from '../../src/domain/packed-score.js';
import { RedisRanking } from '../../src/ranking/redis-ranking.js';

interface Row {
  readonly playerId: string;
  readonly score: number;
}

export interface RecordOptions {
  readonly redisUrl: string;
  readonly redisPrefix: string;
  /** Rows of the top that are remembered. */
  readonly size: number;
}

export class BoardRecord {
  private readonly bySeq = new Map<number, string>();
  private rows: Row[] = [];
  private seq = 0;

  private constructor(
    private readonly size: number,
    private readonly pointsOf: (score: number) => number,
    private readonly closeFeed: () => Promise<void>,
  ) {}

  /** From the board as it is now. */
  static async start({ redisUrl, redisPrefix, size }: RecordOptions): Promise<BoardRecord> {
    const logger = pino({ level: 'silent' });
    const ranking = new RedisRanking({
      url: redisUrl,
      prefix: redisPrefix,
      logger,
      observe: () => {},
      dedupMs: 3_600_000,
    });
    const season = new BoardSeasons(loadBoards()).find('arena', undefined, Date.now());
    if (season === undefined) throw new Error('the built-in board is declared');
    const list = listRef(season);
    const read = await ranking.readRange(list, 1, 1_000);
    if (read === null || read.total > 1_000) throw new Error('the board is not there, or larger than one read');
    const feed = { close: (): void => {} };
    const record = new BoardRecord(
      size,
      (score) => unpackPoints(season.layout, score),
      async () => {
        feed.close();
        await ranking.close();
      },
    );
    record.rows = read.rows.map(({ playerId, score }) => ({ playerId, score }));
    record.seq = read.seq;
    record.remember();
    const subscription = ranking.follow(list, read.seq, {
      changes: (set) => record.apply(set, list.list),
      position: () => {},
    });
    feed.close = () => subscription.close();
    return record;
  }

  /** The rows that were the first at `seq`, as `topText` writes them; `undefined` where it is not known (yet). */
  at(seq: number): string | undefined {
    return this.bySeq.get(seq);
  }

  get rowCount(): number {
    return this.rows.length;
  }

  get newestSeq(): number {
    return this.seq;
  }

  async close(): Promise<void> {
    await this.closeFeed();
  }

  private apply({ fromSeq, changes }: ChangeSet, list: string): void {
    if (fromSeq !== this.seq + 1) throw new Error(`the record stands at ${this.seq} and got ${fromSeq}`);
    for (const change of changes) {
      this.seq += 1;
      if (change.list === list) this.place(change);
      this.remember();
    }
  }

  private place({ playerId, score }: Change): void {
    const at = this.rows.findIndex((row) => row.playerId === playerId);
    if (at >= 0) this.rows.splice(at, 1);
    if (score !== null) this.insert({ playerId, score });
  }

  private insert(row: Row): void {
    const at = this.rows.findIndex((other) => isBefore(row, other));
    this.rows.splice(at < 0 ? this.rows.length : at, 0, row);
  }

  private remember(): void {
    const top = this.rows.slice(0, this.size).map(({ playerId, score }) => ({ playerId, score: this.pointsOf(score) }));
    this.bySeq.set(this.seq, topText(top));
  }
}

export function topText(rows: readonly { readonly playerId: string; readonly score: number }[]): string {
  return rows.map(({ playerId, score }) => `${playerId}=${score}`).join(' ');
}

/** Equal ones are ordered by id, as bytes; both descending. */
function isBefore(a: Row, b: Row): boolean {
  if (a.score !== b.score) return a.score > b.score;
  return Buffer.compare(Buffer.from(a.playerId), Buffer.from(b.playerId)) > 0;
}
