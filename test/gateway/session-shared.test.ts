/** A session's top windows, flushes that throw, and what stays of a session that closes. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CloseCode } from '../../proto/close-codes.js';
import { FrameType } from '../../proto/frames.js';
import { gate } from '../views/support/fake-ranking.js';
import { holdTimers, turns } from '../views/support/view-rig.js';
import { answered, expectTop, fakeRig, type GatewayRig, pace, score, until } from './support/gateway-rig.js';

const POINTS = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`p${index + 1}`, 1_200 - 100 * index]));

let rig: GatewayRig;

beforeEach(() => {
  rig = fakeRig(POINTS);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  rig.close();
});

describe('Top window of a session', () => {
  it('follows the board, at once where a row came in, and soon where rows only left', async () => {
    rig.close();
    holdTimers();
    rig = fakeRig(POINTS);
    const client = await rig.client();
    await answered(client, client.subscribe(1));
    rig.ranking.apply(['p9', score(5_000)], ['new', score(4_000)]);
    await turns();
    expectTop(client, rig);
    expect(client.frames.at(-1)?.[0]).toBe(FrameType.delta);
    rig.ranking.apply(['p9', null]);
    rig.ranking.apply(['new', score(1)]);
    await vi.advanceTimersByTimeAsync(260);
    await turns();
    expectTop(client, rig);
  });

  it('gives a whole snapshot at RESYNC, and nothing for a topic it does not have', async () => {
    const client = await rig.client();
    await answered(client, client.subscribe(1));
    client.clear();
    client.send([FrameType.resync, 777_777, 0, 0, 1]);
    await turns();
    expect([client.frames, rig.counters.resyncs]).toEqual([[], []]);
    const [topic] = client.windows.keys();
    client.send([FrameType.resync, topic, rig.hub.wireEpoch, 0, 2]);
    await until(() => client.frames.length > 0, 'an answer');
    expect(client.types()).toEqual([FrameType.snapshot]);
    expect(rig.counters.resyncs).toEqual([2]);
    expectTop(client, rig);
  });

  it('sends nothing where the client is current, else what it missed, and a snapshot to who never was there', async () => {
    const first = await rig.client();
    await answered(first, first.subscribe(1, [4]));
    rig.ranking.apply(['p9', score(5_000)]);
    await turns();
    const held = first.top();
    first.session.closed(1_006);

    const second = await rig.client();
    // Somebody else's window: the shared one stays where it was.
    await answered(second, second.subscribe(1, [4], 'arena', held));
    await turns();
    expect(second.frames.at(-1)?.slice(0, 6)).toEqual([17, 1, expect.any(Number), 1, rig.hub.wireEpoch, 1]);
    expectTop(second, rig, 4);
    rig.ranking.apply(['p10', score(6_000)]);
    await turns();
    expect(second.frames.at(-1)?.[0]).toBe(FrameType.delta);
    expectTop(second, rig, 4);
    second.session.closed(1_006);

    rig.ranking.apply(['p11', score(7_000)]);
    const third = await rig.client();
    await answered(third, third.subscribe(1, [4], 'arena', held));
    await turns();
    expect(third.types()).toEqual([FrameType.welcome, FrameType.subscribed, FrameType.delta]);
    expect(third.frames[1]?.slice(0, 6)).toEqual([17, 1, expect.any(Number), 2, rig.hub.wireEpoch, 3]);
    expectTop(third, rig, 4);
    const fourth = await rig.client();
    await answered(fourth, fourth.subscribe(1, [4]));
    await turns();
    expect(fourth.types()).toEqual([FrameType.welcome, FrameType.subscribed, FrameType.snapshot]);
    expectTop(fourth, rig, 4);
  });

  it('follows the total within a second where no row of it changed', async () => {
    rig.close();
    holdTimers();
    rig = fakeRig(POINTS);
    const client = await rig.client();
    await answered(client, client.subscribe(1));
    await pace();
    client.clear();
    rig.ranking.apply(['low', score(1)], ['p12', null], ['lower', score(0)]);
    await turns();
    expect(client.frames).toEqual([]);
    await pace();
    expect(client.frames).toMatchObject([{ 0: FrameType.delta, 4: [], 5: [], 7: 13 }]);
    expectTop(client, rig);
    expect(rig.counters.pushDelays).toEqual([]);
    const fresh = await rig.client();
    await answered(fresh, fresh.subscribe(1));
    expectTop(fresh, rig);
  });

  it('sends a client without BATCH each frame in a message of its own', async () => {
    const client = await rig.client(null, 2);
    client.subscribe(1, [2]);
    const last = client.subscribe(1, [3]);
    await answered(client, last);
    await turns();
    expect(client.socket.sent).toHaveLength(client.frames.length);
    expect(client.socket.sent.every((bytes) => bytes[1] !== FrameType.batch)).toBe(true);
  });
});

describe('A flush that throws', () => {
  it('ends the session whose own it is with 4500, and the neighbours get their frames', async () => {
    const [broken, neighbour] = [await rig.client(), await rig.client()];
    for (const client of [broken, neighbour]) await answered(client, client.subscribe(1));
    await turns();
    const error = new Error('a defect');
    broken.socket.send = () => {
      throw error;
    };
    neighbour.clear();
    rig.ranking.apply(['p9', score(5_000)]);
    await turns();
    expect([rig.flushErrors, broken.socket.closeCode]).toEqual([[error], CloseCode.internal]);
    expect(neighbour.types()).toEqual([FrameType.delta]);
    expect(neighbour.socket.closes).toEqual([]);
    rig.ranking.apply(['p9', score(6_000)]);
    await turns();
    expect(rig.flushErrors).toHaveLength(1);
    expectTop(neighbour, rig);
  });

  it('is followed by a snapshot where the window is shared', async () => {
    rig.close();
    holdTimers();
    rig = fakeRig(POINTS);
    const [first, second] = [await rig.client(), await rig.client()];
    for (const client of [first, second]) {
      await answered(client, client.subscribe(1));
      await turns();
      client.clear();
    }
    const points = vi.spyOn(rig.hub, 'points').mockImplementationOnce(() => {
      throw new Error('a defect');
    });
    rig.ranking.apply(['p9', score(5_000)]);
    await turns();
    points.mockRestore();
    expect(rig.flushErrors).toHaveLength(1);
    await pace();
    for (const client of [first, second]) {
      expect(client.types()).toEqual([FrameType.snapshot]);
      expect(client.socket.closes).toEqual([]);
      expectTop(client, rig);
    }
    rig.ranking.apply(['p9', score(6_000)]);
    await turns();
    for (const client of [first, second]) expectTop(client, rig);
    expect(first.types()).toEqual([FrameType.snapshot, FrameType.delta]);
  });
});

describe('Session that closes', () => {
  it('leaves nothing behind', async () => {
    const client = await rig.client('p1');
    rig.friends.lists.set('p1', ['p2', 'p3']);
    for (const kind of [1, 3, 4]) await answered(client, client.subscribe(kind));
    expect([rig.hub.view.trackedCount, rig.friends.pinCount, rig.friends.heldCount]).toEqual([3, 1, 1]);
    client.session.closed(1_006);
    client.clear();
    rig.ranking.apply(['p1', score(9_000)], ['p2', score(9_001)]);
    rig.friends.change('p1', ['p4']);
    await turns();
    expect(client.socket.sent).toEqual([]);
    expect([rig.hub.view.trackedCount, rig.friends.pinCount, rig.friends.heldCount]).toEqual([0, 0, 0]);
    expect([...rig.counters.topics.values()]).toEqual([0, 0, 0]);
  });

  for (const [kind, what] of [
    [3, 'me'],
    [4, 'friends'],
  ] as const) {
    it(`during a pending SUBSCRIBE of ${what} leaves nothing behind`, async () => {
      const client = await rig.client('p1');
      rig.friends.lists.set('p1', ['p2', 'p3']);
      const held = gate();
      rig.ranking.afterRead = () => held.passed;
      client.subscribe(kind);
      await turns();
      client.session.closed(1_006);
      held.open();
      await turns();
      expect([rig.hub.view.trackedCount, rig.friends.pinCount, rig.friends.heldCount]).toEqual([0, 0, 0]);
      expect([...rig.counters.topics.values()].every((count) => count === 0)).toBe(true);
      expect(client.types()).toEqual([FrameType.welcome]);
    });
  }

  it('is closed with 4429 where its frames pile up behind one that waits', async () => {
    const clock = vi.spyOn(performance, 'now');
    clock.mockReturnValue(1_000_000);
    const client = await rig.client('p1');
    const held = gate();
    rig.ranking.afterRead = () => held.passed;
    client.subscribe(3);
    for (let i = 1; i <= 80; i++) {
      clock.mockReturnValue(1_000_000 + i * 1_000);
      client.send([FrameType.ping, i]);
    }
    await until(() => client.socket.closes.length > 0, 'the socket was closed');
    expect(client.socket.closeCode).toBe(CloseCode.tooMany);
    held.open();
    await turns();
    expect(rig.hub.view.trackedCount).toBe(0);
    clock.mockRestore();
  });
});
