import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WindowKind } from '../../proto/frames.js';
import { gate } from '../views/support/fake-ranking.js';
import { holdTimers, microtasks, turns } from '../views/support/view-rig.js';
import { fakeRig, type GatewayRig, pace, score, until } from './support/gateway-rig.js';

let rig: GatewayRig;

beforeEach(() => {
  holdTimers();
  rig = fakeRig({ a: 1, b: 2 });
});
afterEach(() => {
  vi.useRealTimers();
  rig.close();
});

describe('A window that is being opened', () => {
  for (const kind of [WindowKind.top, WindowKind.me, WindowKind.friends]) {
    it(`is counted once, whenever the session ends while it is asked for again: kind ${kind}`, async () => {
      for (let passed = 0; passed < 40; passed += 1) {
        const client = await rig.client('a');
        const first = client.subscribe(kind);
        await until(() => client.answer(first) !== undefined, 'the window is open');
        client.subscribe(kind);
        await microtasks(passed);
        client.session.closed(1006);
        await turns();
        expect([passed, ...rig.counters.topics.values()]).toEqual([passed, 0]);
      }
    });
  }

  it('says nothing of friends before SUBSCRIBED, also where the board is replaced meanwhile', async () => {
    rig.friends.lists.set('a', ['b']);
    const client = await rig.client('a');
    const held = gate();
    rig.friends.afterRead = () => held.passed;
    const reqId = client.subscribe(WindowKind.friends);
    await turns();
    rig.ranking.replace(2, { a: score(1), b: score(5) });
    rig.ranking.tellPosition();
    await pace();
    held.open();
    await until(() => client.answer(reqId) !== undefined, 'an answer');
    await pace();
    expect(client.troubles).toEqual([]);
  });
});
