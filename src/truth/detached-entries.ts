/**
 * What the rows of a tag's detached days come to: tables `detached_fold` and `detached_entry`. Rules are merges, so the fold
 * of all rows is these entries merged with the fold of the rows of the days that are there. They only grow, by further days:
 * orders that name a result of a detached day are refused. Written only by who holds the tag's lock.
 */

import type { PoolClient } from 'pg';
import type { BoardSeason } from '../domain/board-season.js';
import { StoreUnavailableError } from '../domain/errors.js';
import { countBehind, type Position } from '../domain/log-record.js';
import { DetachedDaysError, needsDays, readDetachedDays } from './detached-days.js';
import { isListKept, mergeEntries } from './entry-table.js';
import { type FoldOptions, foldedScores } from './fold-scores.js';
import { mergedScore } from './merge-scores.js';
import { patientQuery } from './patient-query.js';
import { PositionMap } from './source-positions.js';
import { Binder, type Statement } from './statement.js';

/** The days that the entries are the fold of, and the positions that all rows of those lie below. */
export interface DetachedFold {
  /** UTC days, in the order of time. */
  readonly days: readonly string[];
  readonly positions: readonly Position[];
}

/**
 * Of the season's detached days; without any there are no entries to merge. `what`: the subject of a sentence. Throws
 * `DetachedDaysError` where the entries are of another definition, or of other days than are detached now.
 */
export async function readDetachedFold(client: PoolClient, scope: BoardSeason, what: string): Promise<DetachedFold> {
  const days = await readDetachedDays(client, scope.season);
  if (days.length === 0) return { days, positions: [] };
  const fold = await readDetachedRecord(client, scope);
  if (fold === null || !areSame(fold.days, days)) throw new DetachedDaysError(needsDays(what, days));
  return fold;
}

/** What is there, of whatever days; `null`: nothing of the present definition. */
export async function readDetachedRecord(
  client: PoolClient,
  { name, definition }: BoardSeason,
): Promise<DetachedFold | null> {
  const { rows } = await client.query<{ days: string[]; positions: Position[] }>(
    `SELECT ARRAY(SELECT day::text FROM unnest(days) AS day ORDER BY day) AS days, positions
       FROM detached_fold WHERE tag = $1 AND definition_hash = $2`,
    [name, definition.hash],
  );
  return rows[0] ?? null;
}

/**
 * Whether a checkpoint at these positions holds entries of detached days whose rows it has not passed, and which are there
 * again: they would be counted twice. Only one that started from the entries is behind them.
 */
export async function hasAttachedSince(
  client: PoolClient,
  scope: BoardSeason,
  positions: readonly Position[],
): Promise<boolean> {
  const fold = await readDetachedRecord(client, scope);
  if (fold === null || countBehind(positions, fold.positions) === 0) return false;
  return !areSame(fold.days, await readDetachedDays(client, scope.season));
}

/** A board that is behind its detached days catches up with them; what they come to cannot be taken apart meanwhile. */
export function refuseBehind({ name }: BoardSeason, { positions }: DetachedFold, below: readonly Position[]): void {
  const behind = countBehind(below, positions);
  if (behind === 0) return;
  throw new StoreUnavailableError(
    `days of ${name} were detached ${behind} records ahead of the board, which must catch up with that first`,
  );
}

/** The entries, in lists that are kept at `now`, as an SQL text that answers `FoldedRow`; `subjects`: only theirs. */
export function detachedEntries(
  { name, lists }: BoardSeason,
  { now, subjects }: Pick<FoldOptions, 'now' | 'subjects'>,
  bind: Binder,
): string {
  const ofSubjects = subjects === undefined ? '' : `AND subject_id = ANY (${bind.add('text[]', subjects)})`;
  return `SELECT list, subject_id AS subject, score::text AS score FROM detached_entry
           WHERE tag = ${bind.add('text', name)} AND ${isListKept(lists, now, bind)} ${ofSubjects}`;
}

/** The fold of the rows merged with the entries; `options.without`: the detached days. Answers `FoldedRow`. */
export function foldedOnDetached(scope: BoardSeason, options: FoldOptions): Statement {
  const bind = new Binder();
  const rows = foldedScores(scope, options, bind).text;
  const merged = mergedScore(scope.definition.merge, 'held.score::bigint', 'rows.score::bigint', bind);
  const text = `SELECT list, subject, CASE WHEN held.score IS NULL THEN rows.score WHEN rows.score IS NULL THEN held.score
                                           ELSE (${merged})::text END AS score
      FROM (${rows}) AS rows FULL JOIN (${detachedEntries(scope, options, bind)}) AS held USING (list, subject)`;
  return { text, values: bind.values };
}

/**
 * Adds the fold of a day, all of whose rows lie below `positions`; in the transaction that tells of the day, before it is
 * told of. Where no other day is detached, what was there is of days that were attached again, and goes.
 */
export async function addDetachedDay(
  client: PoolClient,
  scope: BoardSeason,
  { day, positions, now }: { readonly day: string; readonly positions: readonly Position[]; readonly now: number },
  timeoutMs: number,
): Promise<void> {
  const held = await readDetachedFold(client, scope, `detaching more of ${scope.name}`);
  if (held.days.length === 0) await forgetDetached(client, scope, timeoutMs);
  const bind = new Binder();
  const { text } = foldedScores(scope, { days: { from: day, to: day }, now }, bind);
  await mergeEntries(client, 'detached_entry', scope, text, bind, timeoutMs);
  const reached = new PositionMap([...held.positions, ...positions]).all();
  await client.query(
    `INSERT INTO detached_fold AS held (tag, definition_hash, days, positions) VALUES ($1, $2, ARRAY[$3::date], $4)
     ON CONFLICT (tag) DO UPDATE SET days = held.days || excluded.days, positions = excluded.positions`,
    [scope.name, scope.definition.hash, day, JSON.stringify(reached)],
  );
}

/** Where no day is detached any more. */
export async function forgetDetached(client: PoolClient, { name }: BoardSeason, timeoutMs: number): Promise<void> {
  await client.query('DELETE FROM detached_fold WHERE tag = $1', [name]);
  await client.query(patientQuery(timeoutMs, 'DELETE FROM detached_entry WHERE tag = $1', [name]));
}

function areSame(days: readonly string[], others: readonly string[]): boolean {
  return days.length === others.length && days.every((day, index) => day === others[index]);
}
