import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DueResults, ShownCursor, type ShownRecorder } from '../../loadtest/lib/due-results.js';

class Recorded implements ShownRecorder {
  readonly pairs: [dueAtMs: number, shownAtMs: number][] = [];

  record(dueAtMs: number, shownAtMs: number): void {
    this.pairs.push([dueAtMs, shownAtMs]);
  }
}

function dueResults(...results: readonly (readonly [points: number, dueAtMs: number])[]): DueResults {
  const due = new DueResults();
  for (const [points, dueAtMs] of results) due.add(points, dueAtMs);
  return due;
}

describe('a window that shows a player', () => {
  it('counts a conflated result with the frame that first shows its state', () => {
    const cursor = new ShownCursor(dueResults([10, 100], [20, 110], [30, 120]));
    const recorded = new Recorded();
    cursor.show(20, 150, recorded);
    cursor.show(30, 160, recorded);
    expect(recorded.pairs).toEqual([
      [100, 150],
      [110, 150],
      [120, 160],
    ]);
    expect(cursor.unshown).toBe(0);
  });

  it('counts each result once, however often its points are shown', () => {
    const cursor = new ShownCursor(dueResults([10, 100], [20, 110]));
    const recorded = new Recorded();
    for (const shownAtMs of [150, 160, 170]) cursor.show(10, shownAtMs, recorded);
    expect(recorded.pairs).toEqual([[100, 150]]);
    expect(cursor.unshown).toBe(1);
  });

  it('counts nothing for points below the next result, such as those from before the load', () => {
    const cursor = new ShownCursor(dueResults([10, 100]));
    const recorded = new Recorded();
    cursor.show(9, 150, recorded);
    expect(recorded.pairs).toEqual([]);
    expect(cursor.unshown).toBe(1);
  });

  it('sees results that became due after it was made', () => {
    const due = new DueResults();
    const cursor = new ShownCursor(due);
    due.add(10, 100);
    const recorded = new Recorded();
    cursor.show(10, 105, recorded);
    expect(recorded.pairs).toEqual([[100, 105]]);
  });

  it('is one of several, each with its own place', () => {
    const due = dueResults([10, 100]);
    const [one, other] = [new ShownCursor(due), new ShownCursor(due)];
    one.show(10, 150, new Recorded());
    expect([one.unshown, other.unshown]).toEqual([0, 1]);
  });

  it('agrees with a search through all frames for the first that shows each result', () => {
    const steps = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 20 });
    const frames = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 30 });
    fc.assert(
      fc.property(steps, frames, (increments, shownPoints) => {
        let points = 0;
        const results = increments.map((increment, index) => {
          points += increment;
          return [points, index] as const;
        });
        const cursor = new ShownCursor(dueResults(...results));
        const recorded = new Recorded();
        for (const [index, shown] of shownPoints.entries()) cursor.show(shown, 1_000 + index, recorded);
        const expected = results.flatMap(([wanted, dueAtMs]) => {
          const first = shownPoints.findIndex((shown) => shown >= wanted);
          return first === -1 ? [] : [[dueAtMs, 1_000 + first]];
        });
        expect(recorded.pairs).toEqual(expected);
        expect(cursor.unshown).toBe(results.length - expected.length);
      }),
    );
  });
});

describe('points that may fall', () => {
  function fallingResults(): DueResults {
    const due = new DueResults(false);
    due.add(30, 100);
    due.add(10, 110);
    due.add(20, 120);
    return due;
  }

  it('are shown by the frame with exactly these points, and so are those before them', () => {
    const cursor = new ShownCursor(fallingResults());
    const recorded = new Recorded();
    cursor.show(10, 150, recorded);
    expect(recorded.pairs).toEqual([
      [100, 150],
      [110, 150],
    ]);
    cursor.show(20, 160, recorded);
    expect(cursor.unshown).toBe(0);
  });

  it('are not shown by other points, nor by those that were shown before', () => {
    const cursor = new ShownCursor(fallingResults());
    const recorded = new Recorded();
    cursor.show(25, 140, recorded);
    cursor.show(30, 150, recorded);
    cursor.show(30, 160, recorded);
    expect(recorded.pairs).toEqual([[100, 150]]);
    expect(cursor.unshown).toBe(2);
  });
});

it('refuses a result that does not improve: no window would ever be told of it', () => {
  expect(() => dueResults([10, 100], [10, 110])).toThrow('10 points do not improve on 10');
});
