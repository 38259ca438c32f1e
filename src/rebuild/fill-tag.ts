/** Fills a tag that has no finished board from truth: positions and folded scores of one moment; live results merge meanwhile. */

import type { Logger } from 'pino';
import type { BoardSeason } from '../domain/board-season.js';
import { StartRefusedError } from '../domain/errors.js';
import type { FillProgress, ReportProgress } from './fill-progress.js';
import type { FillTarget } from './fill-target.js';
import { rebuildCommand } from './rebuild-tag.js';
import { lockTag, runFill } from './run-fill.js';
import type { TruthSource } from './truth-source.js';

export interface FillTagOptions {
  readonly target: FillTarget;
  readonly truth: TruthSource;
  readonly logger: Logger;
  /** `MAX_FILL_CHUNK` of the ranking. */
  readonly maxFillChunk: number;
  /** Ends the waiting for another process, and gives up the fill. */
  readonly signal?: AbortSignal | undefined;
}

/** `exists`: there was a finished board already, or another process made it. */
export type FillOutcome = { readonly kind: 'exists' } | { readonly kind: 'filled'; readonly entries: number };

const TOLD_EVERY_MS = 3_000;

/**
 * Safe to call from many processes for the same tag at once, and again after a death at any step. Throws
 * `StartRefusedError` where the board is shown under another definition: a person must want that replaced.
 */
export async function fillTag(scope: BoardSeason, options: FillTagOptions): Promise<FillOutcome> {
  const { target, truth, logger } = options;
  const startedAt = Date.now();
  const report = reportTo(logger, scope.name);
  if (await hasBoard(scope, target)) return { kind: 'exists' };
  const lock = await lockTag(truth, scope, { report, signal: options.signal });
  try {
    // Another process may have finished between our look and the lock.
    if (await hasBoard(scope, target)) return { kind: 'exists' };
    const entries = await runFill(lock, scope, false, { ...options, report });
    if (entries === null) return { kind: 'exists' };
    const seconds = (Date.now() - startedAt) / 1_000;
    logger.info({ tag: scope.name, entries, seconds }, 'board filled from the database');
    return { kind: 'filled', entries };
  } finally {
    await lock.release();
  }
}

async function hasBoard({ tag, name, definition }: BoardSeason, target: FillTarget): Promise<boolean> {
  const state = await target.state(tag);
  if (state === null) return false;
  if (state.definitionHash === definition.hash) return true;
  throw new StartRefusedError(
    `board ${name} is shown under another definition of its rule, keys, ranges, lists or season: ` +
      `replace it with \`${rebuildCommand(tag)}\``,
  );
}

/** Few boards take so long that anybody wants to know. */
function reportTo(logger: Logger, tag: string): ReportProgress {
  let toldAt = Date.now();
  return (progress: FillProgress) => {
    if (Date.now() - toldAt < TOLD_EVERY_MS) return;
    toldAt = Date.now();
    logger.info({ tag, ...progress }, 'filling a board from the database');
  };
}
