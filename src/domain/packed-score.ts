/** The packed score: points and the time they were reached in one 53-bit integer, higher is better. */

import type { Season } from './season.js';

/** How points and time share the 53 bits on one board in one season. */
export interface ScoreLayout {
  readonly maxPoints: number;
  readonly timeBits: number;
  /** Largest value of the time half; the season's first unit packs to it, so that earlier is better. */
  readonly maxTime: number;
  /** Milliseconds in one unit of the time half. */
  readonly unitMs: number;
  readonly startsAt: number;
}

/** IEEE doubles, Redis scores and JavaScript numbers are exact for integers of at most 53 bits. */
const SCORE_BITS = 53;
const UNITS_MS = [1, 10, 100, 1_000, 10_000, 60_000] as const;

/** The finest time unit that fits beside `maxPoints` for the season's length; throws with the bit budget where none does. */
export function scoreLayout(maxPoints: number, season: Season): ScoreLayout {
  const pointBits = maxPoints.toString(2).length;
  const timeBits = SCORE_BITS - pointBits;
  const capacity = 2 ** timeBits;
  const lengthMs = season.endsAt - season.startsAt;
  const unitMs = UNITS_MS.find((unit) => Math.ceil(lengthMs / unit) <= capacity);
  if (unitMs === undefined) {
    const needed = Math.ceil(lengthMs / 60_000).toString(2).length;
    throw new RangeError(
      `points up to ${maxPoints} take ${pointBits} bits and leave ${timeBits} of ${SCORE_BITS} for time, ` +
        `but season ${season.seasonId} needs ${needed} even in minutes: lower the points' max or shorten the season`,
    );
  }
  return { maxPoints, timeBits, maxTime: capacity - 1, unitMs, startsAt: season.startsAt };
}

/** `points * 2^timeBits + (maxTime - elapsed)`; multiplication, because `<<` is 32-bit. Input was judged before. */
export function packScore(layout: ScoreLayout, points: number, achievedAt: number): number {
  const elapsed = Math.floor((achievedAt - layout.startsAt) / layout.unitMs);
  if (points < 0 || points > layout.maxPoints || elapsed < 0 || elapsed > layout.maxTime) {
    throw new RangeError(`cannot pack ${points} points at ${achievedAt} into ${JSON.stringify(layout)}`);
  }
  return points * 2 ** layout.timeBits + (layout.maxTime - elapsed);
}

export function unpackPoints(layout: ScoreLayout, score: number): number {
  return Math.floor(score / 2 ** layout.timeBits);
}

/** When the points were reached, epoch milliseconds, cut to the layout's unit. */
export function unpackAchievedAt(layout: ScoreLayout, score: number): number {
  const elapsed = layout.maxTime - (score % 2 ** layout.timeBits);
  return layout.startsAt + elapsed * layout.unitMs;
}
