/** Rules are merges: whatever the order, the grouping and, but for sum, the repeats, the entry is the same. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packScore, type ScoreLayout, unpackAchievedAt, unpackPoints } from '../../src/domain/packed-score.js';
import { mergeScores, type Rule, type ScoreMerge, scoreMerge } from '../../src/domain/rules.js';
import {
  compareRaw,
  high,
  layoutOf,
  low,
  type RawResult,
  rawResults,
  SHAPES,
  type Shape,
  season,
  unitOf,
} from './layout-fixture.js';

const RUNS = { numRuns: 100 };
const LENGTH_MS = season.endsAt - season.startsAt;

/** Totals that a few results reach, and totals that fill the 53 bits. */
const SUM_SHAPES: readonly Shape[] = [
  { name: 'a small total, high', keys: [high('points', 1_000)], lengthMs: LENGTH_MS },
  { name: 'a small total, low', keys: [low('points', 1_000)], lengthMs: LENGTH_MS },
  { name: 'a total of 36 bits, high', keys: [high('points', 2 ** 36 - 1)], lengthMs: LENGTH_MS },
  { name: 'a total of 36 bits, low', keys: [low('points', 2 ** 36 - 1)], lengthMs: LENGTH_MS },
  { name: 'a total of all 53 bits, high', keys: [high('points', 2 ** 53 - 1)], lengthMs: 60_000 },
  { name: 'a total of all 53 bits, low', keys: [low('points', 2 ** 53 - 1)], lengthMs: 60_000 },
];

const CASES: readonly (readonly [rule: Rule, name: string, shape: Shape])[] = [
  ...SHAPES.map((shape) => ['best', shape.name, shape] as const),
  ...SHAPES.map((shape) => ['latest', shape.name, shape] as const),
  ...SUM_SHAPES.map((shape) => ['sum', shape.name, shape] as const),
];
const REPEATABLE = CASES.filter(([rule]) => rule !== 'sum');

function pack(layout: ScoreLayout, { values, achievedAt }: RawResult): number {
  return packScore(layout, values, achievedAt);
}

function fold(merge: ScoreMerge, scores: readonly number[]): number | null {
  return scores.reduce<number | null>((entry, score) => mergeScores(merge, entry, score), null);
}

/** The entry as a person would make it out from the results, without a merge. */
function entryOf(rule: Rule, layout: ScoreLayout, results: readonly RawResult[]): number {
  const lastUnit = Math.max(...results.map((result) => unitOf(layout, result)));
  if (rule === 'sum') {
    const [key] = layout.keys;
    if (key === undefined) throw new Error('no key');
    const total = results.reduce((sum, { values }) => sum + BigInt(values[key.field] ?? 0), 0n);
    const points = total > BigInt(key.max) ? key.max : Number(total);
    return packScore(layout, { [key.field]: points }, layout.startsAt + lastUnit * layout.unitMs);
  }
  const counting = rule === 'best' ? results : results.filter((result) => unitOf(layout, result) === lastUnit);
  return pack(
    layout,
    counting.reduce((a, b) => (compareRaw(layout, a, b) >= 0 ? a : b)),
  );
}

describe.each(CASES)('rule %s, %s', (rule, _, shape) => {
  const layout = layoutOf(shape);
  const merge = scoreMerge(rule, layout);

  it('takes the first score as it is', () => {
    const check = (results: readonly RawResult[]) => {
      for (const score of results.map((result) => pack(layout, result))) {
        expect(mergeScores(merge, null, score)).toBe(score);
      }
    };
    fc.assert(fc.property(rawResults(shape), check), RUNS);
  });

  it('is commutative and associative', () => {
    const check = (results: readonly RawResult[]) => {
      const [a = 0, b = 0, c = 0] = results.map((result) => pack(layout, result));
      expect(mergeScores(merge, a, b)).toBe(mergeScores(merge, b, a));
      expect(mergeScores(merge, mergeScores(merge, a, b), c)).toBe(mergeScores(merge, a, mergeScores(merge, b, c)));
    };
    fc.assert(fc.property(rawResults(shape, 3), check), RUNS);
  });

  it('merges packed scores to what brute force makes of the raw results, in any order', () => {
    const shuffled = rawResults(shape).chain((results) =>
      fc.tuple(fc.constant(results), fc.shuffledSubarray(results, { minLength: results.length })),
    );
    const check = ([results, inOtherOrder]: [RawResult[], RawResult[]]) => {
      const wanted = entryOf(rule, layout, results);
      for (const order of [results, inOtherOrder]) {
        expect(
          fold(
            merge,
            order.map((result) => pack(layout, result)),
          ),
        ).toBe(wanted);
      }
    };
    fc.assert(fc.property(shuffled, check), RUNS);
  });
});

