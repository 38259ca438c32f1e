/** Marks in memory: what a new one keeps of the old one, and in which lists a settle makes an entry. */

import { describe, expect, it } from 'vitest';
import { PlayerMarks } from '../../../src/ranking/memory/player-marks.js';
import type { TagList } from '../../../src/ranking/ranking.js';
import { AT, DAY, definitionOf, pack, present, SEASON } from '../../contract/ranking-fixture.js';

const WEEK: TagList = { name: 'w:2026-W42', keptUntil: null };
const positionsAt = (next: number) => [{ source: 'postgres', partition: 0, next }];
const request = (...lists: TagList[]) => ({ playerId: 'amy', lists, label: null });
const result = (points: number, ...lists: TagList[]) => ({
  playerId: 'amy',
  score: pack(points, 5),
  lists,
  offset: 0,
  at: AT,
});

function newMarks() {
  const marks = new PlayerMarks(definitionOf('sum').merge);
  return { marks, markOf: () => present(marks.oldest().find(({ playerId }) => playerId === 'amy')) };
}

describe('PlayerMarks', () => {
  it('keeps the lists of the mark before, each once, with a new id and new positions', () => {
    const { marks, markOf } = newMarks();
    marks.set(request(SEASON, DAY), positionsAt(1));
    const { markId } = markOf();
    marks.set(request(DAY, WEEK), positionsAt(2));
    const renewed = markOf();
    expect(renewed.lists.toSorted()).toEqual([DAY.name, SEASON.name, WEEK.name].toSorted());
    expect(renewed.positions).toEqual(positionsAt(2));
    expect(marks.settle({ ...renewed, markId }, [])).toBeNull();
  });

  it.each([
    ['correction', null, 'correction'],
    ['correction', 'hide', 'hide'],
    [null, 'hide', 'hide'],
    [null, null, null],
  ] as const)('labels after a mark of %s and one of %s with %s', (first, second, expected) => {
    const { marks, markOf } = newMarks();
    marks.set({ ...request(), label: first }, positionsAt(1));
    marks.set({ ...request(), label: second }, positionsAt(2));
    expect(marks.settle(markOf(), [])?.label).toBe(expected);
  });

  it('settles every list once that truth names, that the mark names, or that something came in', () => {
    const { marks, markOf } = newMarks();
    marks.set(request(SEASON), positionsAt(1));
    marks.mergeAside(result(3, DAY, WEEK));
    marks.mergeAside(result(4, DAY));
    const folded = [
      { list: DAY, score: pack(10, 5) },
      { list: { ...DAY, name: 'd:2026-10-13' }, score: null },
    ];
    const entries = present(marks.settle(markOf(), folded)).entries.map(({ list, score }) => [list.name, score]);
    expect(Object.fromEntries(entries)).toEqual({
      [SEASON.name]: null,
      [DAY.name]: pack(17, 5),
      [WEEK.name]: pack(3, 5),
      'd:2026-10-13': null,
    });
    expect(entries).toHaveLength(4);
    expect(marks.oldest()).toEqual([]);
  });

  it('puts a renewed mark behind all others, lest who is marked again and again hides them', () => {
    const { marks } = newMarks();
    marks.set(request(), positionsAt(1));
    marks.set({ ...request(), playerId: 'bob' }, positionsAt(1));
    marks.set(request(), positionsAt(2));
    expect(marks.oldest().map(({ playerId }) => playerId)).toEqual(['bob', 'amy']);
  });

  it('drops with a new mark what came aside for the old one: truth has it', () => {
    const { marks, markOf } = newMarks();
    marks.set(request(SEASON), positionsAt(1));
    marks.mergeAside(result(3, SEASON));
    marks.set(request(), positionsAt(2));
    expect(marks.settle(markOf(), [])?.entries).toEqual([{ list: SEASON, score: null }]);
  });
});
