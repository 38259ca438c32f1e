import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packScore, scoreLayout, unpackAchievedAt, unpackPoints } from '../../src/domain/packed-score.js';
import { compareRaw, DAY_MS, high, layoutOf, low, rawResults, SHAPES, season } from './layout-fixture.js';

const FULL = 2 ** 53 - 1;
const seasonOf = (days: number) => ({ ...season, endsAt: season.startsAt + days * DAY_MS });
const points = (max: number) => [high('points', max)];

describe('scoreLayout', () => {
  it.each([
    ['21 bits of points and 90 days', 2_097_151, 90, 10],
    ['21 bits of points and five years', 2_097_151, 1_826, 100],
    ['20 bits of points and 90 days', 1_048_575, 90, 1],
    ['one more point than 20 bits', 1_048_576, 90, 10],
    ['30 bits of points and 90 days', 1_073_741_823, 90, 1_000],
    ['no points at all', 0, 90, 1],
  ])('finds the finest unit for %s', (_, max, days, unitMs) => {
    expect(scoreLayout(points(max), seasonOf(days)).unitMs).toBe(unitMs);
  });

  it('gives each key its bits, the most important the highest, and time the rest', () => {
    const layout = scoreLayout([high('winRate', 1_000), low('deaths', 63), high('rounds', 64)], season);
    expect(layout.timeBits).toBe(53 - 10 - 6 - 7);
    expect(layout.keys.map(({ field, weight }) => [field, Math.log2(weight)])).toEqual([
      ['winRate', 43],
      ['deaths', 37],
      ['rounds', 30],
    ]);
  });

  it('refuses keys that leave no room for time, and says how many bits each of them takes', () => {
    const refusal = () => scoreLayout(points(2 ** 40), season);
    expect(refusal).toThrow(RangeError);
    expect(refusal).toThrow(
      '53 bits are not enough (points up to 1099511627776: 41, left for time: 12): season 9 needs 17 for time',
    );
    expect(() => scoreLayout([high('kills', 2 ** 20 - 1), low('deaths', 2 ** 20)], season)).toThrow(
      '(kills up to 1048575: 20, deaths up to 1048576: 21, left for time: 12)',
    );
  });

  it('says that nothing is left where keys alone take more than all bits', () => {
    expect(() => scoreLayout([high('a', 2 ** 30), high('b', 2 ** 30)], season)).toThrow(/b up to .*left for time: 0\)/);
    expect(() => scoreLayout(points(FULL), season)).toThrow(RangeError);
  });

  it.each([
    ['one key', points(2_097_151)],
    ['several', [high('a', 1_023), low('b', 1_023), low('c', 1)]],
  ])('uses a capacity to its last unit, and no further: %s', (_, keys) => {
    const full = { ...season, endsAt: season.startsAt + 2 ** 32 };
    const layout = scoreLayout(keys, full);
    expect(layout.unitMs).toBe(1);
    expect(scoreLayout(keys, { ...full, endsAt: full.endsAt + 1 }).unitMs).toBe(10);
    const worst = Object.fromEntries(keys.map(({ field, max, isLow }) => [field, isLow ? max : 0]));
    expect(packScore(layout, worst, full.endsAt - 1)).toBe(0);
  });
});

describe('packScore, at the edges', () => {
  it.each(SHAPES)('is exact for 0 and the most of each key, in the first and the last unit: $name', (shape) => {
    const layout = layoutOf(shape);
    const last = season.startsAt + shape.lengthMs - 1;
    const bits = (value: number) => BigInt(value);
    for (const edges of cornersOf(shape.keys)) {
      for (const achievedAt of [season.startsAt, season.startsAt + layout.unitMs - 1, last]) {
        const elapsed = Math.floor((achievedAt - season.startsAt) / layout.unitMs);
        const wanted = layout.keys.reduce(
          (sum, { field, max, isLow, weight }) =>
            sum + bits(isLow ? max - (edges[field] ?? 0) : (edges[field] ?? 0)) * bits(weight),
          bits(layout.maxTime - elapsed),
        );
        const score = packScore(layout, edges, achievedAt);
        expect(BigInt(score)).toBe(wanted);
        expect(Number.isSafeInteger(score)).toBe(true);
        expect(unpackPoints(layout, score)).toBe(edges[shape.keys[0]?.field ?? '']);
        expect(unpackAchievedAt(layout, score)).toBe(season.startsAt + elapsed * layout.unitMs);
      }
    }
  });

  it.each([
    ['one key', points(2_097_151), { points: 2_097_151 }],
    ['a low key', [low('points', 2_097_151)], { points: 0 }],
    ['several', [high('a', 511), low('b', 511), high('c', 511), low('d', 511)], { a: 511, b: 0, c: 511, d: 0 }],
  ])('never passes 2^53-1, and reaches it with the best in the first unit: %s', (_, keys, best) => {
    expect(packScore(scoreLayout(keys, season), best, season.startsAt)).toBe(FULL);
  });

  it('packs 53 bits of points, where a season of a minute needs none for time', () => {
    const minute = { ...season, endsAt: season.startsAt + 60_000 };
    const layout = scoreLayout(points(FULL), minute);
    expect(layout).toMatchObject({ timeBits: 0, maxTime: 0, unitMs: 60_000 });
    for (const value of [0, 1, FULL - 1, FULL]) {
      const score = packScore(layout, { points: value }, minute.endsAt - 1);
      expect(score).toBe(value);
      expect(unpackPoints(layout, score)).toBe(value);
      expect(unpackAchievedAt(layout, score)).toBe(season.startsAt);
    }
  });

  it.each([
    ['more points than the board has room for', { points: 101 }, season.startsAt],
    ['negative points', { points: -1 }, season.startsAt],
    ['no points', {}, season.startsAt],
    ['points of another name', { kills: 1 }, season.startsAt],
    ['a time before the season', { points: 1 }, season.startsAt - 1],
    ['a time beyond the bits', { points: 1 }, season.startsAt + 2 ** 46],
  ])('refuses %s', (_, values, achievedAt) => {
    expect(() => packScore(scoreLayout(points(100), season), values, achievedAt)).toThrow(RangeError);
  });

  it('refuses any key outside its range, not only the first', () => {
    const layout = scoreLayout([high('a', 9), low('constructor', 9)], season);
    expect(() => packScore(layout, { a: 9, constructor: 10 }, season.startsAt)).toThrow(RangeError);
    // What every object inherits is no value.
    expect(() => packScore(layout, { a: 9 }, season.startsAt)).toThrow(RangeError);
  });
});

