/**
 * Folds rows of truth into packed scores, one for each subject in each list.
 *
 * The SQL twin of domain/rules.ts (`mergeScores`; merge-scores.ts is the other half) and domain/packed-score.ts
 * (`packScore`), and with fold-lists.ts of domain/lists.ts: rows of a tag folded here give what packing each and merging them in any order gives there. Change all
 * of them together.
 */

import type { BoardSeason } from '../domain/board-season.js';
import type { Position } from '../domain/log-record.js';
import type { KeyPlace } from '../domain/packed-score.js';
import type { Rule } from '../domain/rules.js';
import { utcDay } from './day-partitions.js';
import type { DayRange } from './day-windows.js';
import { type ListGroups, listGroups, subjectColumn } from './fold-lists.js';
import { isBetween } from './position-ranges.js';
import { Binder, type Statement } from './statement.js';

/** What a fold answers: a row for each subject in each list, in no order; the score as text, exact to the last bit. */
export interface FoldedRow {
  readonly list: string;
  readonly subject: string;
  readonly score: string;
}

/** One subject's; `score: null` in lists that only rows name which do not count. */
export interface SubjectRow extends Omit<FoldedRow, 'score'> {
  readonly score: string | null;
}

export interface FoldOptions {
  /** Only rows before `next` of each of these partitions count, and none of others. Default: all rows. */
  readonly below?: readonly Position[] | undefined;
  /** With `below`: only rows from `next` of each of these partitions on count, and all of others. */
  readonly from?: readonly Position[];
  /** Only these subjects'. Default: everybody's. */
  readonly subjects?: readonly string[] | undefined;
  /** Only rows of these UTC days count. Default: of all. */
  readonly days?: DayRange;
  /** Rows of these UTC days do not count. Default: none are left out. */
  readonly without?: readonly string[];
  /** Leaves out lists that are not kept any more at that instant, epoch milliseconds. */
  readonly now: number;
}

export interface SubjectFoldOptions extends Pick<FoldOptions, 'days' | 'without' | 'now'> {
  readonly below: readonly Position[];
}

/** The fold of all rows of the board and season that count. Answers `FoldedRow`; parameters are those of the binder. */
export function foldedScores(scope: BoardSeason, options: FoldOptions, bind = new Binder()): Statement {
  const { below, from, subjects, now } = options;
  const conditions = ofDays(options, bind);
  if (below !== undefined) conditions.push(arePlaced(from, below, bind));
  if (subjects !== undefined) {
    conditions.push(`${subjectColumn(scope.lists.shape, bind)} = ANY (${bind.add('text[]', subjects)})`);
  }
  return statement(scope, listGroups(scope.lists, now, bind), bind, { conditions, areAllNamed: false });
}

/** The fold of one subject's rows, over every list that one of them names. Answers `SubjectRow`. */
export function subjectScores(scope: BoardSeason, subject: string, options: SubjectFoldOptions): Statement {
  const bind = new Binder();
  const isSubject = `${subjectColumn(scope.lists.shape, bind)} = ${bind.add('text', subject)}`;
  const conditions = [isSubject, isBelow(options.below, bind), ...ofDays(options, bind)];
  return statement(scope, listGroups(scope.lists, options.now, bind), bind, { conditions, areAllNamed: true });
}

/** A key with its SQL: the value of a row, and the parameters that pack it. */
interface BoundKey {
  readonly isLow: boolean;
  /** The column of the inner query. */
  readonly value: string;
  readonly field: string;
  readonly max: string;
  readonly weight: string;
}

interface Selection {
  /** Of a row of match_results, beside the board's modes and the season. */
  readonly conditions: readonly string[];
  /** Whether lists come out, without a score, that only rows name which do not count. */
  readonly areAllNamed: boolean;
}

function statement(
  { board, season, layout, lists }: BoardSeason,
  groups: ListGroups,
  bind: Binder,
  { conditions, areAllNamed }: Selection,
): Statement {
  const keys = layout.keys.map((key, index) => boundKey(key, index, bind));
  const maxTime = bind.add('bigint', layout.maxTime);
  const startsAt = bind.add('bigint', layout.startsAt);
  const unitMs = bind.add('bigint', layout.unitMs);
  const counts = ['voided_at IS NULL', ...keys.map((key) => inRange(board.rule, key))].join(' AND ');
  const filter = areAllNamed ? `FILTER (WHERE ${counts})` : '';
  const text = `
    SELECT ${groups.listName} AS list, subject, (${merged(board.rule, keys, maxTime, filter)})::text AS score
      FROM (SELECT ${subjectColumn(lists.shape, bind)} AS subject,
                   ${groups.columns}
                   ${keys.map(columnOf).join('\n')}
                   (floor(extract(epoch FROM achieved_at) * 1000)::bigint - ${startsAt}) / ${unitMs} AS elapsed,
                   voided_at
              FROM match_results
             WHERE mode = ANY (${bind.add('text[]', board.modes)})
               AND achieved_at >= ${bind.add('timestamptz', new Date(season.startsAt).toISOString())}
               AND achieved_at < ${bind.add('timestamptz', new Date(season.endsAt).toISOString())}
               AND day BETWEEN ${bind.add('date', utcDay(season.startsAt))} AND ${bind.add('date', utcDay(season.endsAt))}
               ${conditions.map((condition) => `AND ${condition}`).join(' ')}) AS played
     WHERE subject IS NOT NULL ${areAllNamed ? '' : `AND ${counts}`}
     GROUP BY ${groups.groupBy}
     ${groups.having}`;
  return { text, values: bind.values };
}

