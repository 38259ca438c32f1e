import { describe, expect, it } from 'vitest';
import { ErrorCode } from '../../proto/frames.js';
import { readListId } from '../../src/gateway/list-id.js';
import { RefusedError } from '../../src/gateway/refusal.js';

function codeOf(id: string): number {
  try {
    readListId(id);
  } catch (error) {
    expect(error).toBeInstanceOf(RefusedError);
    return (error as RefusedError).code;
  }
  throw new Error(`${id} was read`);
}

const day = (label: string | null) => ({ kind: 'day', label });
const week = (label: string | null) => ({ kind: 'week', label });
const guild = (value: string) => ({ name: 'guild', value });

describe('a list id', () => {
  it.each([
    ['arena', undefined, null, null],
    ['arena;s=12', '12', null, null],
    ['arena;d', undefined, day(null), null],
    ['arena;w', undefined, week(null), null],
    ['arena;d=2026-10-12', undefined, day('2026-10-12'), null],
    ['arena;s=12;w=2026-W42;guild=77', '12', week('2026-W42'), guild('77')],
    ['arena;guild=%F0%9F%98%80', undefined, null, guild('😀')],
    ['arena;d;guild=a%3Bb%3Dc%25%7D', undefined, day(null), guild('a;b=c%}')],
    ['arena;guild=%E2%80%8F7%3A8', undefined, null, guild('\u200f7:8')],
  ])('%s names its season, period and scope', (id, seasonId, period, scope) => {
    expect(readListId(id)).toEqual({ boardId: 'arena', seasonId, choice: { period, scope } });
  });

  it.each([
    '',
    ';d',
    'arena;',
    'arena;d=',
    'arena;d;w',
    'arena;w=2026-W42;s=12',
    'arena;guild=77;d',
    'arena;guild',
    'arena;guild=',
    'arena;guild=7=7',
    'arena;guild=%E0%A4%A',
    'arena;guild=%ED%A0%80',
    'arena;d=1;guild=7;region=8',
  ])('%j is none: 422', (id) => {
    expect(codeOf(id)).toBe(ErrorCode.badArgument);
  });

  it.each(['Arena', 'arena:s7', 'are na', `${'x'.repeat(33)}`, 'arena;s=A', '😀', 'lb:{arena:s1}'])(
    '%j names what no board or season is called: 404',
    (id) => {
      expect(codeOf(id)).toBe(ErrorCode.notFound);
    },
  );
});
