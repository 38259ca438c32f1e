import { describe, expect, it } from 'vitest';
import type { Board, BoardSet } from '../../src/domain/board.js';
import { BoardSeasons, boardSeason, listRef } from '../../src/domain/board-season.js';
import { ARENA_BOARD, ARENA_MODE } from '../support/definitions.js';

const first = { seasonId: '1', startsAt: Date.UTC(2026, 8, 2), endsAt: Date.UTC(2026, 9, 1) };
const second = { seasonId: '2', startsAt: Date.UTC(2026, 9, 1), endsAt: Date.UTC(2026, 10, 1) };
const guilds: Board = {
  ...ARENA_BOARD,
  boardId: 'guilds',
  subject: 'guild',
  periods: ['week', 'day'],
  zone: 'Asia/Tokyo',
  scopes: ['region'],
};
const boardSet: BoardSet = {
  modes: [ARENA_MODE],
  boards: [ARENA_BOARD, guilds],
  calendar: { seasons: [first, second], graceMs: 0 },
  maxLatenessMs: 86_400_000,
};
const seasons = new BoardSeasons(boardSet);
const NOW = Date.UTC(2026, 9, 12);

describe('the boards of all seasons', () => {
  it('stand by season, then as in the file', () => {
    expect(seasons.all.map(({ name }) => name)).toEqual(['arena:s1', 'guilds:s1', 'arena:s2', 'guilds:s2']);
  });

  it('are found by name, in the season that is on where none is named', () => {
    expect(seasons.find('guilds', '1', NOW)).toBe(seasons.all[1]);
    expect(seasons.find('guilds', undefined, NOW)).toBe(seasons.all[3]);
    expect(seasons.find('guilds', undefined, first.startsAt)).toBe(seasons.all[1]);
  });

  it.each([
    ['duel', undefined],
    ['arena', '3'],
    ['arena', ''],
    ['', '1'],
    ['arena:s1', undefined],
    ['constructor', undefined],
  ])('are not found by the board %j and the season %j', (boardId, seasonId) => {
    expect(seasons.find(boardId, seasonId, NOW)).toBeUndefined();
  });
});

describe('a board in a season', () => {
  const one = boardSeason(boardSet, guilds, first);

  it('has the windows of its periods in its zone, clipped to the season, and none of others', () => {
    const { days, weeks, subject, scopes } = one.lists.shape;
    expect([days.length, days[0], days.at(-1)?.label]).toEqual([
      30,
      { label: '2026-09-02', startsAt: first.startsAt, endsAt: Date.UTC(2026, 8, 2, 15) },
      '2026-10-01',
    ]);
    expect(weeks.map(({ label }) => label)).toEqual(['2026-W36', '2026-W37', '2026-W38', '2026-W39', '2026-W40']);
    expect([subject, scopes]).toEqual(['guild', ['region']]);
    expect(boardSeason(boardSet, { ...guilds, periods: ['week'] }, first).lists.shape.days).toEqual([]);
    expect(boardSeason(boardSet, ARENA_BOARD, first).lists.shape).toEqual({
      subject: 'player',
      scopes: [],
      days: [],
      weeks: [],
    });
  });

  it('names its lists by tag and definition, the season by default', () => {
    const of = { tag: { boardId: 'guilds', seasonId: '1' }, definitionHash: one.definition.hash };
    expect(listRef(one)).toEqual({ ...of, list: 's' });
    expect(listRef(one, 'd:2026-09-02')).toEqual({ ...of, list: 'd:2026-09-02' });
    expect(listRef(boardSeason(boardSet, guilds, second)).definitionHash).not.toBe(of.definitionHash);
  });
});
