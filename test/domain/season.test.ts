import { describe, expect, it } from 'vitest';
import {
  type Calendar,
  currentSeason,
  describeFinal,
  finalAt,
  finalSeasonAt,
  seasonAt,
} from '../../src/domain/season.js';
import { tagName } from '../../src/domain/tag.js';

const spring = { seasonId: '9', startsAt: 1_000, endsAt: 2_000 };
const summer = { seasonId: '10', startsAt: 2_000, endsAt: 3_000 };
const winter = { seasonId: '11', startsAt: 5_000, endsAt: 6_000 };
const calendar: Calendar = { seasons: [spring, summer, winter], graceMs: 100 };

describe('seasonAt', () => {
  it.each([
    ['before the first', 999, undefined],
    ['at a start', 1_000, spring],
    ['in the last millisecond', 1_999, spring],
    ['at an end that is the next start', 2_000, summer],
    ['at an end before a gap', 3_000, undefined],
    ['in a gap', 4_000, undefined],
    ['after the last', 6_000, undefined],
  ])('finds the season %s', (_, at, season) => {
    expect(seasonAt(calendar, at)).toBe(season);
  });
});

describe('currentSeason', () => {
  it.each([
    ['the first to come before all of them', 0, spring],
    ['the one that is on', 1_500, spring],
    ['the new one at the moment of change', 2_000, summer],
    ['the last that was in a gap', 4_000, summer],
    ['the last that was after all of them', 9_000, winter],
  ])('is %s', (_, now, season) => {
    expect(currentSeason(calendar, now)).toBe(season);
  });
});

describe('a season is final', () => {
  it('from the end of its grace on', () => {
    expect(finalAt(calendar, spring)).toBe(2_100);
    expect(finalSeasonAt(calendar, 1_999, 2_099)).toBeUndefined();
    expect(finalSeasonAt(calendar, 1_999, 2_100)).toBe(spring);
  });

  it('whatever the others are', () => {
    expect(finalSeasonAt(calendar, 2_000, 2_100)).toBeUndefined();
    expect(finalSeasonAt(calendar, 4_000, 9_000)).toBeUndefined();
  });

  it('by a sentence that says which, and since when', () => {
    expect(describeFinal(calendar, spring)).toMatch(/season 9\b.*1970-01-01T00:00:02\.100Z/);
  });
});

describe('tagName', () => {
  it('names board and season', () => {
    expect(tagName({ boardId: 'arena', seasonId: '12' })).toBe('arena:s12');
  });

  it('never names two tags alike', () => {
    const names = ['a', 'as1', 'a-s1'].flatMap((boardId) =>
      ['1', 's1', '11'].map((seasonId) => ({ boardId, seasonId })),
    );
    expect(new Set(names.map(tagName)).size).toBe(names.length);
  });
});