function ofDays({ days, without = [] }: Pick<FoldOptions, 'days' | 'without'>, bind: Binder): string[] {
  const conditions: string[] = [];
  if (days !== undefined)
    conditions.push(`day BETWEEN ${bind.add('date', days.from)} AND ${bind.add('date', days.to)}`);
  if (without.length > 0) conditions.push(`day <> ALL (${bind.add('date[]', without)})`);
  return conditions;
}

function arePlaced(from: readonly Position[] | undefined, below: readonly Position[], bind: Binder): string {
  return from === undefined ? isBelow(below, bind) : isBetween(from, below, bind);
}

/** EXISTS and not a join: a partition named twice must not count its rows twice. */
function isBelow(below: readonly Position[], bind: Binder): string {
  const sources = bind.add(
    'text[]',
    below.map(({ source }) => source),
  );
  const partitions = bind.add(
    'int[]',
    below.map(({ partition }) => partition),
  );
  const nexts = bind.add(
    'bigint[]',
    below.map(({ next }) => next),
  );
  return `EXISTS (SELECT FROM unnest(${sources}, ${partitions}, ${nexts}) AS below (source, partition, next)
                           WHERE below.source = match_results.source AND below.partition = source_partition
                             AND source_offset < below.next)`;
}

function boundKey({ field, max, weight, isLow }: KeyPlace, index: number, bind: Binder): BoundKey {
  return {
    isLow,
    value: `value_${index}`,
    field: bind.add('text', field),
    max: bind.add('bigint', max),
    weight: bind.add('bigint', weight),
  };
}

/** A row without `fields` has points and nothing else; what a row does not have is no value, and leaves it out. */
function columnOf({ field, value }: BoundKey): string {
  return `CASE WHEN fields IS NOT NULL THEN (fields->>${field})::bigint WHEN ${field} = 'points' THEN points END AS ${value},`;
}

/** `sum` stops at the largest value: what lies beyond it still counts up to there. */
function inRange(rule: Rule, { value, max }: BoundKey): string {
  return rule === 'sum' ? `${value} >= 0` : `${value} BETWEEN 0 AND ${max}`;
}

function merged(rule: Rule, keys: readonly BoundKey[], maxTime: string, filter: string): string {
  switch (rule) {
    case 'best':
      return `max(${packed(keys, maxTime, 'elapsed')}) ${filter}`;
    case 'latest':
      return latest(keys, maxTime, filter);
    case 'sum': {
      // sum(bigint) is numeric: it cannot overflow before it is cut.
      const totals = keys.map((key) => ({ ...key, value: `least(sum(${key.value}) ${filter}, ${key.max})::bigint` }));
      return packed(totals, maxTime, `(max(elapsed) ${filter})`);
    }
  }
}

/**
 * The time above the keys, the other way round than the packed score has them: 53 bits as well, of which the highest is the
 * latest unit, and in it the highest keys. One bigint is compared faster than an array, and needs no sort.
 */
function latest(keys: readonly BoundKey[], maxTime: string, filter: string): string {
  const timeSpan = `(${maxTime} + 1)`;
  const keySpan = `(${2 ** 53} / ${timeSpan})`;
  const reached = `(max(elapsed * ${keySpan} + (${sumOf(keys)}) / ${timeSpan}) ${filter})`;
  return `${reached} % ${keySpan} * ${timeSpan} + ${maxTime} - ${reached} / ${keySpan}`;
}

function packed(keys: readonly BoundKey[], maxTime: string, elapsed: string): string {
  return `${sumOf(keys)} + ${maxTime} - ${elapsed}`;
}

function sumOf(keys: readonly BoundKey[]): string {
  return keys
    .map(({ isLow, value, max, weight }) => `${isLow ? `(${max} - ${value})` : value} * ${weight}`)
    .join(' + ');
}
