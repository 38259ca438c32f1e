import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packScore, scoreLayout, unpackAchievedAt, unpackPoints } from '../../src/domain/packed-score.js';

const DAY_MS = 86_400_000;
/** Season s9 of the cases: 2026-03-02 to 2026-06-01, 91 days. */
const season = { seasonId: '9', startsAt: 1_772_409_600_000, endsAt: 1_780_272_000_000 };
const seasonOf = (days: number) => ({ ...season, endsAt: season.startsAt + days * DAY_MS });

describe('scoreLayout', () => {
  it.each([
    ['21 bits of points and 90 days', 2_097_151, 90, 10],
    ['21 bits of points and five years', 2_097_151, 1_826, 100],
    ['20 bits of points and 90 days', 1_048_575, 90, 1],
    ['one more point than 20 bits', 1_048_576, 90, 10],
    ['30 bits of points and 90 days', 1_073_741_823, 90, 1_000],
    ['no points at all', 0, 90, 1],
  ])('finds the finest unit for %s', (_, maxPoints, days, unitMs) => {
    expect(scoreLayout(maxPoints, seasonOf(days)).unitMs).toBe(unitMs);
  });

  it('refuses points that leave no room for time, and says how many bits there are', () => {
    const refusal = () => scoreLayout(2 ** 40, season);
    expect(refusal).toThrow(RangeError);
    expect(refusal).toThrow(/41 bits and leave 12 of 53 .* season 9 needs 17 even in minutes/);
    expect(() => scoreLayout(2 ** 53 - 1, season)).toThrow(RangeError);
  });

  it('uses a capacity to its last unit, and no further', () => {
    const bits = 53 - 21;
    const full = { ...season, endsAt: season.startsAt + 2 ** bits };
    expect(scoreLayout(2_097_151, full).unitMs).toBe(1);
    expect(scoreLayout(2_097_151, { ...full, endsAt: full.endsAt + 1 }).unitMs).toBe(10);
    const layout = scoreLayout(2_097_151, full);
    expect(packScore(layout, 0, full.endsAt - 1)).toBe(0);
  });
});

describe('packScore', () => {
  it('never passes 2^53-1, and reaches it with most points in the first unit', () => {
    const layout = scoreLayout(2_097_151, season);
    expect(packScore(layout, 2_097_151, season.startsAt)).toBe(2 ** 53 - 1);
    expect(Number.isSafeInteger(packScore(layout, 0, season.endsAt - 1))).toBe(true);
  });

  it('gives back points and time, for any limit, points and moment of the season', () => {
    const input = fc
      .tuple(fc.integer({ min: 0, max: 2 ** 35 }), fc.integer({ min: 1, max: 366 }))
      .chain(([maxPoints, days]) =>
        fc.record({
          maxPoints: fc.constant(maxPoints),
          days: fc.constant(days),
          points: fc.oneof(fc.constant(maxPoints), fc.integer({ min: 0, max: maxPoints })),
          elapsedMs: fc.oneof(fc.constant(days * DAY_MS - 1), fc.integer({ min: 0, max: days * DAY_MS - 1 })),
        }),
      );
    const check = ({ maxPoints, days, points, elapsedMs }: typeof input extends fc.Arbitrary<infer T> ? T : never) => {
      // More points than fit beside minutes of this season are refused; that is another test.
      fc.pre(maxPoints.toString(2).length + (days * 1_440).toString(2).length <= 53);
      const layout = scoreLayout(maxPoints, seasonOf(days));
      const achievedAt = season.startsAt + elapsedMs;
      const score = packScore(layout, points, achievedAt);
      expect(Number.isSafeInteger(score) && score >= 0).toBe(true);
      expect(unpackPoints(layout, score)).toBe(points);
      expect(unpackAchievedAt(layout, score)).toBe(achievedAt - (elapsedMs % layout.unitMs));
    };
    fc.assert(fc.property(input, check), { numRuns: 500 });
  });

  it('puts more points above fewer, then the earlier time, then nothing', () => {
    const layout = scoreLayout(2_097_151, season);
    const at = (second: number) => season.startsAt + second * 1_000;
    expect(packScore(layout, 501, at(5_000_000))).toBeGreaterThan(packScore(layout, 500, at(0)));
    expect(packScore(layout, 500, at(10))).toBeGreaterThan(packScore(layout, 500, at(11)));
    expect(packScore(layout, 500, at(10))).toBe(packScore(layout, 500, at(10) + layout.unitMs - 1));
    expect(packScore(layout, 500, at(10))).toBeGreaterThan(packScore(layout, 500, at(10) + layout.unitMs));
  });

  it('keeps neighbouring seconds apart where 32 bits of them would not fit (case A01)', () => {
    const layout = scoreLayout(4_194_305, season);
    const achievedAts = [1_775_000_002_000, 1_775_000_003_000, 1_775_000_004_000];
    for (const points of [2_097_152, 4_194_305]) {
      const scores = achievedAts.map((achievedAt) => packScore(layout, points, achievedAt));
      expect(scores.toSorted((a, b) => b - a)).toEqual(scores);
      expect(new Set(scores).size).toBe(3);
      expect(scores.map((score) => unpackAchievedAt(layout, score))).toEqual(achievedAts);
      expect(scores.map((score) => unpackPoints(layout, score))).toEqual([points, points, points]);
    }
  });

  it.each([
    ['more points than the board has room for', 101, season.startsAt],
    ['negative points', -1, season.startsAt],
    ['a time before the season', 1, season.startsAt - 1],
  ])('refuses %s', (_, points, achievedAt) => {
    expect(() => packScore(scoreLayout(100, season), points, achievedAt)).toThrow(RangeError);
  });
});
