import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Position } from '../../src/domain/log-record.js';
import { FillPace } from '../../src/rebuild/fill-pace.js';

/** How far the shown board is; `null`: there is none. */
let next: number | null;
let pace: FillPace;

beforeEach(() => {
  vi.useFakeTimers();
  next = 10;
  const positions = async (): Promise<readonly Position[] | null> =>
    next === null ? null : [{ source: 'kafka:t', partition: 0, next }];
  pace = new FillPace(positions, undefined);
});
afterEach(() => vi.useRealTimers());

/** How long the pause after a chunk of 40 ms is. */
async function restAfterChunk(): Promise<number> {
  const startedAt = performance.now();
  const rested = pace.rest(40).then(() => performance.now() - startedAt);
  await vi.advanceTimersByTimeAsync(1_000);
  return await rested;
}

it('rests longer than a chunk took where results came since the last look', async () => {
  expect(await restAfterChunk()).toBe(0);
  next = 11;
  expect(await restAfterChunk()).toBe(120);
  expect(await restAfterChunk()).toBe(0);
});

it('does not rest where nobody plays, nor where no board is shown', async () => {
  await restAfterChunk();
  expect(await restAfterChunk()).toBe(0);
  next = null;
  expect(await restAfterChunk()).toBe(0);
  expect(await restAfterChunk()).toBe(0);
});

it('ends the rest with an abort', async () => {
  const end = new AbortController();
  const aborted = new FillPace(async () => [{ source: 'kafka:t', partition: 0, next: performance.now() }], end.signal);
  await aborted.rest(10);
  vi.advanceTimersByTime(300);
  const resting = aborted.rest(60_000);
  const ended = expect(resting).rejects.toThrow('enough');
  await vi.advanceTimersByTimeAsync(10);
  end.abort(new Error('enough'));
  await ended;
});
