import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CloseCode } from '../../proto/close-codes.js';
import { ErrorCode, FrameType, WindowKind } from '../../proto/frames.js';
import { gate } from '../views/support/fake-ranking.js';
import { holdTimers, turns } from '../views/support/view-rig.js';
import { expectTop, fakeRig, type GatewayRig, score, until } from './support/gateway-rig.js';
import type { TestClient } from './support/test-client.js';

const POINTS = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`p${index + 1}`, 1_200 - 100 * index]));

let rig: GatewayRig;

beforeEach(() => {
  rig = fakeRig(POINTS);
});
afterEach(() => {
  vi.useRealTimers();
  rig.close();
});

async function answered(client: TestClient, reqId: number) {
  await until(() => client.answer(reqId) !== undefined, `request ${reqId} is answered`);
  return client.answer(reqId);
}

describe('SUBSCRIBE', () => {
  it('answers where the window stands, describes the board, and shows the window', async () => {
    const client = await rig.client();
    const reqId = client.subscribe(WindowKind.top, [3]);
    const { startsAt, endsAt } = { startsAt: expect.any(Number), endsAt: expect.any(Number) };
    const board = ['arena', 'Arena', '7', 0, 0, 0, 0, startsAt, endsAt, 0];
    expect(await answered(client, reqId)).toEqual([17, 1, expect.any(Number), 0, rig.hub.wireEpoch, 0, board]);
    expectTop(client, rig, 3);
    expect(client.top().read(false)).toMatchObject({ total: 12, epoch: rig.hub.wireEpoch, seq: 0 });
  });

  it('takes the default limit for missing and nil args, and a season by name', async () => {
    const client = await rig.client();
    const reqIds = [client.subscribe(1), client.subscribe(1, [null]), client.subscribe(1, [], 'arena;s=7')];
    for (const reqId of reqIds) await answered(client, reqId);
    expect(new Set(reqIds.map((reqId) => client.topic(reqId))).size).toBe(1);
    expectTop(client, rig);
  });

  it('answers a second SUBSCRIBE for the same window with the same topic, and one UNSUBSCRIBE ends it', async () => {
    const client = await rig.client('p3');
    for (const [kind, args] of [
      [WindowKind.top, [2]],
      [WindowKind.me, []],
      [WindowKind.friends, [null, true]],
    ] as const) {
      const [first, second] = [client.subscribe(kind, args), client.subscribe(kind, args)];
      await answered(client, second);
      const topic = client.topic(first);
      expect(client.topic(second)).toBe(topic);
      client.send([FrameType.unsubscribe, 90 + kind, topic]);
      expect(await answered(client, 90 + kind)).toEqual([19, 90 + kind, topic, 200, '']);
      client.send([FrameType.unsubscribe, 95 + kind, topic]);
      expect((await answered(client, 95 + kind))?.slice(0, 3)).toEqual([5, 95 + kind, 404]);
    }
    expect(rig.hub.view.trackedCount).toBe(0);
    expect(client.troubles).toEqual([]);
  });

  it('gives all who watch the same top the same number, and each window of a session its own', async () => {
    const [first, second] = [await rig.client('p1'), await rig.client('p2')];
    const [one, other] = [first.subscribe(1, [3]), second.subscribe(1, [3])];
    await answered(first, one);
    await answered(second, other);
    expect(first.topic(one)).toBe(second.topic(other));
    const rest = [first.subscribe(1, [2]), first.subscribe(3), first.subscribe(4), first.subscribe(4, [5, false])];
    for (const reqId of rest) await answered(first, reqId);
    expect(new Set([one, ...rest].map((reqId) => first.topic(reqId))).size).toBe(5);
  });

  it('refuses what it cannot show, each with its code, and stays alive', async () => {
    const client = await rig.client('p1');
    const asked: [reqId: number, code: number][] = [
      [client.subscribe(1, [], 'nowhere'), ErrorCode.notFound],
      [client.subscribe(1, [], 'arena;s=99'), ErrorCode.notFound],
      [client.subscribe(1, [], 'arena;s=7;x=1'), ErrorCode.notFound],
      [client.subscribe(2, []), ErrorCode.badArgument],
      [client.subscribe(1, [0]), ErrorCode.badArgument],
      [client.subscribe(1, [6]), ErrorCode.badArgument],
      [client.subscribe(1, ['3']), ErrorCode.badArgument],
      [client.subscribe(1, [2.5]), ErrorCode.badArgument],
      [client.subscribe(4, [10_001]), ErrorCode.badArgument],
      [client.subscribe(4, [10, 'yes']), ErrorCode.badArgument],
    ];
    for (const [reqId, code] of asked) {
      expect((await answered(client, reqId))?.slice(0, 3)).toEqual([5, reqId, code]);
    }
    expect(client.socket.closes).toEqual([]);
    expect([rig.hub.view.trackedCount, rig.friends.pinCount]).toEqual([0, 0]);
  });

  it('shows me and friends to players only: ERROR 401 to a session without a token', async () => {
    const client = await rig.client();
    for (const kind of [WindowKind.me, WindowKind.friends]) {
      const reqId = client.subscribe(kind);
      expect((await answered(client, reqId))?.slice(0, 3)).toEqual([5, reqId, ErrorCode.unauthorized]);
    }
    expect(client.socket.closes).toEqual([]);
  });

  it('refuses the 33rd topic with ERROR 413 and keeps nothing of it', async () => {
    rig.close();
    rig = fakeRig(POINTS, 40);
    // Two sessions' worth of frames in one window of 10 s are the same to the budget as one: ask slowly.
    const clock = vi.spyOn(performance, 'now');
    clock.mockReturnValue(1_000_000);
    const client = await rig.client('p1');
    for (let limit = 1; limit <= 16; limit++) await answered(client, client.subscribe(1, [limit]));
    clock.mockReturnValue(1_020_000);
    for (let limit = 17; limit <= 32; limit++) await answered(client, client.subscribe(1, [limit]));
    clock.mockReturnValue(1_040_000);
    for (const reqId of [client.subscribe(1, [33]), client.subscribe(3), client.subscribe(4)]) {
      expect((await answered(client, reqId))?.slice(0, 3)).toEqual([5, reqId, ErrorCode.tooLarge]);
    }
    expect([rig.hub.view.trackedCount, rig.friends.pinCount]).toEqual([0, 0]);
    clock.mockRestore();
  });

  it('answers ERROR 503 with a time to wait where the board is not filled', async () => {
    holdTimers();
    rig.ranking.isFilled = false;
    rig.close();
    rig = fakeRig(POINTS);
    rig.ranking.isFilled = false;
    const client = await rig.client('p1');
    const reqId = client.subscribe(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await answered(client, reqId)).toEqual([5, reqId, 503, expect.any(String), 1_000]);
    rig.ranking.isFilled = true;
    await vi.advanceTimersByTimeAsync(1_000);
    const again = client.subscribe(1);
    expect((await answered(client, again))?.[0]).toBe(FrameType.subscribed);
    expectTop(client, rig);
  });

  it('answers ERROR 500 to a defect without its text', async () => {
    const client = await rig.client('p1');
    rig.friends.friendsOf = async () => {
      throw new Error('password=secret');
    };
    const reqId = client.subscribe(4);
    const answer = await answered(client, reqId);
    expect(answer).toEqual([5, reqId, 500, expect.any(String), 1_000]);
    expect(JSON.stringify(answer)).not.toContain('secret');
    expect([rig.hub.view.trackedCount, rig.friends.pinCount]).toEqual([0, 0]);
  });
});

