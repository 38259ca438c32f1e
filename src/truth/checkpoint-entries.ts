/** The entries of a checkpoint: table `board_checkpoint_entry`. Written only by who holds the tag's lock. */

import type { PoolClient } from 'pg';
import type { BoardSeason } from '../domain/board-season.js';
import type { Position } from '../domain/log-record.js';
import { detachedEntries } from './detached-entries.js';
import { mergeEntries } from './entry-table.js';
import { type FoldOptions, foldedScores } from './fold-scores.js';
import { Binder, type Statement } from './statement.js';

const TABLE = 'board_checkpoint_entry';

/** How many subjects are folded anew in one statement. */
const SUBJECTS_AT_ONCE = 1_000;

/** All of them as `FoldedRow`, in no order. */
export function checkpointEntries(tagName: string): Statement {
  const text = `SELECT list, subject_id AS subject, score::text FROM ${TABLE} WHERE tag = $1::text`;
  return { text, values: [tagName] };
}

/** Merges the fold of the rows between two positions into what is there. */
export async function mergeRows(
  client: PoolClient,
  scope: BoardSeason,
  range: FoldOptions & { readonly from: readonly Position[] },
  timeoutMs: number,
): Promise<void> {
  const bind = new Binder();
  const { text } = foldedScores(scope, range, bind);
  await mergeEntries(client, TABLE, scope, text, bind, timeoutMs);
}

/** Merges what detached days come to into what is there; `subjects`: only theirs. Nothing where no day is detached. */
export async function mergeDetached(
  client: PoolClient,
  scope: BoardSeason,
  options: Pick<FoldOptions, 'subjects' | 'now'>,
  timeoutMs: number,
): Promise<void> {
  const bind = new Binder();
  await mergeEntries(client, TABLE, scope, detachedEntries(scope, options, bind), bind, timeoutMs);
}

/**
 * Makes the entries of these subjects what all their rows below the positions come to. `options.without`: the detached days,
 * whose entries stand for their rows.
 */
export async function replaceSubjects(
  client: PoolClient,
  scope: BoardSeason,
  subjects: readonly string[],
  options: Pick<FoldOptions, 'below' | 'now'> & { readonly without: readonly string[] },
  timeoutMs: number,
): Promise<void> {
  for (let start = 0; start < subjects.length; start += SUBJECTS_AT_ONCE) {
    const some = subjects.slice(start, start + SUBJECTS_AT_ONCE);
    await client.query(`DELETE FROM ${TABLE} WHERE tag = $1 AND subject_id = ANY ($2::text[])`, [scope.name, some]);
    const bind = new Binder();
    const { text } = foldedScores(scope, { ...options, subjects: some }, bind);
    await mergeEntries(client, TABLE, scope, text, bind, timeoutMs);
    if (options.without.length > 0) await mergeDetached(client, scope, { subjects: some, now: options.now }, timeoutMs);
  }
}
