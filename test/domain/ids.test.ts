import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareIds, isValidId, NAME_PATTERN } from '../../src/domain/ids.js';

describe('isValidId', () => {
  it.each([
    ['one letter', 'a'],
    ['a blank', ' '],
    ['64 bytes of ASCII', 'x'.repeat(64)],
    ['64 bytes of two-byte letters', 'é'.repeat(32)],
    ['64 bytes of emoji', '😀'.repeat(16)],
    ['braces, colons and stars', 'a}b{c:*'],
    ['a no-break space, just above the control characters', '\u00a0'],
    ['a decomposed letter, which stays as it is', 'e\u0301'],
  ])('takes %s', (_, id) => {
    expect(isValidId(id)).toBe(true);
  });

  it.each([
    ['no text at all', ''],
    ['65 bytes of ASCII', 'x'.repeat(65)],
    ['65 bytes in 33 letters', `${'é'.repeat(32)}x`],
    ['68 bytes in 17 emoji', '😀'.repeat(17)],
    ['a NUL', 'a\u0000'],
    ['a line end', 'a\n'],
    ['an escape', '\u001b[31m'],
    ['a delete', '\u007f'],
    ['a C1 control character', '\u0085'],
    ['half an emoji', '\ud83d'],
    ['the halves of an emoji in the wrong order', '\ude00\ud83d'],
  ])('refuses %s', (_, id) => {
    expect(isValidId(id)).toBe(false);
  });
});

describe('compareIds', () => {
  it('is the order of the UTF-8 bytes for any two ids', () => {
    const id = fc.string({ unit: 'binary', minLength: 1, maxLength: 16 });
    const check = (a: string, b: string) => {
      const wanted = Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(Math.sign(compareIds(a, b))).toBe(wanted);
      expect(Math.sign(compareIds(b, a))).toBe(wanted === 0 ? 0 : -wanted);
    };
    fc.assert(fc.property(id, id, check), { numRuns: 500 });
  });

  it.each([
    ['Ａ', '😀', 'a full-width letter before an emoji, whose UTF-16 units are smaller'],
    ['\uffff', '\u{10000}', 'the last of three bytes before the first of four'],
    ['\ud7ff', '\ue000', 'characters around the surrogates'],
    ['Z', 'a', 'capitals before small letters'],
    ['10', '9', 'digits as text'],
    ['ab', 'abc', 'a prefix before what continues it'],
    ['z', 'é', 'ASCII before anything else'],
    ['é', 'ê', 'neighbours in Latin-1'],
  ])('puts %j before %j: %s', (lower, higher) => {
    expect(compareIds(lower, higher)).toBeLessThan(0);
    expect(compareIds(higher, lower)).toBeGreaterThan(0);
  });

  it('does not take two spellings of a letter for the same', () => {
    expect(compareIds('é', 'e\u0301')).not.toBe(0);
    expect(compareIds('é', 'é')).toBe(0);
  });
});

describe('NAME_PATTERN', () => {
  it.each(['a', 'arena', 'eu-west-1', '0', 'x'.repeat(32)])('takes %j', (name) => {
    expect(NAME_PATTERN.test(name)).toBe(true);
  });

  it.each(['', 'Arena', 'a:b', 'a b', 'a_b', 'ä', 'a\n', '{a}', 'x'.repeat(33)])('refuses %j', (name) => {
    expect(NAME_PATTERN.test(name)).toBe(false);
  });
});
