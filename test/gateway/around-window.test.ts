/** Windows around a player: exact within half a second, read only where something happened in them. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ErrorCode, FrameType, WindowKind } from '../../proto/frames.js';
import { gate } from '../views/support/fake-ranking.js';
import { holdTimers, turns } from '../views/support/view-rig.js';
import { answered, expectAround, fakeRig, type GatewayRig, pace, score } from './support/gateway-rig.js';
import type { TestClient } from './support/test-client.js';

const POINTS = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`p${index + 1}`, 3_000 - 100 * index]));

let rig: GatewayRig;
let client: TestClient;

beforeEach(async () => {
  holdTimers();
  rig = fakeRig(POINTS);
  client = await rig.client('p15', 7);
});
afterEach(() => {
  vi.useRealTimers();
  rig.close();
});

async function watch(args: readonly unknown[] = [2, 3], by = client): Promise<number> {
  const reqId = by.subscribe(WindowKind.around, args);
  await answered(by, reqId);
  await turns();
  return by.topic(reqId);
}

/** What the specification gives it. */
async function soon(): Promise<void> {
  await vi.advanceTimersByTimeAsync(500);
  await turns();
}

function readsAround(): number {
  return rig.ranking.reads.filter(({ kind }) => kind === 'neighbours').length;
}

