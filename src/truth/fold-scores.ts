/**
 * Folds rows of truth into packed scores, one for each player.
 *
 * The SQL twin of domain/rules.ts (`mergeScores`) and domain/packed-score.ts (`packScore`): rows of a tag folded here give
 * what packing each and merging them in any order gives there. Change all of them together.
 */

import type { Pool, PoolClient } from 'pg';
import type { Position } from '../domain/log-record.js';
import type { KeyPlace, ScoreLayout } from '../domain/packed-score.js';
import type { Rule } from '../domain/rules.js';
import { parseSafeInteger } from '../domain/safe-integer.js';
import type { Season } from '../domain/season.js';
import { utcDay } from './day-partitions.js';

/** Which rows of truth are ranked, how their scores are packed and how these merge. */
export interface FoldScope {
  readonly modes: readonly string[];
  readonly season: Season;
  readonly layout: ScoreLayout;
  readonly rule: Rule;
}

/** An SQL text and its parameters. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** What a fold answers: a row for each player, in no order; the score as text, exact to the last bit. */
export interface FoldedRow {
  readonly player_id: string;
  readonly score: string;
}

/** The fold of all rows of the scope that are not voided. */
export function packedScores(scope: FoldScope): Statement {
  const bind = new Binder();
  return { text: foldText(scope, bind, ''), values: bind.values };
}

/**
 * The fold of one player's rows below the positions: of each partition its rows before `next`, and none of a partition that
 * is not among them. `null` where there is no such row. Throws pg's errors as they come, as its transaction's owner expects.
 */
export async function foldPlayer(
  client: Pool | PoolClient,
  scope: FoldScope,
  playerId: string,
  below: readonly Position[],
): Promise<number | null> {
  const bind = new Binder();
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
  // EXISTS and not a join: a partition named twice must not count its rows twice.
  const text = foldText(
    scope,
    bind,
    `AND player_id = ${bind.add('text', playerId)}
     AND EXISTS (SELECT FROM unnest(${sources}, ${partitions}, ${nexts}) AS below (source, partition, next)
                  WHERE below.source = match_results.source AND below.partition = source_partition
                    AND source_offset < below.next)`,
  );
  const { rows } = await client.query<FoldedRow>(text, bind.values);
  return rows[0] === undefined ? null : parseSafeInteger(rows[0].score, 'packed score');
}

/** Collects the parameters of a statement while its text is put together. */
class Binder {
  readonly values: unknown[] = [];

  add(type: string, value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
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

function foldText(scope: FoldScope, bind: Binder, andWhere: string): string {
  const { layout, season, rule } = scope;
  const keys = layout.keys.map((key, index) => boundKey(key, index, bind));
  const maxTime = bind.add('bigint', layout.maxTime);
  const startsAt = bind.add('bigint', layout.startsAt);
  const unitMs = bind.add('bigint', layout.unitMs);
  return `
    SELECT player_id, (${merged(rule, keys, maxTime)})::text AS score
      FROM (SELECT player_id,
                   ${keys.map(columnOf).join('\n')}
                   (floor(extract(epoch FROM achieved_at) * 1000)::bigint - ${startsAt}) / ${unitMs} AS elapsed
              FROM match_results
             WHERE mode = ANY (${bind.add('text[]', scope.modes)})
               AND achieved_at >= ${bind.add('timestamptz', new Date(season.startsAt).toISOString())}
               AND achieved_at < ${bind.add('timestamptz', new Date(season.endsAt).toISOString())}
               AND day BETWEEN ${bind.add('date', utcDay(season.startsAt))} AND ${bind.add('date', utcDay(season.endsAt))}
               AND voided_at IS NULL
               ${andWhere}) AS played
     WHERE ${keys.map((key) => inRange(rule, key)).join(' AND ')}
     GROUP BY player_id`;
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

function merged(rule: Rule, keys: readonly BoundKey[], maxTime: string): string {
  switch (rule) {
    case 'best':
      return `max(${packed(keys, maxTime, 'elapsed')})`;
    case 'latest':
      // Arrays compare element by element: the latest unit and in it the highest score, in one pass without a sort.
      return `(max(ARRAY[elapsed, ${packed(keys, maxTime, 'elapsed')}]))[2]`;
    case 'sum': {
      // sum(bigint) is numeric: it cannot overflow before it is cut.
      const totals = keys.map((key) => ({ ...key, value: `least(sum(${key.value}), ${key.max})::bigint` }));
      return packed(totals, maxTime, 'max(elapsed)');
    }
  }
}

function packed(keys: readonly BoundKey[], maxTime: string, elapsed: string): string {
  const parts = keys.map(({ isLow, value, max, weight }) => `${isLow ? `(${max} - ${value})` : value} * ${weight}`);
  return `${parts.join(' + ')} + ${maxTime} - ${elapsed}`;
}
