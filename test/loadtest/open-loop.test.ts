import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countDue, dueAtMs, runOpenLoop } from '../../loadtest/lib/open-loop.js';

it('has event 0 due at the start and the others at equal distances', () => {
  expect([0, 1, 500].map((event) => dueAtMs(10, 500, event))).toEqual([10, 12, 1_010]);
});

it('counts an event from the very moment when it is due', () => {
  expect([9.9, 10, 11.9, 12, 13.9, 14].map((nowMs) => countDue(10, 500, nowMs))).toEqual([0, 1, 1, 2, 2, 3]);
});

it('never counts an event early, nor leaves out one that is due', () => {
  const start = fc.double({ min: 0, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(start, fc.integer({ min: 1, max: 100_000 }), fc.nat(10_000_000), (startAtMs, rate, event) => {
      const nowMs = dueAtMs(startAtMs, rate, event);
      const count = countDue(startAtMs, rate, nowMs);
      expect(count).toBeGreaterThan(event);
      expect(dueAtMs(startAtMs, rate, count - 1)).toBeLessThanOrEqual(nowMs);
      expect(dueAtMs(startAtMs, rate, count)).toBeGreaterThan(nowMs);
    }),
  );
});

it('releases each event once, in order and not before it is due, whatever the receiver takes', async () => {
  const released: number[] = [];
  const early: number[] = [];
  const startAtMs = performance.now() + 5;
  await runOpenLoop({
    rate: 2_000,
    count: 100,
    startAtMs,
    signal: new AbortController().signal,
    release: (from, to) => {
      for (let event = from; event < to; event++) {
        released.push(event);
        if (dueAtMs(startAtMs, 2_000, event) > performance.now()) early.push(event);
      }
    },
  });
  expect(released).toEqual(Array.from({ length: 100 }, (_, event) => event));
  expect(early).toEqual([]);
});

it('ends with the reason of the signal', async () => {
  const interrupted = new AbortController();
  const loop = runOpenLoop({
    rate: 1,
    count: 1_000,
    startAtMs: performance.now(),
    signal: interrupted.signal,
    release: () => interrupted.abort(new Error('enough')),
  });
  await expect(loop).rejects.toThrow('enough');
});

it('ends in order before its time where it is told to', async () => {
  const end = new AbortController();
  let released = 0;
  await runOpenLoop({
    rate: 1_000,
    count: 1_000_000,
    startAtMs: performance.now(),
    release: (_, to) => {
      released = to;
      if (to >= 20) end.abort();
    },
    signal: new AbortController().signal,
    end: end.signal,
  });
  expect(released).toBeGreaterThanOrEqual(20);
  expect(released).toBeLessThan(1_000_000);
});
