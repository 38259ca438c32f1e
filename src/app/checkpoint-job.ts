/** Keeps the checkpoints of all open boards young, one after another; several processes may do so at once. */

import type { Logger } from 'pino';
import type { BoardSeason } from '../domain/board-season.js';
import { goesOnAfter } from '../rebuild/abortable.js';

/** Truth's side of it; src/truth has it. */
export interface CheckpointStore {
  /** Milliseconds since each checkpoint was brought up to date, by the name of the tag. */
  ages(): Promise<ReadonlyMap<string, number>>;
  /** `null` while another process fills the tag or advances its checkpoint. */
  lock(tagName: string): Promise<CheckpointLock | null>;
  /** Drops what no checkpoint needs to know of changed rows any more. */
  dropSeenDirt(): Promise<void>;
}

interface CheckpointLock {
  advance(scope: BoardSeason, options: { readonly rest: (tookMs: number) => Promise<void> }): Promise<unknown>;
  release(): Promise<void>;
}

export interface CheckpointJobOptions {
  readonly store: CheckpointStore;
  /** The boards whose checkpoints are kept. */
  readonly scopes: () => readonly BoardSeason[];
  /** How old a checkpoint may grow. */
  readonly everyMs: number;
  /** Told the age of a board's checkpoint, of several seasons that of the oldest one. */
  readonly setAge: (boardId: string, seconds: number) => void;
  readonly logger: Logger;
}

/** Ages are looked up and told so often. */
const LOOK_EVERY_MS = 15_000;

export class CheckpointJob {
  private readonly ending = new AbortController();
  private held: CheckpointLock | null = null;
  private running: Promise<void> = Promise.resolve();
  /** When an advance failed last, by tag: the next one waits as long as after one that did not. */
  private readonly failedAt = new Map<string, number>();

  constructor(private readonly options: CheckpointJobOptions) {}

  start(): void {
    this.running = this.run();
  }

  /** Gives an advance up that is under way: the next one goes on from its last step. */
  async close(): Promise<void> {
    this.ending.abort();
    await this.held?.release();
    await this.running;
  }

  /** Looks at every board once. */
  async runOnce(): Promise<void> {
    const { store, scopes, everyMs } = this.options;
    const ages = await store.ages();
    this.tellAges(ages);
    let advanced = 0;
    for (const scope of scopes()) {
      if (this.ending.signal.aborted) return;
      const isYoung = (ages.get(scope.name) ?? Number.POSITIVE_INFINITY) < everyMs;
      const failedMs = Date.now() - (this.failedAt.get(scope.name) ?? Number.NEGATIVE_INFINITY);
      if (!isYoung && failedMs >= everyMs && (await this.advance(scope))) advanced += 1;
    }
    if (advanced === 0) return;
    await store.dropSeenDirt();
    this.tellAges(await store.ages());
  }

  /** One board's trouble is not that of the others. */
  private async advance(scope: BoardSeason): Promise<boolean> {
    const { store, logger } = this.options;
    const startedAt = Date.now();
    this.held = await store.lock(scope.name);
    if (this.held === null) return false;
    try {
      if (this.ending.signal.aborted) return false;
      // As long again as each step takes: results are written at the same time.
      await this.held.advance(scope, {
        rest: async (tookMs) => void (await goesOnAfter(tookMs, this.ending.signal)),
      });
      this.failedAt.delete(scope.name);
      logger.debug({ tag: scope.name, seconds: (Date.now() - startedAt) / 1_000 }, 'checkpoint advanced');
      return true;
    } catch (error) {
      if (this.ending.signal.aborted) return false;
      this.failedAt.set(scope.name, Date.now());
      logger.warn({ err: error, tag: scope.name }, 'the checkpoint of a board stays as it is');
      return false;
    } finally {
      await this.held.release();
      this.held = null;
    }
  }

  /** A board without a checkpoint has no age. */
  private tellAges(ages: ReadonlyMap<string, number>): void {
    const oldest = new Map<string, number>();
    for (const { name, tag } of this.options.scopes()) {
      const age = ages.get(name);
      if (age !== undefined) oldest.set(tag.boardId, Math.max(age, oldest.get(tag.boardId) ?? 0));
    }
    for (const [boardId, ageMs] of oldest) this.options.setAge(boardId, ageMs / 1_000);
  }

  private async run(): Promise<void> {
    let isTroubled = false;
    do {
      try {
        await this.runOnce();
        isTroubled = false;
      } catch (error) {
        if (!isTroubled) this.options.logger.warn({ err: error }, 'checkpoints cannot be looked at');
        isTroubled = true;
      }
    } while (await goesOnAfter(LOOK_EVERY_MS, this.ending.signal));
  }
}
