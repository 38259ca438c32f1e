import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Standings } from '../../loadtest/lib/standings.js';
import { packScore, scoreLayout } from '../../src/domain/packed-score.js';
import { mergeScores, scoreMerge } from '../../src/domain/rules.js';
import { LONG_SEASON, pointsUpTo } from '../support/definitions.js';

const MAX = 100;
const LAYOUT = scoreLayout(pointsUpTo(MAX), LONG_SEASON);

it.each(['best', 'sum', 'latest'] as const)('come to what the product merges by rule %s', (rule) => {
  const result = fc.record({
    playerId: fc.constantFrom('ann', 'bob'),
    points: fc.nat(MAX),
    // Ties, and several in one unit of time.
    achievedAt: fc.nat(5).map((step) => LONG_SEASON.startsAt + step * (LAYOUT.unitMs / 2 || 1)),
  });
  fc.assert(
    fc.property(fc.array(result), (results) => {
      const standings = new Standings(LAYOUT, rule);
      const merged = new Map<string, number>();
      for (const one of results) {
        standings.merge(one);
        const score = packScore(LAYOUT, { points: one.points }, one.achievedAt);
        merged.set(one.playerId, mergeScores(scoreMerge(rule, LAYOUT), merged.get(one.playerId) ?? null, score));
      }
      expect(new Map([...standings.scores()].map(({ playerId, score }) => [playerId, score]))).toEqual(merged);
    }),
  );
});

it('tell the points of a player after each result, and 0 before the first', () => {
  const standings = new Standings(LAYOUT, 'sum');
  expect(standings.pointsOf('ann')).toBe(0);
  const achievedAt = LONG_SEASON.startsAt;
  expect(standings.merge({ playerId: 'ann', points: 60, achievedAt })).toBe(60);
  expect(standings.merge({ playerId: 'ann', points: 60, achievedAt })).toBe(MAX);
  expect(standings.pointsOf('ann')).toBe(MAX);
});
