/** What a ranking consumer was last answered: the `next` of each tag in each partition, and the fills that begin a tag. */

import type { BoardSeason } from '../domain/board-season.js';
import { standingOf } from '../domain/tag-standing.js';
import type { RankingSubmitter } from './ranking-submitter.js';

/**
 * Fills a tag that is missing or left behind (see domain/tag-standing.ts). Resolves when it has a board of its definition, or
 * where a tag that is left behind is in the hands of another process.
 */
export type FillTag = (tag: BoardSeason) => Promise<void>;

/** Whether another process still has a tag in hand is asked no sooner than this after the last time. */
const ASK_AGAIN_MS = 1_000;

/** `next` per partition of one source; absent is 0. */
export class TagNexts {
  private readonly next = new Map<string, number>();

  of(source: string, partition: number): number {
    return this.next.get(`${source}/${partition}`) ?? 0;
  }

  set(source: string, partition: number, next: number): void {
    this.next.set(`${source}/${partition}`, next);
  }
}

export class TagPositions {
  private readonly ranking: RankingSubmitter;
  private readonly fill: FillTag;
  private readonly known = new Map<BoardSeason, Promise<TagNexts>>();
  private filling: Promise<unknown> = Promise.resolve();
  /** When to ask again, by `performance.now()`, of tags that are in the hands of another process. */
  private readonly askAgainAt = new Map<BoardSeason, number>();

  constructor(ranking: RankingSubmitter, fill: FillTag) {
    this.ranking = ranking;
    this.fill = fill;
  }

  /** Reads them, after a fill where there is no board; everybody who asks meanwhile waits for the same one. */
  of(tag: BoardSeason): Promise<TagNexts> {
    const known = this.known.get(tag);
    if (known !== undefined) return known;
    const reading = this.read(tag);
    this.known.set(tag, reading);
    // A failed read is nobody's answer but that of those who waited for it.
    reading.catch(() => this.forgetOnly(tag, reading));
    return reading;
  }

  /** Whether another process was filling the tag a moment ago: its positions go on, and nobody need wait for the board. */
  isInOtherHands(tag: BoardSeason): boolean {
    return performance.now() < (this.askAgainAt.get(tag) ?? 0);
  }

  /** After an assignment, or an answer that what we knew is not so. */
  forget(tag: BoardSeason): void {
    this.known.delete(tag);
  }

  /** Like `forget`, but where several partitions noticed the same loss only the first of them counts. */
  async lose(tag: BoardSeason, nexts: TagNexts): Promise<void> {
    const known = this.known.get(tag);
    if (known === undefined) return;
    if ((await known.catch(() => undefined)) === nexts) this.forgetOnly(tag, known);
  }

  /** Tags that stand at `from` or beyond, but have not seen all below `to`. */
  async between(source: string, partition: number, from: number, to: number): Promise<BoardSeason[]> {
    const tags: BoardSeason[] = [];
    for (const [tag, reading] of [...this.known]) {
      const next = (await reading).of(source, partition);
      if (from <= next && next < to) tags.push(tag);
    }
    return tags;
  }

  private forgetOnly(tag: BoardSeason, reading: Promise<TagNexts>): void {
    if (this.known.get(tag) === reading) this.known.delete(tag);
  }

  /** One after another: each holds a connection of the pool for as long as it takes. */
  private fillInTurn(tag: BoardSeason): Promise<void> {
    const filling = this.filling.then(() => this.fill(tag));
    this.filling = filling.catch(() => undefined);
    return filling;
  }

  private async read(tag: BoardSeason): Promise<TagNexts> {
    const { hash } = tag.definition;
    let state = await this.ranking.state(tag.tag);
    const standing = standingOf(hash, state);
    if (standing === 'missing' || (standing === 'left-behind' && !this.isInOtherHands(tag))) {
      await this.fillInTurn(tag);
      state = await this.ranking.state(tag.tag);
      if (standingOf(hash, state) === 'left-behind') this.askAgainAt.set(tag, performance.now() + ASK_AGAIN_MS);
    }
    const nexts = new TagNexts();
    // Gone again (a store lost during the fill): everything is 0, and the next submit is answered `no-board`.
    for (const { source, partition, next } of state?.positions ?? []) nexts.set(source, partition, next);
    return nexts;
  }
}
