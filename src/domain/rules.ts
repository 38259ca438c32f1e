/**
 * Rules: commutative, associative merges of packed scores into an entry. Twins: ranking/lua/includes/merge-scores.lua and
 * truth/fold-scores.ts.
 *
 * | rule | the entry after a merge | the same result twice |
 * | --- | --- | --- |
 * | best | the higher packed score, so equal points go to the earlier time | changes nothing |
 * | latest | the score with the later time; at equal times the higher one | changes nothing |
 * | sum | the points of both, at the later of the two times; stops at the board's `maxTotal` | counts twice |
 */

import type { ScoreLayout } from './packed-score.js';

export type Rule = 'best' | 'latest' | 'sum';

/** A rule, and what it must know of the packed score to take it apart. */
export interface ScoreMerge {
  readonly rule: Rule;
  /** 2^timeBits: a packed score's rest by it is its time part, higher the earlier. */
  readonly timeSpan: number;
  /** The largest value of the most important key: where a total stops. */
  readonly maxTotal: number;
  /** Fewer is better: the key is packed as `maxTotal - value`. */
  readonly isLow: boolean;
}

export function scoreMerge(rule: Rule, layout: ScoreLayout): ScoreMerge {
  const [key] = layout.keys;
  if (key === undefined) throw new RangeError('a layout has at least one key');
  return { rule, timeSpan: 2 ** layout.timeBits, maxTotal: key.max, isLow: key.isLow };
}

export function mergeScores(merge: ScoreMerge, current: number | null, incoming: number): number {
  if (current === null) return incoming;
  switch (merge.rule) {
    case 'best':
      return Math.max(current, incoming);
    case 'latest':
      return latest(merge, current, incoming);
    case 'sum':
      return sum(merge, current, incoming);
  }
}

function latest({ timeSpan }: ScoreMerge, current: number, incoming: number): number {
  const currentTime = current % timeSpan;
  const incomingTime = incoming % timeSpan;
  if (currentTime === incomingTime) return Math.max(current, incoming);
  return incomingTime < currentTime ? incoming : current;
}

function sum({ timeSpan, maxTotal, isLow }: ScoreMerge, current: number, incoming: number): number {
  const time = Math.min(current % timeSpan, incoming % timeSpan);
  const a = Math.floor(current / timeSpan);
  const b = Math.floor(incoming / timeSpan);
  // Low first, both are what is left up to maxTotal; no step of it leaves 53 bits.
  const packed = isLow ? Math.max(a - (maxTotal - b), 0) : Math.min(a + b, maxTotal);
  return packed * timeSpan + time;
}
