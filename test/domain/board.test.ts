import { describe, expect, it } from 'vitest';
import { type Board, firstFieldOf, type Mode, scoreKeysOf, scoreLayoutOf } from '../../src/domain/board.js';
import { ARENA_BOARD } from '../support/definitions.js';
import { season } from './layout-fixture.js';

const modes: readonly Mode[] = [
  { mode: 'arena', fields: { kills: { min: 0, max: 100 }, deaths: { min: 0, max: 40 } } },
  { mode: 'duel', fields: { deaths: { min: 0, max: 1 }, kills: { min: 5, max: 300 } } },
  { mode: 'raid', fields: { kills: { min: 0, max: 900 }, deaths: { min: 0, max: 900 } } },
];
const board: Board = {
  ...ARENA_BOARD,
  modes: ['arena', 'duel'],
  keys: [
    { field: 'deaths', order: 'low' },
    { field: 'kills', order: 'high' },
  ],
};

describe('scoreKeysOf', () => {
  it('has the keys in their order, each up to the largest of the modes that the board takes', () => {
    expect(scoreKeysOf(board, modes)).toEqual([
      { field: 'deaths', max: 40, isLow: true },
      { field: 'kills', max: 300, isLow: false },
    ]);
  });

  it('makes room for the total of a sum', () => {
    const total: Board = { ...board, rule: 'sum', keys: [{ field: 'kills', order: 'high' }], maxTotal: 1_000_000 };
    expect(scoreKeysOf(total, modes)).toEqual([{ field: 'kills', max: 1_000_000, isLow: false }]);
  });
});

describe('scoreLayoutOf', () => {
  it('packs a result of each mode of the board', () => {
    const layout = scoreLayoutOf(board, modes, season);
    expect(layout.keys.map(({ field, max }) => [field, max])).toEqual([
      ['deaths', 40],
      ['kills', 300],
    ]);
    expect(layout.timeBits).toBe(53 - 6 - 9);
  });
});

describe('firstFieldOf', () => {
  it('is the field that is declared first', () => {
    expect(modes.map(firstFieldOf)).toEqual(['kills', 'deaths', 'kills']);
    expect(() => firstFieldOf({ mode: 'none', fields: {} })).toThrow('mode none has no field');
  });
});