it.each(REPEATABLE)('rule %s takes repeats for nothing, at once and later: %s', (rule, _, shape) => {
  const layout = layoutOf(shape);
  const merge = scoreMerge(rule, layout);
  const check = (results: readonly RawResult[]) => {
    const scores = results.map((result) => pack(layout, result));
    const entry = fold(merge, scores);
    for (const score of scores) {
      expect(mergeScores(merge, score, score)).toBe(score);
      expect(mergeScores(merge, entry, score)).toBe(entry);
    }
  };
  fc.assert(fc.property(rawResults(shape), check), RUNS);
});

it.each([...SHAPES, ...SUM_SHAPES])('at least 30 %% of these results tie, by keys and by time: $name', (shape) => {
  const layout = layoutOf(shape);
  const pairs = fc
    .sample(rawResults(shape), { numRuns: 300, seed: 9 })
    .flatMap((results) => results.slice(1).map((result, index) => [results[index] ?? result, result] as const));
  const share = (isTie: (a: RawResult, b: RawResult) => boolean) =>
    pairs.filter(([a, b]) => isTie(a, b)).length / pairs.length;
  expect(share((a, b) => shape.keys.every(({ field }) => a.values[field] === b.values[field]))).toBeGreaterThan(0.3);
  expect(share((a, b) => unitOf(layout, a) === unitOf(layout, b))).toBeGreaterThan(0.3);
});

describe('rule best', () => {
  it('takes the first score, then only a higher one', () => {
    const merge = scoreMerge('best', layoutOf({ name: '', keys: [high('points', 9)], lengthMs: LENGTH_MS }));
    expect(mergeScores(merge, null, 0)).toBe(0);
    expect(mergeScores(merge, 5, 4)).toBe(5);
    expect(mergeScores(merge, 5, 5)).toBe(5);
    expect(mergeScores(merge, 5, 6)).toBe(6);
    expect(mergeScores(merge, 0, 0)).toBe(0);
  });
});

describe.each([
  ['high', high('points', 1_000)],
  ['low', low('points', 1_000)],
])('%s first', (direction, key) => {
  const layout = layoutOf({ name: '', keys: [key], lengthMs: LENGTH_MS });
  const at = (points: number, unit: number) => packScore(layout, { points }, season.startsAt + unit * layout.unitMs);
  const merged = (rule: Rule, ...scores: number[]) => {
    const entry = fold(scoreMerge(rule, layout), scores) ?? Number.NaN;
    return [unpackPoints(layout, entry), (unpackAchievedAt(layout, entry) - season.startsAt) / layout.unitMs];
  };
  const better = Math[direction === 'high' ? 'max' : 'min'](30, 700);

  it('best keeps the better points, of equal ones the earlier', () => {
    expect(merged('best', at(30, 1), at(700, 2))).toEqual(better === 30 ? [30, 1] : [700, 2]);
    expect(merged('best', at(30, 7), at(30, 5))).toEqual([30, 5]);
  });

  it('latest takes the later time whatever the points, and at equal times the better points', () => {
    expect(merged('latest', at(30, 1), at(700, 2))).toEqual([700, 2]);
    expect(merged('latest', at(700, 1), at(30, 2))).toEqual([30, 2]);
    expect(merged('latest', at(30, 2), at(700, 2))).toEqual([better, 2]);
    expect(merged('latest', at(700, 2), at(30, 2))).toEqual([better, 2]);
  });

  it('sum adds points up at the later time, and a repeat counts twice', () => {
    expect(merged('sum', at(30, 5), at(700, 2))).toEqual([730, 5]);
    expect(merged('sum', at(30, 5), at(30, 5))).toEqual([60, 5]);
    expect(merged('sum', at(30, 5), at(0, 9))).toEqual([30, 9]);
  });

  it('sum stops at the total, to the point, and goes on taking the later time', () => {
    expect(merged('sum', at(300, 1), at(700, 2))).toEqual([1_000, 2]);
    expect(merged('sum', at(301, 1), at(700, 2))).toEqual([1_000, 2]);
    expect(merged('sum', at(300, 1), at(699, 2))).toEqual([999, 2]);
    expect(merged('sum', at(1_000, 1), at(1_000, 2), at(1, 3))).toEqual([1_000, 3]);
  });
});
