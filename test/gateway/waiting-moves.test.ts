import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FrameType, WindowKind } from '../../proto/frames.js';
import { holdTimers, turns } from '../views/support/view-rig.js';
import { expectFriends, expectMe, fakeRig, type GatewayRig, pace, score, until } from './support/gateway-rig.js';
import type { TestClient } from './support/test-client.js';

const POINTS = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`p${index + 1}`, 1_200 - 100 * index]));
const TOLD_AFTER_MS = 700;
const SPREAD_MS = 240;

let rig: GatewayRig;
let client: TestClient;

beforeEach(async () => {
  holdTimers();
  rig = fakeRig(POINTS);
  rig.friends.lists.set('p5', ['p2', 'p9', 'p12']);
  // The phase of its session: near the end.
  vi.spyOn(Math, 'random').mockReturnValueOnce(0.9);
  client = await rig.client('p5');
  for (const kind of [WindowKind.me, WindowKind.friends]) {
    const reqId = client.subscribe(kind);
    await until(() => client.answer(reqId) !== undefined, 'an answer');
    await turns();
  }
  await pace();
  client.clear();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  rig.close();
});

function rowsOfDeltas(): number[] {
  return client.frames.flatMap((frame) => (frame[0] === FrameType.delta ? [frame[5].length] : []));
}

/** To the moment when the view tells whom others moved, and no further. */
async function untilTold(): Promise<void> {
  const [player] = rig.hub.view.watched(['p2']);
  for (let ms = 0; ms <= TOLD_AFTER_MS && player?.prevRank === null; ms += 1) await vi.advanceTimersByTimeAsync(1);
  expect(player?.prevRank).not.toBeNull();
}

describe('Ranks that others moved', () => {
  it('are not carried along by a result, and come together at the phase of their session', async () => {
    rig.ranking.apply(['p11', score(9_000)]);
    await untilTold();
    await turns();
    expect(client.frames).toEqual([]);

    rig.ranking.apply(['p9', score(1_150)]);
    await turns();
    expect(rowsOfDeltas()).toEqual([1]);
    expect(client.frames.filter((frame) => frame[0] === FrameType.rank)).toEqual([]);

    await vi.advanceTimersByTimeAsync(SPREAD_MS);
    await turns();
    // p2 and p5 himself; p12 stays below p11's old place and new one, p9 was told with his own result.
    expect(rowsOfDeltas()).toEqual([1, 2]);
    expect(client.frames.filter((frame) => frame[0] === FrameType.rank)).toHaveLength(1);
    await pace();
    expectFriends(client, rig, ['p5', 'p2', 'p9', 'p12']);
    expectMe(client, rig, 'p5');
    expect(client.troubles).toEqual([]);
  });

  it('go at once with the present state of a socket that has room again', async () => {
    client.socket.answer = 'queued';
    rig.ranking.apply(['p2', score(1_190)]);
    await turns();
    rig.ranking.apply(['p11', score(9_000)]);
    await pace();
    client.socket.answer = 'sent';
    client.session.drained();
    expectFriends(client, rig, ['p5', 'p2', 'p9', 'p12']);
    expectMe(client, rig, 'p5');
  });

  it('are not sent again where a result that waited for its tick has brought them', async () => {
    rig.pace.tickMs = 25;
    rig.ranking.apply(['p11', score(9_000)]);
    await untilTold();
    await vi.advanceTimersByTimeAsync(TOLD_AFTER_MS - 1);
    client.clear();
    // A burst and one more, who waits for his tick while the next move is told.
    for (let points = 750; points < 755; points += 1) {
      rig.ranking.apply(['p9', score(points)], ['p5', score(points + 5)]);
      await turns();
    }
    rig.ranking.apply(['p10', score(9_500)]);
    await vi.advanceTimersByTimeAsync(2 * SPREAD_MS);
    await turns();
    const shown = client.frames.flatMap((frame) => {
      if (frame[0] === FrameType.rank) return [String(frame.slice(2, 6))];
      return frame[0] === FrameType.delta ? frame[5].map(String) : [];
    });
    expect(shown.length).toBeGreaterThan(5);
    expect(shown).toEqual([...new Set(shown)]);
  });

  it('are not sent of a window that was closed meanwhile', async () => {
    rig.ranking.apply(['p11', score(9_000)]);
    await untilTold();
    const friends = [...client.windows.keys()].at(-1) ?? 0;
    client.send([FrameType.unsubscribe, 77, friends]);
    await turns();
    client.clear();
    await vi.advanceTimersByTimeAsync(SPREAD_MS);
    await turns();
    expect(client.frames.map(([type]) => type)).toEqual([FrameType.rank]);
  });
});
