/** The entries of a checkpoint: table `board_checkpoint_entry`. Written only by who holds the tag's lock. */

import type { PoolClient } from 'pg';
import type { BoardSeason } from '../domain/board-season.js';
import type { TagLists } from '../domain/lists.js';
import type { Position } from '../domain/log-record.js';
import { type FoldOptions, foldedScores } from './fold-scores.js';
import { mergedScore } from './merge-scores.js';
import { patientQuery } from './patient-query.js';
import { Binder, type Statement } from './statement.js';

/** How many subjects are folded anew in one statement. */
const SUBJECTS_AT_ONCE = 1_000;

/** All of them as `FoldedRow`, in no order. */
export function checkpointEntries(tagName: string): Statement {
  const text = 'SELECT list, subject_id AS subject, score::text FROM board_checkpoint_entry WHERE tag = $1::text';
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
  const insert = insertFolded(scope, range, bind);
  const merged = mergedScore(scope.definition.merge, 'held.score', 'excluded.score', bind);
  // Most results of rule best change nothing, and a row that is written again is a dead one to clear away.
  const text = `${insert}
    ON CONFLICT (tag, subject_id, list) DO UPDATE SET score = ${merged} WHERE held.score <> ${merged}`;
  await client.query(patientQuery(timeoutMs, text, bind.values));
}

/** Makes the entries of these subjects what all their rows below the positions come to. */
export async function replaceSubjects(
  client: PoolClient,
  scope: BoardSeason,
  subjects: readonly string[],
  options: Pick<FoldOptions, 'below' | 'now'>,
  timeoutMs: number,
): Promise<void> {
  for (let start = 0; start < subjects.length; start += SUBJECTS_AT_ONCE) {
    const some = subjects.slice(start, start + SUBJECTS_AT_ONCE);
    await client.query('DELETE FROM board_checkpoint_entry WHERE tag = $1 AND subject_id = ANY ($2::text[])', [
      scope.name,
      some,
    ]);
    const bind = new Binder();
    const text = insertFolded(scope, { ...options, subjects: some }, bind);
    await client.query(patientQuery(timeoutMs, text, bind.values));
  }
}

/** Drops the entries of periods that ceased to be kept in `(after, until]`, epoch milliseconds. */
export async function dropExpired(
  client: PoolClient,
  { name, lists }: BoardSeason,
  after: number,
  until: number,
  timeoutMs: number,
): Promise<void> {
  const periods = expiredPeriods(lists, after, until);
  if (periods.length === 0) return;
  // The value of a scope stands behind, and may have colons of its own.
  const text = `DELETE FROM board_checkpoint_entry
    WHERE tag = $1 AND split_part(list, ':', 1) || ':' || split_part(list, ':', 2) = ANY ($2::text[])`;
  await client.query(patientQuery(timeoutMs, text, [name, periods]));
}

function expiredPeriods(lists: TagLists, after: number, until: number): string[] {
  const { days, weeks } = lists.shape;
  const names = [...days.map(({ label }) => `d:${label}`), ...weeks.map(({ label }) => `w:${label}`)];
  return names.filter((name) => {
    const { keptUntil } = lists.named(name);
    return keptUntil !== null && after < keptUntil && keptUntil <= until;
  });
}

/** In the order of the key, so that neighbours of the index are written together. */
function insertFolded(scope: BoardSeason, options: FoldOptions, bind: Binder): string {
  const { text } = foldedScores(scope, options, bind);
  return `INSERT INTO board_checkpoint_entry AS held (tag, subject_id, list, score)
    SELECT ${bind.add('text', scope.name)}, subject, list, score::bigint FROM (${text}) AS folded
     ORDER BY subject COLLATE "C", list COLLATE "C"`;
}
