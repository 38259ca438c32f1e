/** The tier beside an own rank, also where it moves because others came or went. */

import { afterEach, describe, expect, it, vi } from 'vitest';
import { FrameType, type RankFrame, WindowKind } from '../../proto/frames.js';
import type { Tiers } from '../../src/domain/tiers.js';
import { holdTimers, turns } from '../views/support/view-rig.js';
import { fakeRig, type GatewayRig, pace, score, until } from './support/gateway-rig.js';
import type { TestClient } from './support/test-client.js';

let rig: GatewayRig;

afterEach(() => {
  vi.useRealTimers();
  rig.close();
});

async function watchOwnRank(tiers: Tiers | null, points: Readonly<Record<string, number>>): Promise<TestClient> {
  holdTimers();
  rig = fakeRig(points, 5, { tiers });
  const client = await rig.client('p1');
  const reqId = client.subscribe(WindowKind.me, [], 'arena');
  await until(() => client.answer(reqId) !== undefined, 'an answer');
  await turns();
  return client;
}

function tiersTold(client: TestClient): unknown[] {
  const ranks = client.frames.filter((frame): frame is RankFrame => frame[0] === FrameType.rank);
  client.clear();
  return ranks.map((frame) => frame[11]);
}

describe('The tier of an own rank', () => {
  it('goes with each RANK, and the board says which tiers there are', async () => {
    const steps = [
      { name: 'gold', limit: 500 },
      { name: 'bronze', limit: 100 },
    ];
    const client = await watchOwnRank({ measure: 'points', steps, isLow: false }, { p1: 99, p2: 700 });
    const subscribed = client.frames.find((frame) => frame[0] === FrameType.subscribed);
    expect(subscribed?.[6]).toMatchObject({
      10: [
        0,
        [
          ['gold', 500],
          ['bronze', 100],
        ],
      ],
    });
    expect(tiersTold(client)).toEqual([null]);
    for (const [points, tier] of [
      [100, 'bronze'],
      [500, 'gold'],
    ] as const) {
      rig.ranking.apply(['p1', score(points)]);
      await turns();
      expect(tiersTold(client)).toEqual([tier]);
    }
  });

  it('by percent is told when the number of players moves it and nothing else', async () => {
    const steps = [{ name: 'best half', limit: 50 }];
    const tiers: Tiers = { measure: 'top-percent', steps, isLow: false };
    const client = await watchOwnRank(tiers, { p1: 50, p2: 70, p3: 60 });
    expect(tiersTold(client)).toEqual([null]);
    // Three of six are the best half; nobody's rank above moves.
    rig.ranking.apply(['p4', score(1)], ['p5', score(2)], ['p6', score(3)]);
    await pace();
    await pace();
    expect(tiersTold(client)).toEqual(['best half']);
    rig.ranking.apply(['p6', score(4)]);
    await pace();
    expect(tiersTold(client)).toEqual([]);
    rig.ranking.apply(['p6', null], ['p5', null]);
    await pace();
    await pace();
    expect(tiersTold(client)).toEqual([null]);
  });

  it('is nil on a board without tiers', async () => {
    const client = await watchOwnRank(null, { p1: 5 });
    expect(tiersTold(client)).toEqual([null]);
  });
});
