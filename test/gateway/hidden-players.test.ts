/** Hidden players in windows of rows: gone at once, there again at once, never a row that tells of them. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FrameType, WindowKind } from '../../proto/frames.js';
import { holdTimers, turns } from '../views/support/view-rig.js';
import { answered, fakeRig, type GatewayRig, pace, score } from './support/gateway-rig.js';
import type { TestClient } from './support/test-client.js';

let rig: GatewayRig;
let client: TestClient;

beforeEach(async () => {
  holdTimers();
  rig = fakeRig({ a: 10, b: 20, c: 30, d: 40 });
  rig.friends.lists.set('a', ['b', 'c', 'nobody']);
  client = await rig.client('a', 7);
});
afterEach(() => {
  vi.useRealTimers();
  rig.close();
});

const ASKED = [
  ['friends', WindowKind.friends, []],
  ['a watch list', WindowKind.players, [['a', 'b', 'c', 'nobody']]],
] as const;

async function watch(kind: number, args: readonly unknown[]): Promise<void> {
  await answered(client, client.subscribe(kind, args));
  await turns();
}

function shown(): unknown[] {
  expect(client.troubles).toEqual([]);
  return client
    .friends()
    .read(false)
    .entries.map((row) => `${row.playerId} ${row.rank}`);
}

async function expectSync(): Promise<void> {
  client.clear();
  const { subscriptions } = client.session as unknown as { subscriptions: { windows: { syncAt: number }[] } };
  for (const window of subscriptions.windows) window.syncAt = 0;
  client.session.tick(performance.now());
  await pace();
  const sync = client.frames.find((frame) => frame[0] === FrameType.sync);
  expect(sync?.[4]).toBe(client.friends().check());
}

describe.each(ASKED)('%s', (_, kind, args) => {
  it('lose a hidden player at once, and have him back where his results put him', async () => {
    await watch(kind, args);
    expect(shown()).toEqual(['c 2', 'b 3', 'a 4', 'nobody null']);
    rig.ranking.hide('c');
    await turns();
    expect(shown()).not.toContain('c 2');
    await pace();
    expect(shown()).toEqual(['b 2', 'a 3', 'nobody null']);
    await expectSync();
    rig.ranking.unhide('c', score(15));
    await pace();
    expect(shown()).toEqual(['b 2', 'c 3', 'a 4', 'nobody null']);
    rig.ranking.apply(['c', score(50)]);
    await pace();
    expect(shown()).toEqual(['c 1', 'b 3', 'a 4', 'nobody null']);
    await expectSync();
  });

  it('do not have him from the first row on where he was hidden before, nor after a new history', async () => {
    rig.ranking.hide('c');
    await watch(kind, args);
    expect(shown()).toEqual(['b 2', 'a 3', 'nobody null']);
    rig.ranking.replace(0, { a: score(5), b: score(9) });
    rig.ranking.tellPosition();
    await pace();
    expect(shown()).toEqual(['b 1', 'a 2', 'nobody null']);
    rig.ranking.unhide('c', score(7));
    await pace();
    expect(shown()).toEqual(['b 1', 'c 2', 'a 3', 'nobody null']);
    await expectSync();
  });

  it('are told the present when the socket was full meanwhile', async () => {
    await watch(kind, args);
    client.socket.answer = 'queued';
    rig.ranking.apply(['b', score(25)]);
    await pace();
    rig.ranking.hide('c');
    rig.ranking.hide('b');
    rig.ranking.unhide('b', score(3));
    await pace();
    client.socket.answer = 'sent';
    client.session.drained();
    await pace();
    expect(shown()).toEqual(['a 2', 'b 3', 'nobody null']);
    await expectSync();
  });
});

it('a hidden player sees himself among his friends, without a rank', async () => {
  await watch(WindowKind.friends, []);
  rig.ranking.hide('a');
  await pace();
  expect(shown()).toEqual(['c 2', 'b 3', 'a null', 'nobody null']);
});
