import { describe, expect, it } from 'vitest';
import { ErrorCode, type SubscribeFrame } from '../../proto/frames.js';
import { SubscribeParts } from '../../src/gateway/subscribe-parts.js';

function part(reqId: number, ids: unknown, more: boolean | null, kind = 5, list = 'arena'): SubscribeFrame {
  return [16, reqId, kind, list, [ids], null, null, null, more];
}
const span = (from: number, count: number) => Array.from({ length: count }, (_, index) => `p${from + index}`);

function codeOf(parts: SubscribeParts, frame: SubscribeFrame): unknown {
  try {
    return parts.take(frame)?.[4];
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

describe('SUBSCRIBE in parts', () => {
  it('is one request with all ids, at its last frame', () => {
    const parts = new SubscribeParts();
    expect(parts.take(part(1, ['a'], true))).toBe(null);
    expect(parts.take(part(1, ['b', 'a'], true))).toBe(null);
    expect(parts.take(part(1, ['c'], false))?.slice(0, 5)).toEqual([16, 1, 5, 'arena', [['a', 'b', 'a', 'c']]]);
    expect(parts.take(part(1, ['d'], null))?.[4]).toEqual([['d']]);
  });

  it('of any kind is itself where it says nothing of more', () => {
    const parts = new SubscribeParts();
    const frame: SubscribeFrame = [16, 1, 1, 'arena', [5], 7, 8];
    expect(parts.take(frame)).toBe(frame);
  });

  it('is given up by a request of another number', () => {
    const parts = new SubscribeParts();
    parts.take(part(1, ['a'], true));
    expect(parts.take(part(2, ['b'], false))?.[4]).toEqual([['b']]);
    expect(parts.take(part(1, ['c'], false))?.[4]).toEqual([['c']]);
  });

  it('is refused once when it has too many, and its rest is no request of its own', () => {
    const parts = new SubscribeParts();
    expect(parts.take(part(1, span(0, 1_000), true))).toBe(null);
    expect(codeOf(parts, part(1, ['x'], true))).toBe(ErrorCode.tooLarge);
    expect(codeOf(parts, part(1, ['y'], true))).toBe(undefined);
    expect(codeOf(parts, part(1, ['z'], false))).toBe(undefined);
    expect(codeOf(parts, part(1, ['z'], false))).toEqual([['z']]);
  });

  it('may have exactly as many as a watch list names', () => {
    const parts = new SubscribeParts();
    parts.take(part(3, span(0, 500), true));
    expect(parts.take(part(3, span(500, 500), false))?.[4]).toEqual([span(0, 1_000)]);
  });

  it.each([
    ['another kind', part(1, ['a'], true, 1)],
    ['no array', part(1, 'a', true)],
  ])('is refused with %s', (_, frame) => {
    expect(codeOf(new SubscribeParts(), frame)).toBe(ErrorCode.badArgument);
  });

  it('is refused where a part is for another list', () => {
    const parts = new SubscribeParts();
    parts.take(part(1, ['a'], true));
    expect(codeOf(parts, part(1, ['b'], false, 5, 'duel'))).toBe(ErrorCode.badArgument);
  });
});
