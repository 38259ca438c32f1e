/** The lists of one generation: each an order of its own, and gone for good where its time is over. */

import { describe, expect, it } from 'vitest';
import { Generation } from '../../../src/ranking/memory/generation.js';
import { DEFINITION } from '../../contract/packing.js';

const SEASON = { name: 's', keptUntil: null };
const DAY = { name: 'd:2026-10-12', keptUntil: 1_000 };
const WEEK = { name: 'w:2026-W42', keptUntil: 2_000 };

/** Amy stands in each of the lists, with one point more in the next. */
function generationOf(...lists: readonly (typeof SEASON | typeof DAY)[]): Generation {
  const generation = new Generation(DEFINITION.merge);
  lists.forEach((list, index) => {
    generation.merge(list, 'amy', index + 1, 0);
  });
  return generation;
}

const rowsOf = (generation: Generation, { name }: { name: string }, now: number) =>
  generation.list(name, now).range(1, 10);

describe('Generation', () => {
  it('keeps lists apart, and takes one that was never written for empty', () => {
    const generation = generationOf(SEASON, DAY);
    expect(rowsOf(generation, SEASON, 0)).toEqual([{ playerId: 'amy', score: 1, rank: 1 }]);
    expect(rowsOf(generation, DAY, 0)).toEqual([{ playerId: 'amy', score: 2, rank: 1 }]);
    expect(generation.list(WEEK.name, 0).size).toBe(0);
  });

  it('ends each list at its own time, to the millisecond', () => {
    const generation = generationOf(SEASON, DAY, WEEK);
    const sizes = (now: number) => [SEASON, DAY, WEEK].map(({ name }) => generation.list(name, now).size);
    expect(sizes(DAY.keptUntil - 1)).toEqual([1, 1, 1]);
    expect(sizes(DAY.keptUntil)).toEqual([1, 0, 1]);
    expect(sizes(WEEK.keptUntil - 1)).toEqual([1, 0, 1]);
    expect(sizes(WEEK.keptUntil)).toEqual([1, 0, 0]);
  });

  it('writes no list that is past, by a merge or a put', () => {
    const generation = generationOf(DAY);
    expect(generation.merge(DAY, 'bob', 5, DAY.keptUntil)).toBeNull();
    expect(generation.put(DAY, 'bob', 5, DAY.keptUntil)).toBeNull();
    expect(generation.put(DAY, 'amy', null, DAY.keptUntil)).toBeNull();
    expect(rowsOf(generation, DAY, DAY.keptUntil)).toEqual([]);
  });

  it('frees what is past at the next access to any list: a clock that is set back finds it gone', () => {
    const generation = generationOf(SEASON, DAY, WEEK);
    generation.merge(SEASON, 'bob', 5, DAY.keptUntil);
    expect(rowsOf(generation, DAY, 0)).toEqual([]);
    expect(rowsOf(generation, WEEK, 0)).toHaveLength(1);
  });

  it('forgets a list whose last row went away, with its end', () => {
    const generation = generationOf(DAY);
    expect(generation.put(DAY, 'amy', null, 0)).toMatchObject({ scoreBefore: 1, score: null });
    expect(generation.put(DAY, 'amy', null, 0)).toBeNull();
    expect(rowsOf(generation, DAY, 0)).toEqual([]);
    const later = { ...DAY, keptUntil: WEEK.keptUntil };
    expect(generation.put(later, 'bob', 3, 0)).toMatchObject({ scoreBefore: null, score: 3, rank: 1 });
    expect(rowsOf(generation, later, DAY.keptUntil)).toEqual([{ playerId: 'bob', score: 3, rank: 1 }]);
  });
});
