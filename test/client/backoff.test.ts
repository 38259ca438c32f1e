import { describe, expect, it } from 'vitest';
import { Backoff } from '../../src/client/backoff.js';

const CLIENTS = 2_000;

/** The longest waits of so many tries in a row, to the next whole second. */
function bounds(code: number | null, tries: number): number[] {
  const backoff = new Backoff(() => 1 - Number.EPSILON);
  return Array.from({ length: tries }, () => Math.ceil(backoff.next(code) / 500) / 2);
}

describe('Backoff', () => {
  it('begins with half a second, doubles up to 20 s, and begins anew', () => {
    expect(bounds(1006, 8)).toEqual([0.5, 1, 2, 4, 8, 16, 20, 20]);
    const backoff = new Backoff(() => 1 - Number.EPSILON);
    backoff.next();
    backoff.reset();
    expect(backoff.next()).toBeLessThan(500);
  });

  it.each([1001, 1012, 1013, 4503])('spreads over 15 s at least whom a server that goes told so, by %i', (code) => {
    expect(bounds(code, 7)).toEqual([15, 15, 15, 15, 15, 16, 20]);
  });

  it('lets no second bring a tenth of those that were told at once', () => {
    const seconds = new Array<number>(16).fill(0);
    for (let client = 0; client < CLIENTS; client += 1) {
      const second = Math.floor(new Backoff(Math.random).next(1012) / 1_000);
      seconds[second] = (seconds[second] ?? 0) + 1;
    }
    expect(Math.max(...seconds)).toBeLessThan(CLIENTS / 10);
  });
});