describe('packScore, in general', () => {
  it('gives back points and time, for any limit, direction, points and moment of the season', () => {
    const input = fc
      .record({ max: fc.integer({ min: 0, max: 2 ** 35 }), days: fc.integer({ min: 1, max: 366 }) })
      .chain(({ max, days }) =>
        fc.record({
          max: fc.constant(max),
          days: fc.constant(days),
          isLow: fc.boolean(),
          value: fc.oneof(fc.constant(max), fc.integer({ min: 0, max })),
          elapsedMs: fc.oneof(fc.constant(days * DAY_MS - 1), fc.integer({ min: 0, max: days * DAY_MS - 1 })),
        }),
      );
    const check = ({ max, days, isLow, value, elapsedMs }: typeof input extends fc.Arbitrary<infer T> ? T : never) => {
      // More points than fit beside minutes of this season are refused; that is another test.
      fc.pre(max.toString(2).length + (days * 1_440).toString(2).length <= 53);
      const layout = scoreLayout([{ field: 'points', max, isLow }], seasonOf(days));
      const achievedAt = season.startsAt + elapsedMs;
      const score = packScore(layout, { points: value }, achievedAt);
      expect(Number.isSafeInteger(score) && score >= 0).toBe(true);
      expect(unpackPoints(layout, score)).toBe(value);
      expect(unpackAchievedAt(layout, score)).toBe(achievedAt - (elapsedMs % layout.unitMs));
    };
    fc.assert(fc.property(input, check), { numRuns: 500 });
  });

  it.each(SHAPES)('orders as key by key in its direction does, then the earlier unit: $name', (shape) => {
    const layout = layoutOf(shape);
    const check = (results: readonly Parameters<typeof compareRaw>[1][]) => {
      for (const a of results) {
        for (const b of results) {
          const packed = packScore(layout, a.values, a.achievedAt) - packScore(layout, b.values, b.achievedAt);
          expect(Math.sign(packed)).toBe(Math.sign(compareRaw(layout, a, b)));
        }
      }
    };
    fc.assert(fc.property(rawResults(shape), check), { numRuns: 100 });
  });

  it('puts more points above fewer, then the earlier time, then nothing', () => {
    const layout = scoreLayout(points(2_097_151), season);
    const pack = (value: number, achievedAt: number) => packScore(layout, { points: value }, achievedAt);
    const at = (second: number) => season.startsAt + second * 1_000;
    expect(pack(501, at(5_000_000))).toBeGreaterThan(pack(500, at(0)));
    expect(pack(500, at(10))).toBeGreaterThan(pack(500, at(11)));
    expect(pack(500, at(10))).toBe(pack(500, at(10) + layout.unitMs - 1));
    expect(pack(500, at(10))).toBeGreaterThan(pack(500, at(10) + layout.unitMs));
  });

  it('keeps neighbouring seconds apart where 32 bits of them would not fit (case A01)', () => {
    const layout = scoreLayout(points(4_194_305), season);
    const achievedAts = [1_775_000_002_000, 1_775_000_003_000, 1_775_000_004_000];
    for (const value of [2_097_152, 4_194_305]) {
      const scores = achievedAts.map((achievedAt) => packScore(layout, { points: value }, achievedAt));
      expect(scores.toSorted((a, b) => b - a)).toEqual(scores);
      expect(new Set(scores).size).toBe(3);
      expect(scores.map((score) => unpackAchievedAt(layout, score))).toEqual(achievedAts);
      expect(scores.map((score) => unpackPoints(layout, score))).toEqual([value, value, value]);
    }
  });
});

/** Every choice of 0 or the most for each key. */
function cornersOf(keys: readonly { field: string; max: number }[]): Record<string, number>[] {
  return keys.reduce<Record<string, number>[]>(
    (corners, { field, max }) => corners.flatMap((corner) => [0, max].map((value) => ({ ...corner, [field]: value }))),
    [{}],
  );
}
