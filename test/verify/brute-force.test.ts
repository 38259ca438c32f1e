import { describe, expect, it } from 'vitest';
import { type RankedRow, type RankingRules, rankByBruteForce } from '../../src/verify/brute-force.js';
import { PlayedResults } from '../../src/verify/played-results.js';

const RULES: RankingRules = { rule: 'best', order: 'high', startsAt: 1_000, unitMs: 100 };

let matches = 0;

function played(playerId: string, points: number, achievedAt: number, matchId = `m${++matches}`) {
  return { matchId, playerId, points, achievedAt, scopes: {} };
}

function rank(
  results: readonly ReturnType<typeof played>[],
  rules: Partial<RankingRules> = {},
  others: readonly RankedRow[] = [],
): string {
  const rows = rankByBruteForce(results, others, { ...RULES, ...rules });
  return rows.map((row) => `${row.rank} ${row.playerId} ${row.points}`).join(', ');
}

describe('the brute-force ranking', () => {
  it('keeps the best, the latest or the sum', () => {
    const results = [played('a', 5, 2_000), played('a', 9, 1_500), played('a', 7, 3_000)];
    expect(rank(results)).toBe('1 a 9');
    expect(rank(results, { order: 'low' })).toBe('1 a 5');
    expect(rank(results, { rule: 'latest' })).toBe('1 a 7');
    expect(rank(results, { rule: 'sum' })).toBe('1 a 21');
  });

  it('puts who was earlier first, in whole units since the start of the season', () => {
    expect(rank([played('a', 5, 1_200), played('b', 5, 1_199)])).toBe('1 b 5, 2 a 5');
    expect(rank([played('b', 5, 1_100), played('a', 5, 1_199)])).toBe('1 b 5, 2 a 5');
    expect(rank([played('a', 5, 1_100), played('b', 5, 1_199)])).toBe('1 b 5, 2 a 5');
  });

  it('orders equals by the bytes of their ids, the greater first: an emoji before a full-width letter', () => {
    expect(rank([played('Ａ', 5, 1_000), played('🦊', 5, 1_000)])).toBe('1 🦊 5, 2 Ａ 5');
  });

  it('has others between, whose times nobody knows', () => {
    const others = [
      { rank: 1, playerId: 'x', points: 8 },
      { rank: 2, playerId: 'y', points: 8 },
      { rank: 3, playerId: 'z', points: 2 },
    ];
    expect(rank([played('a', 9, 1_000), played('b', 5, 1_000), played('c', 1, 1_000)], {}, others)).toBe(
      '1 a 9, 2 x 8, 3 y 8, 4 b 5, 5 z 2, 6 c 1',
    );
  });
});

describe('the results that count', () => {
  function counting(results: PlayedResults): string[] {
    return [...results.counting()].map(({ matchId, points }) => `${matchId} ${points}`);
  }

  it('are the first content of each match, without voided ones and hidden players, as last corrected', () => {
    const results = new PlayedResults();
    results.void('later');
    results.correct('fixed', 3);
    results.add(played('a', 5, 1_000, 'one'));
    results.add(played('a', 6, 1_000, 'one'));
    results.add(played('a', 7, 1_000, 'later'));
    results.add(played('b', 8, 1_000, 'fixed'));
    results.correct('fixed', 4);
    expect(counting(results)).toEqual(['one 5', 'fixed 4']);
    results.hide('a');
    expect(counting(results)).toEqual(['fixed 4']);
    results.unhide('a');
    expect(counting(results)).toEqual(['one 5', 'fixed 4']);
  });
});
