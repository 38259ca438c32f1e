/** Drops what rebuilds left that were killed when their board was shown and the old one was not yet gone. */

import type { Logger } from 'pino';
import type { BoardSeason } from '../domain/board-season.js';
import type { FillTarget } from './fill-target.js';
import { sweepAll } from './run-fill.js';

export interface SweepTagsOptions {
  readonly target: Pick<FillTarget, 'sweep'>;
  readonly logger: Logger;
  /** Ends it between two calls. */
  readonly signal: AbortSignal;
}

/** Beside fills and other sweeps: nothing goes that is shown or filled. Never rejects; the next fill or start tries again. */
export async function sweepTags(
  scopes: readonly BoardSeason[],
  { target, logger, signal }: SweepTagsOptions,
): Promise<void> {
  for (const { tag, name } of scopes) {
    try {
      await sweepAll(target, tag, signal);
    } catch (error) {
      logger.warn({ err: error, tag: name }, 'lists of an old board are left until the next start or rebuild');
    }
  }
}
