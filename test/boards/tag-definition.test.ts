/** What makes another definition of a tag, and what does not. */

import { describe, expect, it } from 'vitest';
import { toBoardSet } from '../../src/boards/board-set.js';
import { boardsFileSchema } from '../../src/boards/boards-schema.js';
import { defaultBoard, tagDefinition } from '../../src/boards.js';
import type { TagDefinition } from '../../src/domain/tag-definition.js';
import { type BoardsFile, changed, TWO_BOARDS } from './boards-fixture.js';
import { fileWith, MODES } from './keys-fixture.js';

function definitionOf(text: string): TagDefinition {
  const boardSet = toBoardSet(boardsFileSchema.parse(JSON.parse(text)));
  const [season] = boardSet.calendar.seasons;
  if (season === undefined) throw new Error('no season');
  return tagDefinition(defaultBoard(boardSet), boardSet, season);
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

  it('depends on the range of a field that orders nothing: it decides which results there are', () => {
    const [duel = {}, ...others] = MODES;
    const fields = { kills: { min: 1, max: 100 }, deaths: { max: 63 }, winRate: { max: 999 } };
    const board = { keys: [{ field: 'kills' }] };
    expect(hashOf(fileWith(board, [{ ...duel, fields }, ...others]))).not.toBe(hashOf(fileWith(board)));
  });
});
