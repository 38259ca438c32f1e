import { describe, expect, it } from 'vitest';
import type { TagList } from '../../src/domain/lists.js';
import type { SubmitResult } from '../../src/domain/submit.js';
import { cutChunks } from '../../src/results/tag-submit.js';

const listsOf = (count: number): TagList[] =>
  Array.from({ length: count }, (_, n) => ({ name: `l${n}`, keptUntil: null }));

/** A result in so many lists. */
function result(offset: number, lists: number): SubmitResult {
  return { playerId: `pl-${offset}`, score: 1, lists: listsOf(lists), offset, at: 0 };
}

function order(offset: number, playerId: string, lists = 0): SubmitResult {
  return { order: 'recompute', playerId, lists: listsOf(lists), offset, at: 0 };
}

/** `from`, `to` and the offsets of each chunk. */
function cut(results: readonly SubmitResult[], maxCost: number, costPerList = 1) {
  const submit = { source: 's', partition: 0, from: 10, to: 100, results };
  return cutChunks(submit, maxCost, costPerList).map(({ from, to, results: part }) => {
    return [from, to, part.map(({ offset }) => offset)];
  });
}

describe('cutting what a batch asks of a tag', () => {
  it('makes one chunk of nothing: the position is to be confirmed', () => {
    expect(cut([], 3)).toEqual([[10, 100, []]]);
  });

  it('makes chunks that continue each other, and end where the batch ends', () => {
    expect(cut([result(10, 1), result(12, 1), result(20, 1)], 2)).toEqual([
      [10, 13, [10, 12]],
      [13, 100, [20]],
    ]);
  });

  it('counts a result by its lists, and by what the rule costs in each', () => {
    const results = [10, 11, 12, 13].map((offset) => result(offset, 3));
    expect(cut(results, 6)).toEqual([
      [10, 12, [10, 11]],
      [12, 100, [12, 13]],
    ]);
    expect(cut(results, 12, 2)).toEqual(cut(results, 6));
  });

  it('takes a result that costs more than a chunk in a chunk of its own', () => {
    expect(cut([result(10, 1), result(11, 9), result(12, 1)], 4)).toEqual([
      [10, 11, [10]],
      [11, 12, [11]],
      [12, 100, [12]],
    ]);
  });

  it('counts orders without lists, and never cuts between those of one record', () => {
    expect(cut([order(10, 'a'), order(11, 'b'), order(11, 'c'), order(12, 'd')], 2)).toEqual([
      [10, 11, [10]],
      [11, 12, [11, 11]],
      [12, 100, [12]],
    ]);
  });
});
