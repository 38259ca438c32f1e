import { expect, it } from 'vitest';
import { compareWindow } from '../../src/verify/windows/compare.js';

const A = { playerId: 'a', rank: 1, score: 9 };
const B = { playerId: 'b', rank: 2, score: 5 };
const STATE = { total: 2, stale: false };

it('finds nothing where rows, order and total are right', () => {
  expect(compareWindow(STATE, [A, B], { rows: [A, B], total: 2 })).toBeNull();
  expect(compareWindow({ ...STATE, total: 7 }, [A, B], { rows: [A, B] })).toBeNull();
});

it.each([
  ['a row that is missing', STATE, [A], 'row 2'],
  ['a row too many', STATE, [A, B, A], 'row 3'],
  ['another order', STATE, [B, A], 'row 1'],
  ['another rank', STATE, [A, { ...B, rank: 3 }], 'row 2'],
  ['another score', STATE, [{ ...A, score: 8 }, B], 'row 1'],
  ['another total', { ...STATE, total: 3 }, [A, B], 'total'],
  ['a stale window', { ...STATE, stale: true }, [A, B], 'window'],
  ['a window without a state', null, [], 'window'],
])('finds %s', (_what, state, rows, place) => {
  expect(compareWindow(state, rows, { rows: [A, B], total: 2 })?.place).toBe(place);
});

it('says what is shown and what should be', () => {
  expect(compareWindow(STATE, [A], { rows: [A, B], total: 2 })).toEqual({
    place: 'row 2',
    expected: '"b" rank 2 score 5',
    shown: 'no row',
  });
});
