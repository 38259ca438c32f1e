import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Tiers, tierOf } from '../../src/domain/tiers.js';

const BY_POINTS: Tiers = {
  measure: 'points',
  steps: [
    { name: 'gold', limit: 100 },
    { name: 'bronze', limit: 10 },
  ],
  isLow: false,
};
const BY_PERCENT: Tiers = {
  measure: 'top-percent',
  steps: [
    { name: 'master', limit: 0.07 },
    { name: 'gold', limit: 10 },
    { name: 'all', limit: 100 },
  ],
  isLow: false,
};

const points = (value: number | null) => ({ points: value, rank: value === null ? null : 1, total: 500 });
const place = (rank: number | null, total: number) => ({ points: rank === null ? null : 1, rank, total });

describe('a tier by points', () => {
  it('is the best one whose limit is reached', () => {
    expect([100, 99, 10, 9, null].map((value) => tierOf(BY_POINTS, points(value)))).toEqual([
      ...['gold', 'bronze', 'bronze'],
      ...[null, null],
    ]);
  });

  it('asks for no more than the limit where less is better', () => {
    const steps = BY_POINTS.steps.toReversed();
    const laps: Tiers = { ...BY_POINTS, steps, isLow: true };
    expect([5, 10, 11, 100, 101].map((value) => tierOf(laps, points(value)))).toEqual([
      ...['bronze', 'bronze', 'gold', 'gold'],
      null,
    ]);
  });
});

describe('a tier by percent', () => {
  it('has room for one at least, and for no more than its percent of many', () => {
    expect(tierOf(BY_PERCENT, place(1, 3))).toBe('master');
    expect(tierOf(BY_PERCENT, place(2, 3))).toBe('all');
    // 0.07 * 100 is a little more than 7 in binary: one of 10,000 too many would be a master.
    expect([7, 8, 1_000, 1_001].map((rank) => tierOf(BY_PERCENT, place(rank, 10_000)))).toEqual([
      ...['master', 'gold', 'gold', 'all'],
    ]);
    expect(tierOf(BY_PERCENT, place(null, 10_000))).toBe(null);
  });

  it('never falls while a player climbs, and holds everybody where its last step is 100', () => {
    const names = BY_PERCENT.steps.map(({ name }) => name);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50_000 }), fc.nat(), fc.nat(), (total, a, b) => {
        const [above = 1, below = 1] = [(a % total) + 1, (b % total) + 1].sort((x, y) => x - y);
        const [better, worse] = [above, below].map((rank) =>
          names.indexOf(tierOf(BY_PERCENT, place(rank, total)) ?? ''),
        );
        expect(better).toBeGreaterThanOrEqual(0);
        expect(better).toBeLessThanOrEqual(worse ?? -1);
      }),
    );
  });
});

it('there is none on a board without tiers', () => {
  expect(tierOf(null, place(1, 1))).toBe(null);
});
