/** A ranking by sorting everything, written without any of the product's code: what the engines are compared with. */

import type { Entry } from '../../src/domain/change.js';

/** All rows from rank 1 on: score, then id bytes, both descending. */
export function bruteForce(scores: Iterable<readonly [playerId: string, score: number]>): readonly Entry[] {
  return sortRows(scores, (a, b) => b - a).map(([playerId, score], index) => ({ playerId, score, rank: index + 1 }));
}

/** A result or an entry before anything is packed. */
export interface RawEntry {
  readonly points: number;
  readonly second: number;
}

/** A rule as it is said to people. */
export interface RawRule {
  readonly rule: 'best' | 'latest' | 'sum';
  readonly isLow: boolean;
  readonly maxTotal: number;
}

/** The entry that a player's results make, looking at all of them at once: at least one. */
export function entryOf(results: readonly RawEntry[], { rule, isLow, maxTotal }: RawRule): RawEntry {
  const lastSecond = Math.max(...results.map(({ second }) => second));
  const total = results.reduce((sum, { points }) => sum + points, 0);
  if (rule === 'sum') return { points: Math.min(total, maxTotal), second: lastSecond };
  const counted = rule === 'latest' ? results.filter(({ second }) => second === lastSecond) : results;
  const [first] = counted.toSorted(compareRaw(isLow));
  if (first === undefined) throw new Error('there is no entry without a result');
  return first;
}

/** Ids from rank 1 on: points, then who had them first, then id bytes. */
export function bruteForceRaw(
  entries: Iterable<readonly [playerId: string, entry: RawEntry]>,
  isLow: boolean,
): readonly (readonly [playerId: string, entry: RawEntry])[] {
  return sortRows(entries, compareRaw(isLow));
}

function compareRaw(isLow: boolean): (a: RawEntry, b: RawEntry) => number {
  return (a, b) => (isLow ? a.points - b.points : b.points - a.points) || a.second - b.second;
}

function sortRows<Value>(
  rows: Iterable<readonly [playerId: string, value: Value]>,
  compare: (a: Value, b: Value) => number,
): (readonly [playerId: string, value: Value])[] {
  return [...rows].sort(([idA, a], [idB, b]) => compare(a, b) || Buffer.compare(Buffer.from(idB), Buffer.from(idA)));
}
