/** What a file may say about subject, periods, zone and scopes; the rest of it is in boards.test.ts. */

import { describe, expect, it } from 'vitest';
import { readBoards } from '../../src/boards.js';
import type { Board } from '../../src/domain/board.js';
import { StartRefusedError } from '../../src/domain/errors.js';
import { fileWith } from './keys-fixture.js';

function boardWith(lists: object): Board | undefined {
  return readBoards(fileWith({ keys: [{ field: 'kills' }], ...lists })).boards[0];
}

function refusal(lists: object): string {
  try {
    boardWith(lists);
  } catch (error) {
    expect(error).toBeInstanceOf(StartRefusedError);
    return String(error);
  }
  throw new Error('it was not refused');
}

describe('the lists of a board', () => {
  it('are one of all players over the season where nothing is said', () => {
    expect(boardWith({})).toMatchObject({ subject: 'player', periods: [], zone: 'UTC', scopes: [] });
  });

  it('are kept as named, the periods in one order and without the season, which is always ranked', () => {
    const lists = { subject: 'guild', zone: 'America/Havana', scopes: ['region', 'platform', 'c-1', '9'] };
    for (const periods of [
      ['week', 'day'],
      ['season', 'week', 'day'],
      ['day', 'season', 'week'],
    ]) {
      expect(boardWith({ ...lists, periods })).toMatchObject({ ...lists, periods: ['day', 'week'] });
    }
    for (const periods of [[], ['season']]) expect(boardWith({ periods })?.periods).toEqual([]);
  });

  it.each(['UTC', 'Etc/GMT+3', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Asia/Kolkata'])(
    'may begin in the zone %s',
    (zone) => {
      expect(boardWith({ zone })?.zone).toBe(zone);
    },
  );

  it.each<[string, object]>([
    ['boards[0].subject: must be player, or the name of a scope: 1 to 32', { subject: 'Guild' }],
    ['boards[0].subject: must be player, or the name of a scope: 1 to 32', { subject: null }],
    ['boards[0].subject: d cannot be a scope: s, d, w stand for season, day and week', { subject: 'd' }],
    ['boards[0].periods: must be a list of season, day and week', { periods: 'day' }],
    ['boards[0].periods[1]: must be season, day or week', { periods: ['day', 'month'] }],
    ['boards[0].periods[2]: day is named twice', { periods: ['day', 'week', 'day'] }],
    ['boards[0].zone: must be the name of a time zone such as Europe/Berlin', { zone: 1 }],
    ['boards[0].zone: must be the name of a time zone such as Europe/Berlin', { zone: '' }],
    [
      'boards[0].zone: Europe/Berln is not the name of a time zone such as Europe/Berlin (did you mean Europe/Berlin?)',
      { zone: 'Europe/Berln' },
    ],
    ['boards[0].zone: +01:00 is not the name of a time zone such as Europe/Berlin', { zone: '+01:00' }],
    ['boards[0].scopes: must be a list of at most 4 names', { scopes: 'guild' }],
    ['boards[0].scopes: must be a list of at most 4 names', { scopes: ['a', 'b', 'c', 'e', 'f'] }],
    ['boards[0].scopes[0]: must be a name of 1 to 32', { scopes: ['a:b'] }],
    ['boards[0].scopes[1]: guild is named twice', { scopes: ['guild', 'guild'] }],
    ['boards[0].scopes[0]: s cannot be a scope: s, d, w stand for season', { scopes: ['s'] }],
    ['boards[0].scopes[0]: player cannot be a scope: as a subject it means the players', { scopes: ['player'] }],
    [
      'boards[0].scopes[1]: guild is the subject: each list of one guild would rank that one alone',
      { subject: 'guild', scopes: ['region', 'guild'] },
    ],
    ['boards[0]: period is not a key of this version (did you mean periods?)', { period: 'day' }],
  ])('are refused with: %s', (sentence, lists) => {
    expect(refusal(lists)).toContain(sentence);
  });
});
