import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FrameType } from '../../proto/frames.js';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import { gate } from '../views/support/fake-ranking.js';
import { holdTimers, turns } from '../views/support/view-rig.js';
import { expectFriends, expectMe, fakeRig, type GatewayRig, pace, score, until } from './support/gateway-rig.js';
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
  vi.restoreAllMocks();
  rig.close();
});

async function subscribe(kind: number, args: readonly unknown[] = [], held?: Parameters<TestClient['subscribe']>[3]) {
  const reqId = client.subscribe(kind, args, 'arena', held);
  await until(() => client.answer(reqId) !== undefined, 'an answer');
  await turns();
  return client.topic(reqId);
}

describe('Own rank of a session', () => {
  it('shows the rank at once after an own change, and moves by others soon after', async () => {
    await subscribe(3);
    expectMe(client, rig, 'p5');
    rig.ranking.apply(['p5', score(5_000)]);
    await turns();
    expectMe(client, rig, 'p5');
    expect(client.me().read(false)).toMatchObject({ rank: 1, prevRank: 5, total: 12 });
    rig.ranking.apply(['p9', score(6_000)], ['p8', score(7_000)]);
    await pace();
    expectMe(client, rig, 'p5');
    expect(client.me().read(false)).toMatchObject({ rank: 3, prevRank: 1, seq: 3 });
    client.clear();
    await pace();
    expect(client.frames).toEqual([]);
  });

  it('shows a move by others within a second, however late the session takes it', async () => {
    for (const [phase, other] of [
      [0, 'p9'],
      [0.5, 'p10'],
      [0.999, 'p12'],
    ] as const) {
      vi.spyOn(Math, 'random').mockReturnValueOnce(phase);
      client = await rig.client('p5');
      await subscribe(3);
      client.clear();
      rig.ranking.apply([other, score(5_000)]);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(client.types()).toEqual([FrameType.rank]);
      expectMe(client, rig, 'p5');
      client.session.closed(1_006);
    }
  });

  it('goes out at once after an own result, also while moves by others wait for their moment', async () => {
    vi.spyOn(Math, 'random').mockReturnValueOnce(0.999);
    client = await rig.client('p5');
    await subscribe(3);
    client.clear();
    rig.ranking.apply(['p9', score(5_000)]);
    // The view has told; the session's moment is 200 ms later.
    await vi.advanceTimersByTimeAsync(710);
    await turns();
    expect(client.frames).toEqual([]);
    rig.ranking.apply(['p5', score(4_000)]);
    await turns();
    expect(client.types()).toEqual([FrameType.rank]);
    expectMe(client, rig, 'p5');
    await vi.advanceTimersByTimeAsync(1_000);
    await turns();
    expect(client.types()).toEqual([FrameType.rank]);
  });

  it('shows a player without a row, and his first one', async () => {
    client = await rig.client('new');
    await subscribe(3);
    expect(client.me().read(false)).toMatchObject({ rank: null, score: null });
    rig.ranking.apply(['new', score(650)]);
    await turns();
    expectMe(client, rig, 'new');
    rig.ranking.apply(['new', null]);
    await turns();
    expectMe(client, rig, 'new');
  });

  it('gives RANK at RESYNC', async () => {
    const topic = await subscribe(3);
    client.clear();
    client.send([FrameType.resync, topic, 0, 0, 1]);
    await turns();
    expect(client.types()).toEqual([FrameType.rank]);
    expectMe(client, rig, 'p5');
  });
});

