/** What makes another definition of a tag, and what does not. */

import { describe, expect, it } from 'vitest';
import { toBoardSet } from '../../src/boards/board-set.js';
import { boardsFileSchema } from '../../src/boards/boards-schema.js';
import { defaultBoard } from '../../src/boards.js';
import { boardSeason } from '../../src/domain/board-season.js';
import type { TagDefinition } from '../../src/domain/tag-definition.js';
import { type BoardsFile, changed, TWO_BOARDS } from './boards-fixture.js';
import { fileWith, MODES } from './keys-fixture.js';

function definitionOf(text: string): TagDefinition {
  const boardSet = toBoardSet(boardsFileSchema.parse(JSON.parse(text)));
  const [season] = boardSet.calendar.seasons;
  if (season === undefined) throw new Error('no season');
  return boardSeason(boardSet, defaultBoard(boardSet), season).definition;
}
const hashOf = (text: string) => definitionOf(text).hash;

describe('the merge of a tag', () => {
  it('is the rule of the board over the bits of its score', () => {
    const board = { rule: 'latest', keys: [{ field: 'deaths', order: 'low' }, { field: 'kills' }] };
    // 6 and 9 bits of keys.
    expect(definitionOf(fileWith(board)).merge).toEqual({
      rule: 'latest',
      timeSpan: 2 ** 38,
      maxTotal: 63,
      isLow: true,
    });
  });

  it('stops a sum at the total of the board', () => {
    const { merge } = definitionOf(fileWith({ rule: 'sum', maxTotal: 1_000_000 }));
    expect(merge).toEqual({ rule: 'sum', timeSpan: 2 ** 33, maxTotal: 1_000_000, isLow: false });
  });
});

const DEFAULT_LISTS = { subject: 'player', periods: ['season'], zone: 'UTC', scopes: [] };

describe('the hash of a definition', () => {
  const hash = hashOf(JSON.stringify(TWO_BOARDS));

  it('is 16 hexadecimal digits', () => {
    expect(hash).toMatch(/^[0-9a-f]{16}$/);
  });

  it.each<[string, (file: BoardsFile) => unknown]>([
    ['the title', (file) => Object.assign(file.boards[0] ?? {}, { title: 'Other' })],
    ['the size of the top', (file) => Object.assign(file.boards[0] ?? {}, { topSize: 50 })],
    ['the order in which modes are named', (file) => file.boards[0]?.modes.reverse()],
    ['the order in which modes are declared', (file) => file.modes.reverse()],
    ['other boards', (file) => file.boards.pop()],
    ['other seasons', (file) => file.calendar.seasons.pop()],
    ['whether the default lists are written out', (file) => Object.assign(file.boards[0] ?? {}, DEFAULT_LISTS)],
    ['a zone in which no period begins', (file) => Object.assign(file.boards[0] ?? {}, { zone: 'Asia/Tokyo' })],
    ['whether the key is written out', (file) => Object.assign(file.boards[0] ?? {}, { keys: [{ field: 'points' }] })],
  ])('does not depend on %s', (_, change) => {
    expect(hashOf(changed(change))).toBe(hash);
  });

  it.each<[string, (file: BoardsFile) => unknown]>([
    ['the least points', (file) => Object.assign(file.modes[0]?.points ?? {}, { min: 11 })],
    ['the most points', (file) => Object.assign(file.modes[1]?.points ?? {}, { max: 4001 })],
    ['the modes', (file) => file.boards[0]?.modes.pop()],
    ['the rule', (file) => Object.assign(file.boards[0] ?? {}, { rule: 'latest' })],
    ['the order', (file) => Object.assign(file.boards[0] ?? {}, { order: 'low' })],
    ['the start of the season', (file) => Object.assign(file.calendar.seasons[0] ?? {}, { startsAt: '2026-06-30' })],
    ['the end of the season', (file) => Object.assign(file.calendar.seasons[0] ?? {}, { endsAt: '2026-09-30' })],
  ])('depends on %s', (_, change) => {
    expect(hashOf(changed(change))).not.toBe(hash);
  });

  it('is another one for each choice of keys, and for each total', () => {
    const kills = { field: 'kills' };
    const deaths = { field: 'deaths' };
    const boards: object[] = [
      { keys: [kills, deaths] },
      { keys: [deaths, kills] },
      { keys: [kills] },
      { keys: [kills, { ...deaths, order: 'low' }] },
      { keys: [{ ...kills, order: 'low' }, deaths] },
      { rule: 'sum', maxTotal: 1_000 },
      { rule: 'sum', maxTotal: 1_001 },
    ];
    expect(new Set(boards.map((board) => hashOf(fileWith(board)))).size).toBe(boards.length);
  });

  it('is another one for each choice of lists', () => {
    const boards: object[] = [
      {},
      { subject: 'guild' },
      { periods: ['day'] },
      { periods: ['week'] },
      { periods: ['day', 'week'] },
      { periods: ['day'], zone: 'Asia/Tokyo' },
      { scopes: ['guild'] },
      { scopes: ['guild', 'region'] },
    ];
    expect(new Set(boards.map((board) => hashOf(fileWith(board)))).size).toBe(boards.length);
  });

  it('does not depend on the zone where there are scopes and no periods', () => {
    const scopes = ['guild'];
    expect(hashOf(fileWith({ scopes, zone: 'Asia/Tokyo' }))).toBe(hashOf(fileWith({ scopes })));
  });

  it('does not depend on the order in which periods and scopes are named', () => {
    const lists = { periods: ['season', 'week', 'day'], scopes: ['region', 'guild'] };
    expect(hashOf(fileWith(lists))).toBe(hashOf(fileWith({ periods: ['day', 'week'], scopes: ['guild', 'region'] })));
  });

  it('is that of earlier versions where a board ranks players over the season alone', () => {
    // Taken before there were periods, scopes and subjects: such a board needs no rebuild.
    expect(hash).toBe('92eb19e20c91d72d');
  });

  it('depends on the range of a field that orders nothing: it decides which results there are', () => {
    const [duel = {}, ...others] = MODES;
    const fields = { kills: { min: 1, max: 100 }, deaths: { max: 63 }, winRate: { max: 999 } };
    const board = { keys: [{ field: 'kills' }] };
    expect(hashOf(fileWith(board, [{ ...duel, fields }, ...others]))).not.toBe(hashOf(fileWith(board)));
  });
});
