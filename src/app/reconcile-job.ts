/** Reconciles the open boards now and then in a server with the role truth, one after another. */

import type { Logger } from 'pino';
import type { BoardSeason } from '../domain/board-season.js';
import { goesOnAfter } from '../rebuild/abortable.js';
import { type Reconciled, reconcileTag } from '../rebuild/reconcile-tag.js';
import { lockTag } from '../rebuild/run-fill.js';
import { OpenTags } from '../results/open-tags.js';
import type { ConsumerOptions } from './consumers.js';
import { reconciledTruth } from './reconcile-truth.js';

export interface ReconcileJobOptions {
  readonly everyMs: number;
  readonly scopes: () => readonly BoardSeason[];
  /** `null`: there is no board of this definition. */
  readonly reconcile: (scope: BoardSeason, signal: AbortSignal) => Promise<Reconciled | null>;
  /** Told how many rows were found differing, for each board that was compared. */
  readonly count: (boardId: string, rows: number) => void;
  readonly logger: Logger;
  /** From 0 to 1: which part of `everyMs` passes before the first time, so that servers do not all begin at once. */
  readonly random?: () => number;
}

export class ReconcileJob {
  private readonly ending = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly options: ReconcileJobOptions) {}

  start(): void {
    this.running = this.run();
  }

  /** Ends a reconcile that is under way. */
  async close(): Promise<void> {
    this.ending.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { everyMs, scopes, random = Math.random } = this.options;
    let pauseMs = everyMs * random();
    while (await goesOnAfter(pauseMs, this.ending.signal)) {
      const startedAt = Date.now();
      for (const scope of scopes()) await this.reconcile(scope);
      pauseMs = Math.max(0, startedAt + everyMs - Date.now());
    }
  }

  /** What fails is tried again the next time. */
  private async reconcile(scope: BoardSeason): Promise<void> {
    const { reconcile, count, logger } = this.options;
    const { signal } = this.ending;
    if (signal.aborted) return;
    const startedAt = Date.now();
    try {
      const found = await reconcile(scope, signal);
      if (found === null) return logger.debug({ tag: scope.name }, 'reconcile.skipped');
      count(scope.tag.boardId, found.differing);
      const seconds = (Date.now() - startedAt) / 1_000;
      const level = found.differing > 0 ? 'warn' : 'info';
      logger[level]({ tag: scope.name, ...found, seconds }, 'board compared with the database');
    } catch (error) {
      if (!signal.aborted) logger.warn({ err: error, tag: scope.name }, 'a board was not compared with the database');
    }
  }
}

/** `everyMs` 0: never. */
export async function startReconcileJob(options: ConsumerOptions, everyMs: number): Promise<void> {
  if (everyMs === 0) return;
  const { seasons, stores, lifecycle, logger, metrics } = options;
  const tags = new OpenTags(seasons);
  const { ranking } = stores;
  const truth = reconciledTruth(stores.pool);
  const job = new ReconcileJob({
    everyMs,
    scopes: () => tags.openAt(Date.now()),
    reconcile: async (scope, signal) => {
      const lock = await lockTag(truth, scope, { report: () => {}, signal });
      return await reconcileTag(lock, scope, { ranking, truth, signal }).finally(() => lock.release());
    },
    count: (board, rows) => metrics.driftRows.inc({ board }, rows),
    logger,
  });
  await lifecycle.start(
    'reconcile job',
    () => job.start(),
    () => job.close(),
  );
}
