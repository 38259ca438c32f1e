import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OrderKey } from '../../src/domain/order-key.js';
import { OrderStatistics } from '../../src/ranking/order-statistics.js';

const byOrder = (a: OrderKey, b: OrderKey) =>
  b.score - a.score || Buffer.compare(Buffer.from(b.playerId), Buffer.from(a.playerId));

/** Everything that can be asked of `statistics` is what the sorted `keys` say. */
function expectSame(statistics: OrderStatistics, keys: readonly OrderKey[]): void {
  const sorted = keys.toSorted(byOrder);
  expect(statistics.size).toBe(sorted.length);
  expect(statistics.range(1, sorted.length)).toEqual(sorted);
  sorted.forEach((key, index) => {
    expect(statistics.rankOf(key)).toBe(index + 1);
    expect(statistics.entryAt(index + 1)).toEqual(key);
  });
}

describe('OrderStatistics', () => {
  it('is empty at first', () => {
    const statistics = new OrderStatistics();
    expect(statistics.size).toBe(0);
    expect(statistics.entryAt(1)).toBeNull();
    expect(statistics.range(1, 10)).toEqual([]);
    expect(statistics.rankOf({ score: 1, playerId: 'a' })).toBeNull();
    expect(statistics.countAbove({ score: 1, playerId: 'a' })).toBe(0);
    expect(statistics.delete({ score: 1, playerId: 'a' })).toBeNull();
  });

  it('puts higher scores first, then higher id bytes', () => {
    const statistics = new OrderStatistics();
    for (const playerId of ['Ａ', 'a', '😀', 'b']) statistics.insert({ score: 5, playerId });
    statistics.insert({ score: 6, playerId: '0' });
    statistics.insert({ score: 4, playerId: 'z' });
    expect(statistics.range(1, 6).map((key) => key.playerId)).toEqual(['0', '😀', 'Ａ', 'b', 'a', 'z']);
  });

  it('answers the rank of what it takes in and of what it takes out', () => {
    const statistics = new OrderStatistics();
    expect(statistics.insert({ score: 5, playerId: 'a' })).toBe(1);
    expect(statistics.insert({ score: 4, playerId: 'b' })).toBe(2);
    expect(statistics.insert({ score: 6, playerId: 'c' })).toBe(1);
    expect(statistics.delete({ score: 4, playerId: 'b' })).toBe(3);
    expect(statistics.delete({ score: 6, playerId: 'c' })).toBe(1);
  });

  it('keeps a key once, however often it comes', () => {
    const statistics = new OrderStatistics();
    statistics.insert({ score: 6, playerId: 'b' });
    statistics.insert({ score: 5, playerId: 'a' });
    expect(statistics.insert({ score: 5, playerId: 'a' })).toBe(2);
    expect(statistics.size).toBe(2);
    expect(statistics.delete({ score: 5, playerId: 'a' })).toBe(2);
    expect(statistics.delete({ score: 5, playerId: 'a' })).toBeNull();
    expect(statistics.size).toBe(1);
  });

  it('tells a key from one of the same score or the same id', () => {
    const statistics = new OrderStatistics();
    statistics.insert({ score: 5, playerId: 'a' });
    expect(statistics.rankOf({ score: 5, playerId: 'b' })).toBeNull();
    expect(statistics.rankOf({ score: 4, playerId: 'a' })).toBeNull();
    expect(statistics.delete({ score: 6, playerId: 'a' })).toBeNull();
  });

  it('counts what stands above a key that is not there', () => {
    const statistics = new OrderStatistics();
    for (const score of [10, 20, 30]) statistics.insert({ score, playerId: 'm' });
    expect(statistics.countAbove({ score: 31, playerId: 'x' })).toBe(0);
    expect(statistics.countAbove({ score: 20, playerId: 'z' })).toBe(1);
    expect(statistics.countAbove({ score: 20, playerId: 'm' })).toBe(1);
    expect(statistics.countAbove({ score: 20, playerId: 'a' })).toBe(2);
    expect(statistics.countAbove({ score: 0, playerId: 'x' })).toBe(3);
  });

  it.each([
    [1, 2, [9, 8]],
    [9, 5, [1, 0]],
    [0, 2, [9]],
    [-3, 4, []],
    [-3, 6, [9, 8]],
    [11, 1, []],
    [3, 0, []],
    [3, -1, []],
  ])('reads from rank %i on %i keys: %j', (fromRank, count, scores) => {
    const statistics = new OrderStatistics();
    for (let score = 0; score < 10; score += 1) statistics.insert({ score, playerId: 'a' });
    expect(statistics.range(fromRank, count).map((key) => key.score)).toEqual(scores);
  });

  it.each([
    ['rising', (index: number) => index],
    ['falling', (index: number) => -index],
    ['equal', () => 7],
    ['scattered', (index: number) => (index * 7_919) % 2_503],
  ])('stays right while thousands of %s keys come and go', (_, scoreAt) => {
    const statistics = new OrderStatistics();
    const keys = Array.from({ length: 3_000 }, (_unused, index) => ({ score: scoreAt(index), playerId: `p${index}` }));
    for (const key of keys) statistics.insert(key);
    expectSame(statistics, keys);
    const kept = keys.filter((_key, index) => index % 40 === 3);
    for (const key of keys) if (!kept.includes(key)) statistics.delete(key);
    expectSame(statistics, kept);
    for (const key of keys) statistics.insert(key);
    expectSame(statistics, keys);
    for (const key of keys) statistics.delete(key);
    expectSame(statistics, []);
  });

  it('equals a sorted array after any inserts and deletes', () => {
    const key = fc.record({
      score: fc.oneof(fc.nat(6), fc.maxSafeNat()),
      playerId: fc.constantFrom('a', 'b', 'ab', 'Ａ', '😀', '\uE000', '0'),
    });
    const step = fc.record({ key, isInsert: fc.boolean() });
    const check = (steps: readonly { readonly key: OrderKey; readonly isInsert: boolean }[]) => {
      const statistics = new OrderStatistics();
      const model = new Map<string, OrderKey>();
      for (const { key: moved, isInsert } of steps) {
        const name = `${moved.score}:${moved.playerId}`;
        if (isInsert) model.set(name, moved);
        const rank = [...model.values()].sort(byOrder).findIndex((held) => byOrder(held, moved) === 0) + 1;
        if (isInsert) expect(statistics.insert(moved)).toBe(rank);
        else expect(statistics.delete(moved)).toBe(rank === 0 ? null : rank);
        if (!isInsert) model.delete(name);
      }
      expectSame(statistics, [...model.values()]);
    };
    fc.assert(fc.property(fc.array(step, { maxLength: 60 }), check));
  });
});