describe('Friends of a session', () => {
  it('shows friends and self, those without a row as well', async () => {
    await subscribe(4);
    expectFriends(client, rig, ['p5', 'p2', 'p9', 'nobody']);
  });

  it('leaves self out where the client says so', async () => {
    await subscribe(4, [null, false]);
    expectFriends(client, rig, ['p2', 'p9', 'nobody']);
  });

  it('shows own changes of friends at once, and all moves soon after', async () => {
    await subscribe(4);
    client.clear();
    rig.ranking.apply(['p9', score(5_000)], ['nobody', score(1_150)]);
    await turns();
    expect(client.types()).toEqual([FrameType.delta]);
    const delta = client.frames[0];
    expect(delta?.[0] === FrameType.delta ? delta[5].length : 0).toBe(2);
    await pace();
    expectFriends(client, rig, ['p5', 'p2', 'p9', 'nobody']);
    rig.ranking.apply(['p9', null], ['p1', score(1)]);
    await pace();
    expectFriends(client, rig, ['p5', 'p2', 'p9', 'nobody']);
  });

  it('shows an added friend by a snapshot of the same epoch', async () => {
    const topic = await subscribe(4);
    client.clear();
    rig.friends.change('p5', ['p2', 'p9', 'nobody', 'p7']);
    await pace();
    expect(client.frames.map((frame) => frame.slice(0, 4))).toEqual([[32, topic, rig.hub.wireEpoch, 0]]);
    expectFriends(client, rig, ['p5', 'p2', 'p9', 'nobody', 'p7']);
    rig.ranking.apply(['p7', score(9_000)]);
    await pace();
    expectFriends(client, rig, ['p5', 'p2', 'p9', 'nobody', 'p7']);
  });

  it('takes a removed friend out, says nothing of him from then on, and shows one row when he is back (A26)', async () => {
    await subscribe(4);
    rig.friends.change('p5', ['p2']);
    await pace();
    expectFriends(client, rig, ['p5', 'p2']);
    expect(rig.hub.view.trackedCount).toBe(2);
    client.clear();
    rig.ranking.apply(['p9', score(1_001)]);
    await turns();
    expect(client.frames).toEqual([]);
    await pace();
    rig.friends.change('p5', ['p2', 'p9']);
    await pace();
    expectFriends(client, rig, ['p5', 'p2', 'p9']);
  });

  it('ends with the newest list when lists change while one is being read', async () => {
    const held = gate();
    rig.ranking.afterRead = ({ playerIds }) => (playerIds.includes('p2') ? held.passed : undefined);
    const reqId = client.subscribe(4);
    await turns();
    rig.friends.change('p5', ['p7']);
    await turns();
    rig.friends.change('p5', ['p8', 'p1']);
    await turns();
    held.open();
    await until(() => client.answer(reqId) !== undefined, 'an answer');
    await pace();
    expectFriends(client, rig, ['p5', 'p8', 'p1']);
    expect(rig.hub.view.trackedCount).toBe(3);
    client.session.closed(1_006);
    await pace();
    expect([rig.hub.view.trackedCount, rig.friends.pinCount, rig.friends.heldCount]).toEqual([0, 0, 0]);
  });

  it('tries again where the ranking is away at a changed list, and stops with the window', async () => {
    const topic = await subscribe(4);
    rig.ranking.beforeRead = () => {
      throw new Error('redis is away');
    };
    rig.friends.change('p5', ['p2', 'p7']);
    await turns();
    rig.ranking.beforeRead = () => {};
    await vi.advanceTimersByTimeAsync(1_400);
    await turns();
    expectFriends(client, rig, ['p5', 'p2', 'p7']);

    rig.ranking.beforeRead = () => {
      throw new Error('redis is away');
    };
    expect(rig.logged).toMatchObject([{ level: 50, msg: 'session.defect', err: { message: 'redis is away' } }]);
    rig.logged.length = 0;
    rig.friends.change('p5', ['p2', 'p8']);
    await turns();
    client.send([FrameType.unsubscribe, 50, topic]);
    await until(() => client.answer(50) !== undefined, 'an answer');
    client.clear();
    rig.ranking.reads.length = 0;
    await vi.advanceTimersByTimeAsync(5_000);
    await turns();
    expect([rig.ranking.reads, client.frames, rig.hub.view.trackedCount]).toEqual([[], [], 0]);
  });

  it('logs nothing of a changed list while a store is away', async () => {
    await subscribe(4);
    rig.ranking.beforeRead = () => {
      throw new StoreUnavailableError('redis is away');
    };
    rig.friends.change('p5', ['p2', 'p7']);
    await vi.advanceTimersByTimeAsync(3_000);
    rig.ranking.beforeRead = () => {};
    await vi.advanceTimersByTimeAsync(1_400);
    await turns();
    expectFriends(client, rig, ['p5', 'p2', 'p7']);
    expect(rig.logged).toEqual([]);
  });

  it('sends nothing for a window that ended while its list was being read', async () => {
    const topic = await subscribe(4);
    const held = gate();
    rig.friends.afterRead = () => held.passed;
    rig.friends.change('p5', ['p2', 'p7']);
    await turns();
    client.send([FrameType.unsubscribe, 50, topic]);
    await until(() => client.answer(50) !== undefined, 'an answer');
    held.open();
    await pace();
    expect(client.frames.at(-1)?.[0]).toBe(FrameType.unsubscribed);
    expect([client.troubles, rig.hub.view.trackedCount]).toEqual([[], 0]);
  });

  it('sends a long list in parts, each under the frame limit', async () => {
    const ids = Array.from({ length: 1_200 }, (_, index) => `friend-with-a-long-id-${index}`);
    rig.friends.lists.set('p5', ids);
    await subscribe(4);
    const parts = client.types().filter((type) => type === FrameType.snapshot);
    expect(parts.length).toBeGreaterThan(1);
    expectFriends(client, rig, ['p5', ...ids]);
    // More than one delta can hold.
    rig.ranking.apply(...ids.map((id, index) => [id, score(index + 1)] as const));
    await turns();
    await pace();
    expectFriends(client, rig, ['p5', ...ids]);
  });

  it('ends a window whose list grew beyond what the client takes, and says why', async () => {
    const topic = await subscribe(4, [3]);
    rig.friends.change('p5', ['p2', 'p9', 'nobody', 'p7']);
    await pace();
    expect(client.frames.at(-1)?.slice(0, 4)).toEqual([19, 0, topic, 413]);
    expect(rig.logged).toEqual([]);
    expect([rig.hub.view.trackedCount, rig.friends.pinCount, rig.friends.heldCount, client.troubles]).toEqual([
      0,
      0,
      0,
      [],
    ]);
    rig.friends.change('p5', ['p2']);
    await subscribe(4, [3]);
    expectFriends(client, rig, ['p5', 'p2']);
  });

  it('refuses a list longer than the client takes', async () => {
    const reqId = client.subscribe(4, [2]);
    await until(() => client.answer(reqId) !== undefined, 'an answer');
    expect(client.answer(reqId)?.slice(0, 3)).toEqual([5, reqId, 413]);
    expect([rig.hub.view.trackedCount, rig.friends.pinCount, rig.friends.heldCount]).toEqual([0, 0, 0]);
  });
});
