/** Only results have a way to their frames that is measured: moves by others and snapshots have none. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { holdTimers, turns } from '../views/support/view-rig.js';
import { answered, fakeRig, type GatewayRig, pace, score } from './support/gateway-rig.js';
import type { TestClient } from './support/test-client.js';

const POINTS = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`p${index + 1}`, 1_200 - 100 * index]));

let rig: GatewayRig;
let client: TestClient;

beforeEach(async () => {
  holdTimers();
  rig = fakeRig(POINTS);
  rig.friends.lists.set('p5', ['p2', 'p9', 'nobody']);
  client = await rig.client('p5');
});
afterEach(() => {
  vi.useRealTimers();
  rig.close();
});

async function subscribe(kind: number): Promise<void> {
  await answered(client, client.subscribe(kind));
  await turns();
}

describe('The delay from a result to its frame', () => {
  /** Broker times of the fake ranking, read back from the delays. */
  function countedTimes(): number[] {
    return rig.counters.pushDelays.map((delayMs) => Date.now() - delayMs);
  }

  function expectCounted(...times: readonly number[]): void {
    const counted = countedTimes();
    expect(counted).toHaveLength(times.length);
    times.forEach((at, index) => {
      // Counted a moment ago by a clock that runs; the times of one test are 100 s apart.
      expect(counted[index] ?? 0).toBeGreaterThanOrEqual(at);
      expect(counted[index] ?? 0).toBeLessThan(at + 50_000);
    });
    rig.counters.pushDelays.length = 0;
  }

  /** A change with a time of its own. */
  function applyAt(at: number, playerId: string, points: number): void {
    rig.ranking.at = at;
    rig.ranking.apply([playerId, score(points)]);
  }

  for (const [kind, what] of [
    [3, 'own rank'],
    [4, 'friends'],
  ] as const) {
    it(`is counted for a player's own result and not where others move him: ${what}`, async () => {
      await subscribe(kind);
      // Long ago: what he scored then must not be counted when others move him now.
      applyAt(1_700_000_100_000, 'p5', 810);
      await turns();
      expectCounted(1_700_000_100_000);
      client.clear();
      applyAt(1_700_000_900_000, 'p8', 5_000);
      await pace();
      expect(client.frames.length).toBeGreaterThan(0);
      expectCounted();
    });
  }

  it('is counted for each step of a top, by the newest result in it', async () => {
    await subscribe(1);
    expectCounted();
    applyAt(1_700_000_100_000, 'p8', 5_000);
    applyAt(1_700_000_300_000, 'p9', 4_000);
    applyAt(1_700_000_200_000, 'p7', 4_500);
    await turns();
    expectCounted(1_700_000_300_000);
    applyAt(1_700_000_500_000, 'p12', 110);
    await pace();
    expectCounted();
  });
});
