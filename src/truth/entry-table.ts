/**
 * Tables of packed scores by tag, subject and list, of the same columns: what a checkpoint counts, and what the detached days
 * of a tag come to. Written only by who holds the tag's lock.
 */

import type { PoolClient } from 'pg';
import type { BoardSeason } from '../domain/board-season.js';
import type { TagLists } from '../domain/lists.js';
import { mergedScore } from './merge-scores.js';
import { patientQuery } from './patient-query.js';
import type { Binder } from './statement.js';

export type EntryTable = 'board_checkpoint_entry' | 'detached_entry';

/** What a list's name begins with: the value of a scope stands behind, and may have colons of its own. */
const PERIOD = "split_part(list, ':', 1) || ':' || split_part(list, ':', 2)";

/** Merges entries into those that are there; `folded`: an SQL text that answers `FoldedRow`, with parameters of the binder. */
export async function mergeEntries(
  client: PoolClient,
  table: EntryTable,
  { name, definition }: BoardSeason,
  folded: string,
  bind: Binder,
  timeoutMs: number,
): Promise<void> {
  const merged = mergedScore(definition.merge, 'held.score', 'excluded.score', bind);
  // In the order of the key, so that neighbours of the index are written together. Most results of rule best change nothing,
  // and a row that is written again is a dead one to clear away.
  const text = `INSERT INTO ${table} AS held (tag, subject_id, list, score)
    SELECT ${bind.add('text', name)}, subject, list, score::bigint FROM (${folded}) AS folded
     ORDER BY subject COLLATE "C", list COLLATE "C"
    ON CONFLICT (tag, subject_id, list) DO UPDATE SET score = ${merged} WHERE held.score <> ${merged}`;
  await client.query(patientQuery(timeoutMs, text, bind.values));
}

/** Drops the entries of periods that ceased to be kept in `(after, until]`, epoch milliseconds. */
export async function dropExpired(
  client: PoolClient,
  table: EntryTable,
  { name, lists }: BoardSeason,
  after: number,
  until: number,
  timeoutMs: number,
): Promise<void> {
  const periods = expiredPeriods(lists, after, until);
  if (periods.length === 0) return;
  const text = `DELETE FROM ${table} WHERE tag = $1 AND ${PERIOD} = ANY ($2::text[])`;
  await client.query(patientQuery(timeoutMs, text, [name, periods]));
}

/** A condition on `list`: it is kept at that instant. */
export function isListKept(lists: TagLists, now: number, bind: Binder): string {
  return `${PERIOD} <> ALL (${bind.add('text[]', expiredPeriods(lists, Number.NEGATIVE_INFINITY, now))})`;
}

function expiredPeriods(lists: TagLists, after: number, until: number): string[] {
  const { days, weeks } = lists.shape;
  const names = [...days.map(({ label }) => `d:${label}`), ...weeks.map(({ label }) => `w:${label}`)];
  return names.filter((name) => {
    const { keptUntil } = lists.named(name);
    return keptUntil !== null && after < keptUntil && keptUntil <= until;
  });
}
