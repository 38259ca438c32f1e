import { describe, expect, it } from 'vitest';
import { compareOrderKeys } from '../../src/domain/order-key.js';

/** The packing of case A04: 32 bits of seconds. */
const pack = (points: number, second: number) => points * 2 ** 32 + (4_294_967_295 - second);

describe('compareOrderKeys', () => {
  it('puts the higher score first, and of equal scores the higher id', () => {
    const zed = { playerId: 'zed', score: pack(500, 1_760_000_010) };
    const bob = { playerId: 'bob', score: pack(500, 1_760_000_010) };
    const amy = { playerId: 'amy', score: pack(500, 1_760_000_020) };
    for (const order of [
      [zed, bob, amy],
      [bob, zed, amy],
      [amy, bob, zed],
    ]) {
      expect(order.toSorted(compareOrderKeys)).toEqual([zed, bob, amy]);
    }
  });

  it('orders ids by bytes, descending', () => {
    const keys = ['a', 'Ａ', '😀', 'b', 'ab'].map((playerId) => ({ playerId, score: 1 }));
    expect(keys.sort(compareOrderKeys).map((key) => key.playerId)).toEqual(['😀', 'Ａ', 'b', 'ab', 'a']);
  });

  it('tells the largest neighbouring scores apart', () => {
    const largest = { playerId: 'a', score: 2 ** 53 - 1 };
    const second = { playerId: 'z', score: 2 ** 53 - 2 };
    expect(compareOrderKeys(largest, second)).toBeLessThan(0);
    expect(compareOrderKeys(second, largest)).toBeGreaterThan(0);
    expect(compareOrderKeys(largest, { ...largest })).toBe(0);
  });
});
