/** Settles marked players: their entries are folded from truth's rows and handed to the ranking, which merges what came since. */

import type { Logger } from 'pino';
import type { BoardSeason } from '../domain/board-season.js';
import type { Position } from '../domain/log-record.js';
import { type FoldedEntry, isReached, MAX_MARKS, type Mark } from '../domain/marks.js';
import type { Tag } from '../domain/tag.js';
import { goesOnAfter } from './abortable.js';
import { MarkTroubles } from './mark-troubles.js';

/** Where the marks are; a ranking has them. */
export interface MarkedRanking {
  /** At most `MAX_MARKS` of them; none where the tag has no board. */
  marks(tag: Tag): Promise<readonly Mark[]>;
  /** `null` where nothing is shown; else how far the tag is, and under which definition it is written, if any. */
  state(tag: Tag): Promise<{ readonly writtenHash: string | null; readonly positions: readonly Position[] } | null>;
  settle(
    tag: Tag,
    definitionHash: string,
    mark: Mark,
    folded: readonly FoldedEntry[],
  ): Promise<'settled' | 'superseded'>;
}

/** Truth's side: how far it is, and what a subject's rows below some positions come to. */
export interface PlayerFolds {
  positions(): Promise<readonly Position[]>;
  fold(scope: BoardSeason, playerId: string, below: readonly Position[]): Promise<readonly FoldedEntry[]>;
}

export interface MarkSettlerOptions {
  readonly ranking: MarkedRanking;
  readonly truth: PlayerFolds;
  /** The tags that may have marks now. */
  readonly scopes: () => readonly BoardSeason[];
  readonly logger: Logger;
}

/** A player waits for at most so long before his mark is looked at. */
const LOOK_EVERY_MS = 250;
/** While a store is away. */
const PAUSE_MS = 2_000;
/** Folds under way at once; each is one short query. */
const CONCURRENT_FOLDS = 4;

/** Several processes may settle the same marks: whoever comes second is superseded. */
export class MarkSettler {
  private readonly ending = new AbortController();
  private readonly troubles: MarkTroubles;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly options: MarkSettlerOptions) {
    this.troubles = new MarkTroubles(options.logger);
  }

  start(): void {
    this.running = this.run();
  }

  async close(): Promise<void> {
    this.ending.abort();
    await this.running;
  }

  /**
   * Looks at every tag once, and settles what truth has reached. Answers how many marks were settled. Throws what one tag
   * failed with once it has looked at all; a mark that cannot be settled is no failure, and is tried again later.
   */
  async settleAll(): Promise<number> {
    let settled = 0;
    const failures: unknown[] = [];
    for (const scope of this.options.scopes()) {
      try {
        settled += await this.settleTag(scope);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return settled;
  }

  private async settleTag(scope: BoardSeason): Promise<number> {
    const marks = await this.options.ranking.marks(scope.tag);
    this.troubles.keepOnly(scope, marks);
    if (marks.length === 0 || (await this.isElsewhere(scope))) return 0;
    const positions = await this.options.truth.positions();
    const due = marks.filter((mark) => isReached(mark, positions) && this.troubles.isDue(scope, mark));
    return await this.settleThese(scope, due);
  }

  /** Marks of another definition cannot be settled under ours, so their folds would be thrown away, look after look. */
  private async isElsewhere({ tag, definition }: BoardSeason): Promise<boolean> {
    const state = await this.options.ranking.state(tag);
    return state !== null && state.writtenHash !== definition.hash;
  }

  private async run(): Promise<void> {
    let isTroubled = false;
    let pauseMs = 0;
    while (await goesOnAfter(pauseMs, this.ending.signal)) {
      pauseMs = LOOK_EVERY_MS;
      try {
        // Behind a full read of marks are more.
        if ((await this.settleAll()) >= MAX_MARKS) pauseMs = 0;
        isTroubled = false;
      } catch (error) {
        if (!isTroubled)
          this.options.logger.warn({ err: error }, 'marked players wait: their entries cannot be settled');
        isTroubled = true;
        pauseMs = PAUSE_MS;
      }
    }
  }

  private async settleThese(scope: BoardSeason, marks: readonly Mark[]): Promise<number> {
    const left = [...marks];
    let settled = 0;
    const work = async (): Promise<void> => {
      for (let mark = left.pop(); mark !== undefined && !this.ending.signal.aborted; mark = left.pop()) {
        if (await this.settleOne(scope, mark)) settled += 1;
      }
    };
    // All of them to their end: a fold that goes on alone would outlive the pool.
    const works = await Promise.allSettled(Array.from({ length: CONCURRENT_FOLDS }, work));
    const failure = works.find((one) => one.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
    if (settled > 0) this.options.logger.debug({ tag: scope.name, settled }, 'marked players settled');
    return settled;
  }

  /** What one mark fails with is one player's trouble, and not that of those behind him; where truth is away it is everybody's. */
  private async settleOne(scope: BoardSeason, mark: Mark): Promise<boolean> {
    const { ranking, truth } = this.options;
    const startedAt = performance.now();
    try {
      const folded = await truth.fold(scope, mark.playerId, mark.positions);
      return (await ranking.settle(scope.tag, scope.definition.hash, mark, folded)) === 'settled';
    } catch (error) {
      const tookMs = performance.now() - startedAt;
      await truth.positions();
      this.troubles.add(scope, mark, error, tookMs);
      return false;
    }
  }
}
