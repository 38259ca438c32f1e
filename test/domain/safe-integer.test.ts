import { describe, expect, it } from 'vitest';
import { parseSafeInteger } from '../../src/domain/safe-integer.js';

describe('parseSafeInteger', () => {
  it('reads exact integers, so that sums are sums and sorts are by value', () => {
    expect(parseSafeInteger('25', 'points') + 5).toBe(30);
    const sorted = ['9', '100', '10'].map((text) => parseSafeInteger(text, 'points')).sort((a, b) => b - a);
    expect(sorted).toEqual([100, 10, 9]);
    expect(parseSafeInteger('9007199254740991', 'points')).toBe(Number.MAX_SAFE_INTEGER);
    expect(parseSafeInteger('-3', 'points')).toBe(-3);
  });

  it.each(['9007199254740993', '9007199254740992', '1.5', '', 'NaN', '1e3', ' 1'])(
    'refuses %j, naming the column',
    (text) => {
      expect(() => parseSafeInteger(text, 'match_results.points')).toThrow(/match_results\.points/);
    },
  );
});
