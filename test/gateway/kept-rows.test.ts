import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { KeptRows } from '../../src/gateway/kept-rows.js';
import { TrackedPlayer } from '../../src/views/tracked-player.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('lets the bytes of a player go after a second or so, time and again', () => {
  const rows = new KeptRows();
  const player = new TrackedPlayer('a', 1, 1);
  for (let round = 0; round < 3; round += 1) {
    player.encoded = new Uint8Array(1);
    player.encodedFirst = new Uint8Array(2);
    for (let time = 0; time < 2; time += 1) rows.keep(player);
    vi.advanceTimersByTime(999);
    expect([player.encoded?.length, player.encodedFirst?.length]).toEqual([1, 2]);
    vi.advanceTimersByTime(1);
    expect([player.encoded, player.encodedFirst, vi.getTimerCount()]).toEqual([null, null, 0]);
  }
});