describe('Top window of a session', () => {
  it('follows the board', async () => {
    const client = await rig.client();
    await answered(client, client.subscribe(1));
    rig.ranking.apply(['p9', score(5_000)], ['new', score(4_000)]);
    await turns();
    expectTop(client, rig);
    expect(client.frames.at(-1)?.[0]).toBe(FrameType.delta);
    rig.ranking.apply(['p9', null]);
    rig.ranking.apply(['new', score(1)]);
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

  it('sends nothing where the client is current, and a snapshot where it is not', async () => {
    const first = await rig.client();
    await answered(first, first.subscribe(1, [4]));
    rig.ranking.apply(['p9', score(5_000)]);
    await turns();
    const held = first.top();
    first.session.closed();

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
    second.session.closed();

    rig.ranking.apply(['p11', score(7_000)]);
    const third = await rig.client();
    await answered(third, third.subscribe(1, [4], 'arena', held));
    await turns();
    expect(third.types()).toEqual([FrameType.welcome, FrameType.subscribed, FrameType.snapshot]);
    expectTop(third, rig, 4);
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

describe('Session that closes', () => {
  it('leaves nothing behind', async () => {
    const client = await rig.client('p1');
    rig.friends.lists.set('p1', ['p2', 'p3']);
    for (const kind of [1, 3, 4]) await answered(client, client.subscribe(kind));
    expect([rig.hub.view.trackedCount, rig.friends.pinCount]).toEqual([3, 1]);
    client.session.closed();
    client.clear();
    rig.ranking.apply(['p1', score(9_000)], ['p2', score(9_001)]);
    rig.friends.change('p1', ['p4']);
    await turns();
    expect(client.socket.sent).toEqual([]);
    expect([rig.hub.view.trackedCount, rig.friends.pinCount]).toEqual([0, 0]);
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
      client.session.closed();
      held.open();
      await turns();
      expect([rig.hub.view.trackedCount, rig.friends.pinCount]).toEqual([0, 0]);
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
