import { describe, expect, it } from 'vitest';
import { IdInterner } from '../../src/social/id-interner.js';

describe('IdInterner', () => {
  it('gives back the ids of a list in their order', () => {
    const interner = new IdInterner();
    const list = interner.hold(['zoe', 'abe', 'zoe', '😀']);
    expect(interner.idsOf(list)).toEqual(['zoe', 'abe', 'zoe', '😀']);
    expect(interner.size).toBe(3);
  });

  it('keeps an id while one list still holds it, and frees it with the last', () => {
    const interner = new IdInterner();
    const first = interner.hold(['a', 'b']);
    const second = interner.hold(['b', 'c']);
    interner.release(first);
    expect(interner.idsOf(second)).toEqual(['b', 'c']);
    expect(interner.size).toBe(2);
    interner.release(second);
    expect(interner.size).toBe(0);
  });

  it('gives freed numbers to new ids, so that numbers do not grow with time', () => {
    const interner = new IdInterner();
    for (let round = 0; round < 100; round += 1) {
      const list = interner.hold([`x${round}`, `y${round}`]);
      expect(Math.max(...list)).toBeLessThan(2);
      expect(interner.idsOf(list)).toEqual([`x${round}`, `y${round}`]);
      interner.release(list);
    }
  });

  it('refuses a second release of the same list', () => {
    const interner = new IdInterner();
    const list = interner.hold(['a']);
    interner.release(list);
    expect(() => interner.release(list)).toThrow(/released twice/);
  });
});
