/** SQL of rows whose records lie in a range of positions. */

import type { Position } from '../domain/log-record.js';
import { PositionMap } from './source-positions.js';
import type { Binder } from './statement.js';

/**
 * Rows from `from` (absent: 0) up to `below` of each partition of `below`. Constants instead of a join: only with them the
 * planner goes by the index of offsets, which leads to the blocks of the range and not through a whole season.
 */
export function isBetween(from: readonly Position[], below: readonly Position[], bind: Binder): string {
  const starts = new PositionMap(from);
  const ranges = new PositionMap(below).all().filter((end) => starts.of(end) < end.next);
  const conditions = ranges.map(
    (end) =>
      `(source_offset >= ${bind.add('bigint', starts.of(end))} AND source_offset < ${bind.add('bigint', end.next)} ` +
      `AND source = ${bind.add('text', end.source)} AND source_partition = ${bind.add('int', end.partition)})`,
  );
  return conditions.length === 0 ? 'false' : `(${conditions.join(' OR ')})`;
}

/**
 * Where a step from `from` towards `to` ends that considers at most about `records`: every partition goes the same share of
 * its way, so that all arrive with the same step.
 */
export function stepTowards(from: readonly Position[], to: readonly Position[], records: number): Position[] {
  const starts = new PositionMap(from);
  const ends = new PositionMap([...to, ...from]).all();
  const total = ends.reduce((sum, end) => sum + (end.next - starts.of(end)), 0);
  const share = total <= records ? 1 : records / total;
  return ends.map((end) => {
    const start = starts.of(end);
    // Rounded up: a step that gets nowhere would be repeated for ever.
    return { ...end, next: Math.min(end.next, start + Math.ceil((end.next - start) * share)) };
  });
}
