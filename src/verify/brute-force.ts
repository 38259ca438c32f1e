/**
 * The ranking by brute force, from the results themselves: every one is looked at again at each quiet point. It knows
 * the rules from README.md and nothing of how the server works them out.
 */

import type { PlayedResult } from './played-results.js';

export interface RankedRow {
  /** From 1. */
  readonly rank: number;
  readonly playerId: string;
  readonly points: number;
}

export interface RankingRules {
  readonly rule: 'best' | 'latest' | 'sum';
  /** Which points are rank 1. */
  readonly order: 'high' | 'low';
  /** Times are compared in whole units since then. */
  readonly startsAt: number;
  readonly unitMs: number;
}

interface Entry {
  readonly playerId: string;
  readonly points: number;
  /** In whole units. `null`: not known, and no other row has the same points. */
  readonly time: number | null;
}

/** `others` were there before, best first; none of `results` has their points. */
export function rankByBruteForce(
  results: Iterable<PlayedResult>,
  others: readonly RankedRow[],
  rules: RankingRules,
): RankedRow[] {
  const own = new Map<string, Entry>();
  for (const result of results) {
    const entry = entryOf(result, rules);
    const held = own.get(entry.playerId);
    own.set(entry.playerId, held === undefined ? entry : merge(held, entry, rules));
  }
  const ranked = [...own.values()].sort((a, b) => compareEntries(a, b, rules));
  const rows: Omit<RankedRow, 'rank'>[] = [];
  let next = 0;
  for (const other of others) {
    for (
      let entry = ranked[next];
      entry !== undefined && isBefore(entry.points, other.points, rules);
      entry = ranked[next]
    ) {
      rows.push(entry);
      next += 1;
    }
    rows.push(other);
  }
  rows.push(...ranked.slice(next));
  return rows.map(({ playerId, points }, index) => ({ rank: index + 1, playerId, points }));
}

function entryOf({ playerId, points, achievedAt }: PlayedResult, { startsAt, unitMs }: RankingRules): Entry {
  return { playerId, points, time: Math.floor((achievedAt - startsAt) / unitMs) };
}

function merge(a: Entry, b: Entry, rules: RankingRules): Entry {
  const [timeA, timeB] = [a.time ?? 0, b.time ?? 0];
  if (rules.rule === 'sum') return { ...a, points: a.points + b.points, time: Math.max(timeA, timeB) };
  if (rules.rule === 'latest' && timeA !== timeB) return timeA > timeB ? a : b;
  return compareEntries(a, b, rules) <= 0 ? a : b;
}

/** Better points first; then who had them earlier; then the greater id, byte by byte. */
function compareEntries(a: Entry, b: Entry, rules: RankingRules): number {
  if (a.points !== b.points) return isBefore(a.points, b.points, rules) ? -1 : 1;
  if (a.time !== b.time) return (a.time ?? 0) - (b.time ?? 0);
  return Buffer.compare(Buffer.from(b.playerId), Buffer.from(a.playerId));
}

function isBefore(a: number, b: number, { order }: RankingRules): boolean {
  return order === 'high' ? a > b : a < b;
}
