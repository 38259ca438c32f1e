/** A22: a reader that does not read costs no more than one that does, and ends exact. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FrameType, MAX_SERVER_FRAME_BYTES } from '../../proto/frames.js';
import { holdTimers, turns } from '../views/support/view-rig.js';
import {
  expectFriends,
  expectMe,
  expectTop,
  fakeRig,
  type GatewayRig,
  pace,
  score,
  until,
} from './support/gateway-rig.js';
import type { TestClient } from './support/test-client.js';

const POINTS = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`p${index + 1}`, 400 - 10 * index]));
const FRIENDS = ['p2', 'p9', 'p30', 'nobody'];

let rig: GatewayRig;

beforeEach(() => {
  holdTimers();
  rig = fakeRig(POINTS, 20);
  rig.friends.lists.set('p5', FRIENDS);
});
afterEach(() => {
  vi.useRealTimers();
  rig.close();
});

async function watchAll(caps: number): Promise<TestClient> {
  const client = await rig.client('p5', caps);
  const reqIds = [client.subscribe(1), client.subscribe(3), client.subscribe(4)];
  await until(() => reqIds.every((reqId) => client.answer(reqId) !== undefined), 'answers');
  await turns();
  return client;
}

function expectAll(client: TestClient): void {
  expectTop(client, rig);
  expectMe(client, rig, 'p5');
  expectFriends(client, rig, ['p5', ...FRIENDS]);
  expect(client.socket.closes).toEqual([]);
}

/** Changes in bursts, a turn of the event loop between them and the pace of moves now and then. */
async function manyChanges(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    rig.ranking.apply([`p${1 + ((i * 7) % 40)}`, score(1_000 + ((i * 7_919) % 50_000))]);
    if (i % 10 === 0) await turns(1);
    if (i % 500 === 0) await vi.advanceTimersByTimeAsync(950);
  }
}

describe('A slow reader', () => {
  for (const caps of [3, 2]) {
    it(`gets nothing while its socket is full, then the present state, with caps ${caps}`, async () => {
      const [slow, fast] = [await watchAll(caps), await watchAll(caps)];
      slow.socket.answer = 'queued';
      slow.send([FrameType.ping, 1]);
      await turns();
      slow.clear();
      await manyChanges(5_000);
      expect(slow.socket.sent).toEqual([]);
      expect(rig.counters.conflatedCount).toBeGreaterThan(100);

      // Full again at once: the rest has to wait its turn, in order.
      slow.session.drained();
      expect(slow.socket.sent).toHaveLength(1);
      slow.socket.answer = 'sent';
      slow.session.drained();
      await pace();
      const bytes = slow.socket.sent.reduce((sum, frame) => sum + frame.byteLength, 0);
      expect(bytes).toBeLessThan(MAX_SERVER_FRAME_BYTES / 4);
      expect(slow.frames.length).toBeLessThan(10);
      expectAll(slow);
      expectAll(fast);
    });
  }

  it('is told only the state at the drain, own rank first', async () => {
    const slow = await watchAll(3);
    slow.socket.answer = 'queued';
    slow.send([FrameType.ping, 1]);
    await turns();
    slow.clear();
    await manyChanges(300);
    await vi.advanceTimersByTimeAsync(950);
    slow.socket.answer = 'sent';
    slow.session.drained();
    // Of the top one delta over all steps, or the snapshot where that is smaller.
    expect(slow.types()).toEqual([
      FrameType.rank,
      FrameType.delta,
      expect.toBeOneOf([FrameType.delta, FrameType.snapshot]),
    ]);
    expect(slow.socket.sent).toHaveLength(1);
    expectAll(slow);
  });

  it('goes on with deltas after the drain', async () => {
    const slow = await watchAll(3);
    slow.socket.answer = 'queued';
    slow.send([FrameType.ping, 1]);
    await turns();
    await manyChanges(50);
    slow.socket.answer = 'sent';
    slow.session.drained();
    slow.clear();
    rig.ranking.apply(['p30', score(90_000)]);
    await turns();
    expect(slow.types().toSorted((a, b) => a - b)).toEqual([FrameType.delta, FrameType.delta]);
    await pace();
    expectAll(slow);
  });

  it('keeps its connection and its answers when it only pings', async () => {
    const client = await rig.client();
    client.socket.answer = 'queued';
    client.send([FrameType.ping, 1]);
    await turns();
    client.clear();
    for (let nonce = 2; nonce < 12; nonce++) client.send([FrameType.ping, nonce]);
    await manyChanges(100);
    client.socket.answer = 'sent';
    client.session.drained();
    expect(client.frames.map((frame) => frame[1])).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(client.socket.closes).toEqual([]);
  });

  it('measures the way of a result until the frame left, not until something else is sent later', async () => {
    const slow = await watchAll(3);
    slow.socket.answer = 'queued';
    slow.send([FrameType.ping, 1]);
    await turns();
    rig.ranking.apply(['p5', score(50_000)]);
    await turns();
    rig.counters.pushDelays.length = 0;
    slow.socket.answer = 'sent';
    slow.session.drained();
    expect(rig.counters.pushDelays).toHaveLength(1);
  });
});
