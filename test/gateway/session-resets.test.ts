import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FrameType } from '../../proto/frames.js';
import { gate } from '../views/support/fake-ranking.js';
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

async function subscribe(kind: number, args: readonly unknown[] = [], held?: Parameters<TestClient['subscribe']>[3]) {
  const reqId = client.subscribe(kind, args, 'arena', held);
  await until(() => client.answer(reqId) !== undefined, 'an answer');
  await turns();
  return client.topic(reqId);
}

describe('Windows of a session when the history is replaced', () => {
  beforeEach(async () => {
    for (const kind of [1, 3, 4]) await subscribe(kind);
    rig.ranking.apply(['p9', score(5_000)], ['p5', score(1_150)]);
    await pace();
    client.clear();
  });

  function expectAll(): void {
    expectTop(client, rig);
    expectMe(client, rig, 'p5');
    expectFriends(client, rig, ['p5', 'p2', 'p9', 'nobody']);
    const epochs = [client.top(), client.me(), client.friends()].map((window) => window.position?.epoch);
    expect(new Set(epochs)).toEqual(new Set([rig.hub.wireEpoch]));
  }

  it('are all shown anew under the new epoch, also at a lower seq', async () => {
    rig.ranking.replace(1, { p5: score(4), p9: score(6), x: score(5) });
    rig.ranking.tellPosition();
    await pace();
    expect(client.types().toSorted((a, b) => a - b)).toEqual([32, 32, 34]);
    expectAll();
    rig.ranking.apply(['p5', score(7)], ['nobody', score(8)]);
    await pace();
    expectAll();
  });

  it('show no mixture of old and new while the new one is being read', async () => {
    const held = gate();
    rig.ranking.apply(['p2', score(6_000)], ['p5', score(6_001)]);
    rig.ranking.afterRead = ({ kind }) => (kind === 'players' ? held.passed : undefined);
    rig.ranking.replace(1, { p5: score(4), p9: score(6), x: score(5) });
    rig.ranking.tellPosition();
    await turns(8);
    rig.ranking.apply(['p9', score(9)], ['p2', score(10)], ['p5', score(11)]);
    // A client asks in the middle of it.
    for (const topic of client.windows.keys()) client.send([FrameType.resync, topic, 0, 0, 1]);
    await turns(8);
    const epochs = client.frames.flatMap((frame) =>
      frame[0] === FrameType.snapshot ? [frame[2]] : frame[0] === FrameType.rank ? [frame[10]] : [],
    );
    expect(epochs).not.toContain(rig.hub.wireEpoch);
    held.open();
    await pace();
    expectAll();
  });
});

describe('A player whom several sessions watch', () => {
  it('is exact for the late one as well after the next settling', async () => {
    await subscribe(3);
    rig.ranking.apply(['p9', score(6_000)], ['p8', score(7_000)]);
    const late = await rig.client('p5');
    const reqIds = [late.subscribe(3), late.subscribe(4)];
    await until(() => reqIds.every((reqId) => late.answer(reqId) !== undefined), 'answers');
    await turns();
    await pace();
    for (const one of [client, late]) expectMe(one, rig, 'p5');
    expectFriends(late, rig, ['p5', 'p2', 'p9', 'nobody']);
  });
});

describe('A session that comes back', () => {
  it('is not taken for current where moves by others had not been told', async () => {
    for (const kind of [3, 4]) await subscribe(kind);
    await pace();
    rig.ranking.apply(['p5', score(5_000)], ['p2', score(5_001)]);
    rig.ranking.apply(['p12', score(9_000)]);
    await turns();
    const [me, friends] = [client.me(), client.friends()];
    client.session.closed(1_006);
    client = await rig.client('p5');
    await subscribe(3, [], me);
    await subscribe(4, [], friends);
    await pace();
    expectMe(client, rig, 'p5');
    expectFriends(client, rig, ['p5', 'p2', 'p9', 'nobody']);
  });
});
