import { describe, expect, it } from 'vitest';
import type { BoardFacts } from '../../src/verify/board-facts.js';
import { dateIn, listsOf, weekOf } from '../../src/verify/lists.js';

const FACTS: BoardFacts = {
  ...{ boardId: 'arena', mode: 'arena', rule: 'best', order: 'high', field: 'points', topSize: 100 },
  ...{ periods: ['day', 'week'], zone: 'Europe/Berlin', scopes: ['guild'] },
  season: { startsAt: 0, endsAt: 1 },
};

describe('the lists of a run', () => {
  it.each([
    ['2026-10-12', '2026-W42'],
    ['2027-01-01', '2026-W53'],
    ['2027-01-04', '2027-W01'],
    ['2024-12-30', '2025-W01'],
    ['2026-11-01', '2026-W44'],
  ])('have %s in week %s', (date, week) => {
    expect(weekOf(date)).toBe(week);
  });

  it('begin a day at the midnight of the board’s zone', () => {
    expect(dateIn('Europe/Berlin', Date.parse('2026-10-11T22:30:00Z'))).toBe('2026-10-12');
    expect(dateIn('UTC', Date.parse('2026-10-11T22:30:00Z'))).toBe('2026-10-11');
  });

  it('are the season, and where the board has them the day, the week and values of a scope', () => {
    const at = Date.parse('2026-10-12T12:00:00Z');
    const lists = listsOf(FACTS, ['a b'], at);
    expect(lists.map(({ name }) => name)).toEqual([
      'arena',
      'arena;d=2026-10-12',
      'arena;w=2026-W42',
      'arena;guild=a%20b',
    ]);
    expect(lists.map(({ query }) => query)).toEqual([
      '',
      'period=d:2026-10-12',
      'period=w:2026-W42',
      'scope=guild%3Aa%20b',
    ]);
    const yesterday = { matchId: 'm', playerId: 'p', points: 1, achievedAt: at - 86_400_000, scopes: { guild: 'a b' } };
    expect(lists.map((list) => list.has(yesterday))).toEqual([true, false, false, true]);
    expect(listsOf({ ...FACTS, periods: [], scopes: [] }, ['a'], at).map(({ name }) => name)).toEqual(['arena']);
  });
});
