/**
 * Fills a tag that has no board of its definition from truth: positions and folded scores of one moment; live results merge
 * meanwhile.
 */

import type { Logger } from 'pino';
import type { BoardSeason } from '../domain/board-season.js';
import { StartRefusedError } from '../domain/errors.js';
import { standingOf, type TagStanding } from '../domain/tag-standing.js';
import type { FillProgress, ReportProgress } from './fill-progress.js';
import type { FillTarget } from './fill-target.js';
import { otherDefinition } from './rebuild-tag.js';
import { lockTag, runFill } from './run-fill.js';
import type { TruthSource } from './truth-source.js';

export interface FillTagOptions {
  readonly target: FillTarget;
  readonly truth: TruthSource;
  readonly logger: Logger;
  /** `MAX_FILL_CHUNK` of the ranking. */
  readonly maxFillChunk: number;
  /** Ends the waiting for another process, and gives the fill up. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * `exists`: there was a finished board already, or another process made it.
 * `elsewhere`: another process has the tag in hand, and there is something to show until it is done: ask again later.
 */
export type FillOutcome =
  | { readonly kind: 'exists' | 'elsewhere' }
  | { readonly kind: 'filled'; readonly entries: number };

const TOLD_EVERY_MS = 3_000;

/**
 * Safe to call from many processes for the same tag at once, and again after a death at any step. Waits for another process
 * only where nothing is shown. Replaces what a rebuild under the same definition left behind, whoever began that. Throws
 * `StartRefusedError` where the tag is written under another definition: a person must want that replaced.
 */
export async function fillTag(scope: BoardSeason, options: FillTagOptions): Promise<FillOutcome> {
  const { target, truth, logger } = options;
  const startedAt = Date.now();
  const report = reportTo(logger, scope.name);
  const seen = await standingIn(scope, target);
  if (seen === 'current') return { kind: 'exists' };
  const { signal } = options;
  const lock = await (seen === 'missing' ? lockTag(truth, scope, { report, signal }) : truth.lock(scope.name));
  if (lock === null) return { kind: 'elsewhere' };
  try {
    // Another process may have finished between our look and the lock.
    const standing = await standingIn(scope, target);
    if (standing === 'current') return { kind: 'exists' };
    const entries = await runFill(lock, scope, standing === 'left-behind', { ...options, report });
    if (entries === null) return { kind: 'exists' };
    const seconds = (Date.now() - startedAt) / 1_000;
    logger.info({ tag: scope.name, entries, seconds }, 'board filled from the database');
    return { kind: 'filled', entries };
  } finally {
    await lock.release();
  }
}

async function standingIn(scope: BoardSeason, target: FillTarget): Promise<Exclude<TagStanding, 'other-definition'>> {
  const standing = standingOf(scope.definition.hash, await target.state(scope.tag));
  if (standing !== 'other-definition') return standing;
  throw new StartRefusedError(otherDefinition(scope));
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
