/** The packed score: the keys of a board and the time they were reached in one 53-bit integer, higher is better. */

import type { Season } from './season.js';

/** A field that orders a board, and the largest value to make room for. */
export interface ScoreKey {
  readonly field: string;
  readonly max: number;
  /** Fewer is better: packed as `max - value`. */
  readonly isLow: boolean;
}

/** A key's place in the packed score. */
export interface KeyPlace extends ScoreKey {
  /** What 1 of it is worth in the packed score, a power of two; below lie the less important keys and the time. */
  readonly weight: number;
}

/** How keys and time share the 53 bits on one board in one season. */
export interface ScoreLayout {
  /** The most important first. */
  readonly keys: readonly KeyPlace[];
  readonly timeBits: number;
  /** Largest value of the time part; the season's first unit packs to it, so that earlier is better. */
  readonly maxTime: number;
  /** Milliseconds in one unit of the time part. */
  readonly unitMs: number;
  readonly startsAt: number;
}

/** IEEE doubles, Redis scores and JavaScript numbers are exact for integers of at most 53 bits. */
const SCORE_BITS = 53;
const UNITS_MS = [1, 10, 100, 1_000, 10_000, 60_000] as const;

/** The finest time unit that fits beside the keys for the season's length; throws with the bit budget where none does. */
export function scoreLayout(scoreKeys: readonly ScoreKey[], season: Season): ScoreLayout {
  const keyBits = scoreKeys.map(({ max }) => bitsOf(max));
  const timeBits = SCORE_BITS - keyBits.reduce((sum, bits) => sum + bits, 0);
  const capacity = 2 ** timeBits;
  const lengthMs = season.endsAt - season.startsAt;
  const unitMs = UNITS_MS.find((unit) => Math.ceil(lengthMs / unit) <= capacity);
  if (unitMs === undefined) {
    const budget = scoreKeys.map(({ field, max }, index) => `${field} up to ${max}: ${keyBits[index]}`).join(', ');
    const needed = bitsOf(Math.ceil(lengthMs / 60_000));
    throw new RangeError(
      `${SCORE_BITS} bits are not enough (${budget}, left for time: ${Math.max(timeBits, 0)}): season ${season.seasonId} ` +
        `needs ${needed} for time even in minutes; lower a max, drop a key or shorten the season`,
    );
  }
  let usedBits = timeBits;
  const keys = scoreKeys.toReversed().map((key, index): KeyPlace => {
    const weight = 2 ** usedBits;
    usedBits += keyBits[keyBits.length - 1 - index] ?? 0;
    return { ...key, weight };
  });
  return { keys: keys.toReversed(), timeBits, maxTime: capacity - 1, unitMs, startsAt: season.startsAt };
}

/**
 * The sum of `value * weight` over the keys, and `maxTime - elapsed`; multiplication, because `<<` is 32-bit. `values` are
 * a judged result's fields. Throws RangeError for what was not judged, before any wrong order can come of it.
 */
export function packScore(layout: ScoreLayout, values: Readonly<Record<string, number>>, achievedAt: number): number {
  const elapsed = Math.floor((achievedAt - layout.startsAt) / layout.unitMs);
  let score = layout.maxTime - elapsed;
  let isInside = elapsed >= 0 && elapsed <= layout.maxTime;
  for (const { field, max, isLow, weight } of layout.keys) {
    const value = values[field] ?? Number.NaN;
    isInside &&= value >= 0 && value <= max;
    score += (isLow ? max - value : value) * weight;
  }
  if (isInside) return score;
  throw new RangeError(`cannot pack ${JSON.stringify(values)} at ${achievedAt} into ${JSON.stringify(layout)}`);
}

/** The value of the most important key: what a row shows as its points. */
export function unpackPoints(layout: ScoreLayout, score: number): number {
  const [key] = layout.keys;
  if (key === undefined) throw new RangeError('a layout has at least one key');
  const packed = Math.floor(score / key.weight);
  return key.isLow ? key.max - packed : packed;
}

/** When the points were reached, epoch milliseconds, cut to the layout's unit. */
export function unpackAchievedAt(layout: ScoreLayout, score: number): number {
  const elapsed = layout.maxTime - (score % 2 ** layout.timeBits);
  return layout.startsAt + elapsed * layout.unitMs;
}

function bitsOf(max: number): number {
  return max.toString(2).length;
}
