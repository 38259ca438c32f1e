import { describe, expect, it } from 'vitest';
import { ExpectedBoard, findDifference } from '../../loadtest/lib/expected-board.js';
import type { SentResult } from '../../loadtest/lib/sent-results.js';
import { scoreLayout } from '../../src/domain/packed-score.js';
import { pointsUpTo } from '../support/definitions.js';

const STARTS_AT = Date.UTC(2026, 0, 1);
const SEASON = { seasonId: '1', startsAt: STARTS_AT, endsAt: Date.UTC(2031, 0, 1) };
const LAYOUT = scoreLayout(pointsUpTo(2_097_151), SEASON);

let matches = 0;
function result(playerId: string, points: number, achievedAtMs: number): SentResult {
  matches += 1;
  return { matchId: `m-${matches}`, playerId, points, achievedAt: STARTS_AT + achievedAtMs };
}

describe('the board by brute force', () => {
  it('keeps the best result of each player and ranks by points', () => {
    const results = [result('ann', 5, 0), result('bob', 7, 0), result('ann', 9, 1_000), result('bob', 1, 2_000)];
    expect(new ExpectedBoard(results, LAYOUT).rows).toEqual([
      { playerId: 'ann', rank: 1, points: 9 },
      { playerId: 'bob', rank: 2, points: 7 },
    ]);
  });

  it('puts who reached equal points earlier first, in units of 100 ms', () => {
    const results = [result('ann', 5, 200), result('bob', 5, 100), result('cat', 5, 199)];
    // bob and cat share a unit, so the larger id stands first.
    expect(new ExpectedBoard(results, LAYOUT).rows.map(({ playerId }) => playerId)).toEqual(['cat', 'bob', 'ann']);
  });

  it('keeps the earlier of two equal results of one player', () => {
    const results = [result('ann', 5, 300), result('bob', 5, 200), result('ann', 5, 0)];
    expect(new ExpectedBoard(results, LAYOUT).rows[0]?.playerId).toBe('ann');
  });

  it('cuts rows to a group with their ranks among all, and leaves out who has no result', () => {
    const board = new ExpectedBoard([result('ann', 1, 0), result('bob', 3, 0), result('cat', 2, 0)], LAYOUT);
    expect(board.rowsOf(['ann', 'dan', 'bob'])).toEqual([
      { playerId: 'bob', rank: 1, points: 3 },
      { playerId: 'ann', rank: 3, points: 1 },
    ]);
  });
});

describe('the difference of a window', () => {
  const expected = [
    { playerId: 'ann', rank: 1, points: 9 },
    { playerId: 'bob', rank: 2, points: 7 },
  ];
  const ann = { playerId: 'ann', rank: 1, score: 9 };
  const bob = { playerId: 'bob', rank: 2, score: 7 };

  it('is none where every row is there, in order', () => {
    expect(findDifference([ann, bob], expected)).toBeNull();
    expect(findDifference([], [])).toBeNull();
  });

  it.each([
    ['another order', [bob, ann], 'row 1 shows bob rank 2 score 7 instead of ann rank 1 score 9'],
    ['a wrong rank', [ann, { ...bob, rank: 3 }], 'row 2 shows bob rank 3 score 7 instead of bob rank 2 score 7'],
    ['a wrong score', [ann, { ...bob, score: 6 }], 'row 2 shows bob rank 2 score 6 instead of bob rank 2 score 7'],
    ['no rank', [{ ...ann, rank: null }, bob], 'row 1 shows ann rank null score 9 instead of ann rank 1 score 9'],
    ['a missing row', [ann], 'row 2 shows nothing instead of bob rank 2 score 7'],
    ['a row too many', [ann, bob, ann], 'row 3 shows ann rank 1 score 9 instead of nothing'],
  ])('names %s', (_, shown, difference) => {
    expect(findDifference(shown, expected)).toBe(difference);
  });
});
