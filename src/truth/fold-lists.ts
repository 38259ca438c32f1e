/**
 * Groups folded rows by the lists in which they count: the SQL twin of `TagLists` in domain/lists.ts.
 *
 * A row's day and week are looked up in windows that come as parameters: time zones are Node's alone. Grouping sets read each
 * row once, however many lists it counts in, and a list's name is put together once for each entry and not for each row.
 */

import { type ListShape, PLAYER_SUBJECT, SEASON_LIST, type TagLists } from '../domain/lists.js';
import type { PeriodWindow } from '../domain/periods.js';
import type { Binder } from './statement.js';

/** Parts of a query over `(SELECT <columns> FROM match_results) AS played`. */
export interface ListGroups {
  /** Columns that the groups are made of, each with a comma behind it. */
  readonly columns: string;
  /** The name of a group's list. */
  readonly listName: string;
  readonly groupBy: string;
  /** `HAVING ...`, or nothing: leaves out groups of rows without a value of the scope, and outside the windows. */
  readonly having: string;
}

/** What rows may be grouped by, beside the subject. */
interface Dimension {
  readonly column: string;
  readonly value: string;
  /** Its part of the list's name, where the group has one. */
  readonly namePart: string;
  /** Whether the group has a value. */
  readonly isThere: string;
}

/** Who is ranked, of a row of match_results; an index of `ensureSubjectIndexes` has the same expression. */
export function subjectColumn({ subject }: Pick<ListShape, 'subject'>, bind: Binder): string {
  return subject === PLAYER_SUBJECT ? 'player_id' : scopeValue(bind.add('text', subject));
}

/** Bytes are compared, as with all ids; a locale's order would also be slow to group by. */
export function scopeValue(scope: string): string {
  return `((scopes ->> ${scope}) COLLATE "C")`;
}

/** `now`: leaves out lists that are not kept any more then, epoch milliseconds. */
export function listGroups(lists: TagLists, now: number | undefined, bind: Binder): ListGroups {
  const { days, weeks, scopes } = lists.shape;
  const isKept = (letter: string) => (window: PeriodWindow) =>
    now === undefined || (lists.named(`${letter}:${window.label}`).keptUntil ?? now) > now;
  const periods = [
    ...periodDimension('d', days.filter(isKept('d')), bind),
    ...periodDimension('w', weeks.filter(isKept('w')), bind),
  ];
  const scoped = scopes.map((scope, index) => scopeDimension(scope, index, bind));
  const all = [...periods, ...scoped];
  // Most boards: a plain GROUP BY, of which PostgreSQL knows more ways than of grouping sets.
  if (all.length === 0) return { columns: '', listName: `'${SEASON_LIST}'`, groupBy: 'subject', having: '' };
  const sets = [[], ...periods.map((one) => [one])].flatMap((period) => [
    period,
    ...scoped.map((one) => [...period, one]),
  ]);
  return {
    columns: all.map(({ column, value }) => `${value} AS ${column},`).join('\n'),
    listName: [firstPart(periods), ...scoped.map(partOf)].join(' || '),
    groupBy: `GROUPING SETS (${sets.map(groupingSet).join(', ')})`,
    having: `HAVING ${all.map(({ column, isThere }) => `(GROUPING(${column}) = 1 OR ${isThere})`).join(' AND ')}`,
  };
}

function periodDimension(letter: 'd' | 'w', windows: readonly PeriodWindow[], bind: Binder): Dimension[] {
  if (windows.length === 0) return [];
  const starts = windows.map(({ startsAt }) => new Date(startsAt).toISOString());
  const labels = bind.add(
    'text[]',
    windows.map(({ label }) => label),
  );
  const column = `window_${letter}`;
  // Windows have no gaps, and the last one ends with the season: 0 is what lies before the first that is kept.
  const value = `width_bucket(achieved_at, ${bind.add('timestamptz[]', starts)})`;
  return [{ column, value, namePart: `'${letter}:' || (${labels})[${column}]`, isThere: `${column} > 0` }];
}

function scopeDimension(scope: string, index: number, bind: Binder): Dimension {
  const name = bind.add('text', scope);
  const column = `scope_${index}`;
  return {
    column,
    value: scopeValue(name),
    namePart: `':' || ${name} || ':' || ${column}`,
    isThere: `${column} IS NOT NULL`,
  };
}

function firstPart(periods: readonly Dimension[]): string {
  const cases = periods.map(({ column, namePart }) => `WHEN GROUPING(${column}) = 0 THEN ${namePart}`);
  return cases.length === 0 ? `'${SEASON_LIST}'` : `CASE ${cases.join(' ')} ELSE '${SEASON_LIST}' END`;
}

function partOf({ column, namePart }: Dimension): string {
  return `CASE WHEN GROUPING(${column}) = 0 THEN ${namePart} ELSE '' END`;
}

function groupingSet(set: readonly Dimension[]): string {
  return `(${['subject', ...set.map(({ column }) => column)].join(', ')})`;
}
