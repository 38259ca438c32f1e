/** Fills a tag anew from truth beside what is shown, whatever that is: no reader notices before the new board is whole. */

import type { BoardSeason } from '../domain/board-season.js';
import type { Tag } from '../domain/tag.js';
import { lockTag, type RunFillOptions, runFill } from './run-fill.js';
import type { TruthSource } from './truth-source.js';

export interface RebuildTagOptions extends RunFillOptions {
  readonly truth: TruthSource;
}

export interface Rebuilt {
  /** What came from truth, over all lists of the tag. */
  readonly entries: number;
}

/**
 * A board of the same definition goes on, shown and written; truth must come as far as it stands, so a process with the role
 * truth has to run. Where it does not come on to truth, as below results that the log has dropped, it begins anew where truth
 * is. That one, as one of another definition, stays shown, and is written no more; a missing one is made. Rejects with the
 * signal's reason after an abort. Whatever it rejects with, what is shown is as it was, but where it is of another
 * definition, or begins anew, it may be written no more, by anybody, until a rebuild has ended (see domain/tag-standing.ts).
 */
export async function rebuildTag(scope: BoardSeason, options: RebuildTagOptions): Promise<Rebuilt> {
  const lock = await lockTag(options.truth, scope, options);
  try {
    const entries = await runFill(lock, scope, true, options);
    if (entries === null) throw new Error(`the ranking kept ${scope.name}, which it was asked to replace`);
    return { entries };
  } finally {
    await lock.release();
  }
}

/** Of a board that is missing, shown or written under another definition: what a person is to do. */
export function otherDefinition({ name, tag }: BoardSeason): string {
  return (
    `there is no board ${name} under the definition of the boards file (its rule, keys, lists, ranges and season): ` +
    `restore the file, or run \`${rebuildCommand(tag)}\``
  );
}

/** What a person types who wants the board rebuilt. */
export function rebuildCommand({ boardId, seasonId }: Tag): string {
  return `npx rankcast rebuild --board ${boardId} --season ${seasonId}`;
}
