/** Layouts of each kind, raw results of which many tie, and their order as people would put it. */

import fc from 'fast-check';
import { type ScoreKey, type ScoreLayout, scoreLayout } from '../../src/domain/packed-score.js';

export const DAY_MS = 86_400_000;
/** Season s9 of the cases: 2026-03-02 to 2026-06-01, 91 days. */
export const season = { seasonId: '9', startsAt: 1_772_409_600_000, endsAt: 1_780_272_000_000 };

export const high = (field: string, max: number): ScoreKey => ({ field, max, isLow: false });
export const low = (field: string, max: number): ScoreKey => ({ field, max, isLow: true });

/** How long a season is and what orders a board in it; the unit follows. */
export interface Shape {
  readonly name: string;
  readonly keys: readonly ScoreKey[];
  readonly lengthMs: number;
}

const LENGTH_MS = season.endsAt - season.startsAt;
export const SHAPES: readonly Shape[] = [
  { name: 'one key, high', keys: [high('points', 2_097_151)], lengthMs: LENGTH_MS },
  { name: 'one key, low', keys: [low('seconds', 3_599)], lengthMs: LENGTH_MS },
  { name: 'two keys, high and low', keys: [high('winRate', 1_000), low('deaths', 63)], lengthMs: LENGTH_MS },
  {
    name: 'four keys, the time in minutes, 53 bits full',
    keys: [low('a', 511), high('b', 511), low('c', 511), high('d', 511)],
    lengthMs: LENGTH_MS,
  },
  { name: 'one key of 53 bits, high', keys: [high('points', 2 ** 53 - 1)], lengthMs: 60_000 },
  { name: 'one key of 53 bits, low', keys: [low('points', 2 ** 53 - 1)], lengthMs: 60_000 },
];

export function layoutOf({ keys, lengthMs }: Shape): ScoreLayout {
  return scoreLayout(keys, { ...season, endsAt: season.startsAt + lengthMs });
}

export interface RawResult {
  readonly values: Readonly<Record<string, number>>;
  readonly achievedAt: number;
}

/** Each result is as likely a new one as it repeats the values, the unit of time or both of the one before. */
export function rawResults(shape: Shape, minLength = 2): fc.Arbitrary<RawResult[]> {
  const { unitMs } = layoutOf(shape);
  const fresh = fc.record({
    values: fc.record(Object.fromEntries(shape.keys.map(({ field, max }) => [field, fc.integer({ min: 0, max })]))),
    elapsedMs: fc.integer({ min: 0, max: shape.lengthMs - 1 }),
    echo: fc.constantFrom('nothing', 'values', 'unit', 'both'),
  });
  return fc.array(fresh, { minLength, maxLength: 8 }).map((drawn) => {
    const results: RawResult[] = [];
    for (const { values, elapsedMs, echo } of drawn) {
      const before = results.at(-1) ?? { values, achievedAt: season.startsAt + elapsedMs };
      const beforeMs = before.achievedAt - season.startsAt;
      const sameUnitMs = Math.min(beforeMs - (beforeMs % unitMs) + (elapsedMs % unitMs), shape.lengthMs - 1);
      const keepsValues = echo === 'values' || echo === 'both';
      const keepsUnit = echo === 'unit' || echo === 'both';
      results.push({
        values: keepsValues ? before.values : values,
        achievedAt: season.startsAt + (keepsUnit ? sameUnitMs : elapsedMs),
      });
    }
    return results;
  });
}

/** Which unit of the season a result falls into. */
export function unitOf({ unitMs, startsAt }: ScoreLayout, { achievedAt }: RawResult): number {
  return Math.floor((achievedAt - startsAt) / unitMs);
}

/** Above 0 where `a` stands higher: key by key in its direction, then the earlier unit. */
export function compareRaw(layout: ScoreLayout, a: RawResult, b: RawResult): number {
  for (const { field, isLow } of layout.keys) {
    const difference = (a.values[field] ?? 0) - (b.values[field] ?? 0);
    if (difference !== 0) return isLow ? -difference : difference;
  }
  return unitOf(layout, b) - unitOf(layout, a);
}
