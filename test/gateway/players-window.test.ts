/** Watch lists: players whom the client names. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ErrorCode, FrameType, WindowKind } from '../../proto/frames.js';
import { holdTimers, turns } from '../views/support/view-rig.js';
import { answered, expectFriends, fakeRig, type GatewayRig, pace, score } from './support/gateway-rig.js';
import type { TestClient } from './support/test-client.js';

const POINTS = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`p${index + 1}`, 1_200 - 100 * index]));

let rig: GatewayRig;
let client: TestClient;

beforeEach(async () => {
  holdTimers();
  rig = fakeRig(POINTS);
  client = await rig.client('p5', 7);
});
afterEach(() => {
  vi.useRealTimers();
  rig.close();
});

async function watch(ids: readonly unknown[], list = 'arena'): Promise<number> {
  const reqId = client.subscribe(WindowKind.players, [ids], list);
  await answered(client, reqId);
  await turns();
  return client.topic(reqId);
}

async function refusal(ids: unknown, by = client): Promise<unknown> {
  return (await answered(by, by.subscribe(WindowKind.players, [ids])))?.[2];
}

describe('a watch list', () => {
  it('shows each player once, those without a row and the own one as well, and follows them', async () => {
    await watch(['p9', 'nobody', 'p2', 'p9', 'p5']);
    expectFriends(client, rig, ['p9', 'nobody', 'p2', 'p5']);
    rig.ranking.apply(['p9', score(5_000)], ['nobody', score(7)]);
    await turns();
    rig.ranking.apply(['p12', score(6_000)], ['p2', null]);
    await pace();
    expectFriends(client, rig, ['p9', 'nobody', 'p2', 'p5']);
  });

  it('takes ids of any form for what they are', async () => {
    const ids = ['{p1}', 'p1:s', '😀', '\u200fp1', 'p1;d', 'constructor'];
    rig.ranking.apply(...ids.slice(0, 4).map((id, index) => [id, score(40 + index)] as const));
    await watch(ids);
    expectFriends(client, rig, ids);
  });

  it('shows rows byte for byte as a friends window does, and another list is another window', async () => {
    rig.friends.lists.set('p5', ['p1', 'p2']);
    const [one, other] = [await watch(['p1', 'p2']), await watch(['p2', 'p1'])];
    expect(await watch(['p1', 'p2', 'p1'])).toBe(one);
    expect(other).not.toBe(one);
    const before = vi.spyOn(rig.hub, 'encodeRow');
    client.subscribe(WindowKind.friends);
    await turns();
    rig.ranking.apply(['p1', score(9_000)]);
    await turns();
    expect(new Set(before.mock.results.map(({ value }) => value)).size).toBe(1);
    expect(before.mock.calls.length).toBe(3);
  });

  it('comes in several frames', async () => {
    client.send([FrameType.subscribe, 50, WindowKind.players, 'arena', [['p1', 'p2']], null, null, null, true]);
    client.send([FrameType.subscribe, 50, WindowKind.players, 'arena', [['p3']], null, null, null, false]);
    await turns();
    const answers = client.frames.filter((frame) => frame[0] === FrameType.subscribed);
    expect(answers.map((frame) => frame[1])).toEqual([50]);
    const snapshot = client.frames.find((frame) => frame[0] === FrameType.snapshot);
    expect(snapshot?.[6]).toHaveLength(3);
  });

  it('is checked by SYNC, goes through a new history, and ends', async () => {
    const topic = await watch(['p1', 'p7', 'nobody']);
    rig.ranking.replace(3, { p7: score(3), nobody: score(4) });
    rig.ranking.tellPosition();
    await pace();
    expectFriends(client, rig, ['p1', 'p7', 'nobody']);
    client.clear();
    const { subscriptions } = client.session as unknown as { subscriptions: { windows: { syncAt: number }[] } };
    for (const window of subscriptions.windows) window.syncAt = 0;
    client.session.tick(performance.now());
    await pace();
    expect(client.types()).toEqual([FrameType.sync]);
    expect(client.troubles).toEqual([]);
    client.send([FrameType.unsubscribe, 60, topic]);
    await turns();
    expect(rig.hub.view.trackedCount).toBe(0);
  });

  it('is refused, each with its code, and harms nothing', async () => {
    expect(await refusal([])).toBe(ErrorCode.badArgument);
    expect(await refusal('p1')).toBe(ErrorCode.badArgument);
    expect(await refusal(['p1', 7])).toBe(ErrorCode.badArgument);
    expect(await refusal([''])).toBe(ErrorCode.badArgument);
    expect(await refusal(['a\u0000'])).toBe(ErrorCode.badArgument);
    expect(await refusal(['x'.repeat(65)])).toBe(ErrorCode.badArgument);
    const anonymous = await rig.client();
    expect(await refusal(['p1'], anonymous)).toBe(ErrorCode.unauthorized);
    client.session.closed(1_006);
    await turns();
    expect(rig.hub.view.trackedCount).toBe(0);
  });
});