describe('a window around a player', () => {
  it('has so many rows above and below, fewer at an end, five by default', async () => {
    await watch();
    expectAround(client, rig, 'p15', 2, 3);
    for (const [id, args, above, below] of [
      ['p1', [], 5, 5],
      ['p30', [5, null], 5, 5],
      ['p7', [0, 0], 0, 0],
      ['p2', [50, 50], 50, 50],
    ] as const) {
      const other = await rig.client(id);
      await watch(args, other);
      expectAround(other, rig, id, above, below);
    }
  });

  it('is around whom the client names, and is empty around nobody, until he has a row', async () => {
    await watch([1, 1, 'p3']);
    expectAround(client, rig, 'p3', 1, 1);
    const other = await rig.client('new');
    await watch([1, 1], other);
    expect(other.around().read(false).entries).toEqual([]);
    rig.ranking.apply(['new', score(2_950)]);
    await soon();
    expectAround(other, rig, 'new', 1, 1);
    expectAround(client, rig, 'p3', 1, 1);
    rig.ranking.apply(['new', null]);
    await soon();
    expect(other.around().read(false).entries).toEqual([]);
  });

  it('follows rows that come, leave and change in it, within half a second', async () => {
    await watch();
    for (const moves of [
      [['p16', score(1_650)]],
      [['p1', score(1_590)]],
      [['p14', null]],
      [['p17', score(9_000)]],
      [
        ['x', score(1_400)],
        ['y', score(1_600)],
      ],
    ] as const) {
      rig.ranking.apply(...moves);
      await soon();
      expectAround(client, rig, 'p15', 2, 3);
    }
  });

  it('shows an own result at once', async () => {
    await watch();
    await soon();
    rig.ranking.apply(['p15', score(2_250)]);
    await turns(6);
    expectAround(client, rig, 'p15', 2, 3);
  });

  it('moves with the ranks of its player without a read where nothing happened in it', async () => {
    await watch();
    const before = readsAround();
    client.clear();
    rig.ranking.apply(['p20', score(9_000)], ['p25', score(9_100)]);
    await soon();
    expectAround(client, rig, 'p15', 2, 3);
    expect(client.around().read(false).entries[0]?.rank).toBe(15);
    expect(readsAround()).toBe(before);
    // One frame, without a row.
    expect(client.frames.map((frame) => [frame[0], frame[5]])).toEqual([[FrameType.delta, []]]);
    client.clear();
    rig.ranking.apply(['p29', score(50)]);
    await soon();
    expect(client.frames).toEqual([]);
    expect(readsAround()).toBe(before);
  });

  it('is read with all others in one call', async () => {
    const clients = await Promise.all(['p5', 'p10', 'p20'].map((id) => rig.client(id)));
    for (const one of clients) await watch([50, 50], one);
    const before = readsAround();
    rig.ranking.apply(['p30', score(1_111)]);
    await soon();
    expect(readsAround()).toBe(before + 1);
    for (const [index, id] of ['p5', 'p10', 'p20'].entries()) {
      expectAround(clients[index] as TestClient, rig, id, 50, 50);
    }
  });

  it('follows within half a second also while own results of others are being read', async () => {
    const other = await rig.client('p5');
    await watch();
    await watch([1, 1], other);
    const { passed, open } = gate();
    rig.ranking.beforeRead = ({ playerIds }) => (playerIds.join() === 'p5' ? passed : undefined);
    rig.ranking.apply(['p5', score(2_650)]);
    await turns();
    rig.ranking.apply(['p16', score(1_650)]);
    await soon();
    expectAround(client, rig, 'p15', 2, 3);
    open();
    await turns();
    expectAround(other, rig, 'p5', 1, 1);
  });

  it('is read alone for an own result, once for several that come while it is being read', async () => {
    const other = await rig.client('p14');
    await watch();
    await watch([2, 2], other);
    const { passed, open } = gate();
    rig.ranking.reads.length = 0;
    // A round's, on its way: all are in it.
    rig.ranking.beforeRead = () => passed;
    rig.ranking.apply(['p16', score(1_650)]);
    await soon();
    for (const points of [1_710, 1_720, 1_730]) {
      rig.ranking.apply(['p14', score(points)]);
      await turns();
    }
    open();
    await turns(20);
    const asked = rig.ranking.reads.map(({ playerIds }) => playerIds.join());
    expect(asked).toEqual(['p15,p14', 'p14', 'p14']);
    expectAround(other, rig, 'p14', 2, 2);
  });

  it('is right again where the read of a round failed and an older one came in before that', async () => {
    await watch();
    const [older, ofRound] = [gate(), gate()];
    let reads = 0;
    rig.ranking.afterRead = () => (reads === 1 ? older.passed : undefined);
    rig.ranking.beforeRead = async () => {
      reads += 1;
      if (reads !== 2) return;
      await ofRound.passed;
      throw new Error('Redis is away');
    };
    rig.ranking.apply(['p15', score(1_610)]);
    await turns();
    rig.ranking.apply(['p16', score(1_605)]);
    await soon();
    expect(reads).toBe(2);
    older.open();
    await turns();
    ofRound.open();
    await turns();
    await soon();
    expect(reads).toBe(3);
    expectAround(client, rig, 'p15', 2, 3);
  });

  it('is right again after a read that failed', async () => {
    await watch();
    rig.ranking.beforeRead = () => {
      throw new Error('Redis is away');
    };
    rig.ranking.apply(['p16', score(1_650)]);
    await soon();
    rig.ranking.beforeRead = () => {};
    await soon();
    expectAround(client, rig, 'p15', 2, 3);
  });

  it('goes through a new history, is checked by SYNC, and ends', async () => {
    const topic = await watch();
    rig.ranking.replace(0, Object.fromEntries([...rig.ranking.board.scores].slice(10, 20)));
    rig.ranking.tellPosition();
    await pace();
    expectAround(client, rig, 'p15', 2, 3);
    client.clear();
    const { subscriptions } = client.session as unknown as { subscriptions: { windows: { syncAt: number }[] } };
    for (const window of subscriptions.windows) window.syncAt = 0;
    client.session.tick(performance.now());
    await pace();
    const check = client.around().check();
    expect(client.frames.map((frame) => [frame[0], frame[4]])).toEqual([[FrameType.sync, check]]);
    client.send([FrameType.unsubscribe, 60, topic]);
    await turns();
    expect(rig.hub.view.trackedCount).toBe(0);
    const before = readsAround();
    rig.ranking.apply(['p15', score(7)]);
    await soon();
    expect(readsAround()).toBe(before);
  });

  it('is the same window for the same args, and refuses others', async () => {
    expect(await watch([5, 5])).toBe(await watch([]));
    expect(await watch([5, 5, 'p15'])).toBe(await watch([]));
    expect(await watch([5, 4])).not.toBe(await watch([]));
    for (const args of [[51], [5, 10_000], [-1], [2.5], ['5'], [5, 5, ''], [5, 5, 7], [5, 5, 'x'.repeat(65)]]) {
      const answer = await answered(client, client.subscribe(WindowKind.around, args));
      expect(answer?.slice(0, 3), JSON.stringify(args)).toEqual([FrameType.error, answer?.[1], ErrorCode.badArgument]);
    }
    const anonymous = await rig.client();
    for (const args of [[], [5, 5, 'p1']]) {
      const answer = await answered(anonymous, anonymous.subscribe(WindowKind.around, args));
      expect(answer?.[2]).toBe(ErrorCode.unauthorized);
    }
  });
});
