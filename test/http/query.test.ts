import { describe, expect, it } from 'vitest';
import { Problem } from '../../src/http/problem.js';
import { decodeParam, parseQuery, readBoolean } from '../../src/http/query.js';

function refusal(read: () => unknown): Problem {
  try {
    read();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('a query (A06)', () => {
  it.each([
    ['', {}],
    ['player=a%2Bb', { player: 'a+b' }],
    ['player=a+b', { player: 'a b' }],
    ['player=a%20b', { player: 'a b' }],
    ['player=a%252Fb', { player: 'a%2Fb' }],
    ['player=%F0%9F%98%80&x=1', { player: '😀', x: '1' }],
    ['a=b=c&&d', { a: 'b=c', d: '' }],
    ['__proto__=1', JSON.parse('{"__proto__":"1"}')],
  ])('reads %j, decoding once', (raw, expected) => {
    expect(Object.fromEntries(parseQuery(raw))).toEqual(expected);
  });

  it.each(['player=%E0%A4%A', 'player=%', 'player=%zz', '%ff=1', 'player=%ED%A0%80'])('refuses %j', (raw) => {
    expect(refusal(() => parseQuery(raw)).kind).toBe('bad-request');
  });

  it.each(['player=x&player=y', 'player=x&player=x', 'player=x&pl%61yer=y', 'player&player'])(
    'refuses the repeated name in %j',
    (raw) => {
      const problem = refusal(() => parseQuery(raw));
      expect(problem.kind).toBe('bad-request');
      expect(problem.message).toContain('player stands in the query twice');
    },
  );
});

describe('a path parameter (A06)', () => {
  it.each([
    ['a%2Bb', 'a+b'],
    ['a+b', 'a+b'],
    ['a%252Fb', 'a%2Fb'],
  ])('reads %j as %j', (raw, id) => {
    expect(decodeParam(raw)).toBe(id);
  });

  it('refuses an invalid escape', () => {
    expect(refusal(() => decodeParam('%E0%A4%A')).kind).toBe('bad-request');
  });
});

it('a yes or no is true or false and nothing else', () => {
  expect(readBoolean(parseQuery('a=true'), 'a', false)).toBe(true);
  expect(readBoolean(parseQuery(''), 'a', true)).toBe(true);
  expect(refusal(() => readBoolean(parseQuery('a=1'), 'a', false)).message).toContain('a must be true or false');
});
