import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ErrorCode, FrameType, WindowKind } from '../../proto/frames.js';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import { holdTimers, turns } from '../views/support/view-rig.js';
import { answered, expectTop, fakeRig, type GatewayRig, until } from './support/gateway-rig.js';

const POINTS = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`p${index + 1}`, 1_200 - 100 * index]));

let rig: GatewayRig;

beforeEach(() => {
  rig = fakeRig(POINTS);
});
afterEach(() => {
  vi.useRealTimers();
  rig.close();
});

describe('SUBSCRIBE', () => {
  it('answers where the window stands, describes the board, and shows the window', async () => {
    const client = await rig.client();
    const reqId = client.subscribe(WindowKind.top, [3]);
    const { startsAt, endsAt } = { startsAt: expect.any(Number), endsAt: expect.any(Number) };
    const board = ['arena', 'Arena', '7', 0, 0, 0, 0, startsAt, endsAt, 0, null, null, null];
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
      [client.subscribe(1, [], 'arena;s=7;x=1'), ErrorCode.badArgument],
      [client.subscribe(6, []), ErrorCode.badArgument],
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
    expect([rig.hub.view.trackedCount, rig.friends.pinCount, rig.friends.heldCount]).toEqual([0, 0, 0]);
  });

  it('shows me and friends to players only: ERROR 401 to a session without a token', async () => {
    const client = await rig.client();
    for (const kind of [WindowKind.me, WindowKind.friends]) {
      const reqId = client.subscribe(kind);
      expect((await answered(client, reqId))?.slice(0, 3)).toEqual([5, reqId, ErrorCode.unauthorized]);
    }
    expect(client.socket.closes).toEqual([]);
  });

  it('refuses the 33rd topic with ERROR 413, before anything is read for it', async () => {
    rig.close();
    rig = fakeRig(POINTS, 40);
    // Two sessions' worth of frames in one window of 10 s are the same to the budget as one: ask slowly.
    const clock = vi.spyOn(performance, 'now');
    clock.mockReturnValue(1_000_000);
    const client = await rig.client('p1');
    for (let limit = 1; limit <= 16; limit++) await answered(client, client.subscribe(1, [limit]));
    clock.mockReturnValue(1_020_000);
    for (let limit = 1; limit <= 16; limit++) await answered(client, client.subscribe(1, [limit], 'arena;s=6'));
    clock.mockReturnValue(1_040_000);
    rig.ranking.reads.length = 0;
    const friendsRead = vi.spyOn(rig.friends, 'friendsOf');
    for (const reqId of [client.subscribe(1), client.subscribe(3), client.subscribe(4)]) {
      expect((await answered(client, reqId))?.slice(0, 3)).toEqual([5, reqId, ErrorCode.tooLarge]);
    }
    expect([rig.hub.view.trackedCount, rig.friends.pinCount, rig.friends.heldCount]).toEqual([0, 0, 0]);
    expect([rig.ranking.reads, friendsRead.mock.calls]).toEqual([[], []]);
    // What is open already needs no room.
    const again = client.subscribe(1, [7]);
    expect((await answered(client, again))?.[0]).toBe(FrameType.subscribed);
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
    await vi.advanceTimersByTimeAsync(5_100);
    expect(await answered(client, reqId)).toEqual([5, reqId, 503, expect.any(String), 1_000]);
    const late = client.subscribe(1);
    expect(await answered(client, late)).toEqual([5, late, 503, expect.any(String), 1_000]);
    expect(rig.logged).toEqual([]);
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
    expect([rig.hub.view.trackedCount, rig.friends.pinCount, rig.friends.heldCount]).toEqual([0, 0, 0]);
    expect(rig.logged).toMatchObject([{ level: 50, msg: 'session.defect', err: { message: 'password=secret' } }]);
  });

  it('answers ERROR 503 and logs nothing where the store of friends is away', async () => {
    const client = await rig.client('p1');
    rig.friends.friendsOf = async () => {
      throw new StoreUnavailableError('postgres is away');
    };
    const reqId = client.subscribe(4);
    expect(await answered(client, reqId)).toEqual([5, reqId, 503, expect.any(String), 1_000]);
    expect(rig.logged).toEqual([]);
  });

  it('numbers the windows of a session far above those that sessions share', async () => {
    const client = await rig.client('p1');
    const [top, me, friends] = [client.subscribe(1), client.subscribe(3), client.subscribe(4)];
    for (const reqId of [top, me, friends]) await answered(client, reqId);
    expect(client.topic(top)).toBeLessThan(2 ** 20);
    expect([client.topic(me), client.topic(friends)]).toEqual([2 ** 31, 2 ** 31 + 1]);
    await turns();
    client.clear();
    client.send([FrameType.resync, 2 ** 31 + 1, 0, 0, 1]);
    await until(() => client.frames.length > 0, 'an answer');
    expect(client.frames[0]?.slice(0, 2)).toEqual([FrameType.snapshot, 2 ** 31 + 1]);
  });

  it('takes two SUBSCRIBEs for friends that differ in the limit alone for the same window', async () => {
    const client = await rig.client('p1');
    rig.friends.lists.set('p1', ['p2', 'p3']);
    const [first, second, other] = [
      client.subscribe(4, [10]),
      client.subscribe(4, [20, true]),
      client.subscribe(4, [10, false]),
    ];
    for (const reqId of [first, second, other]) await answered(client, reqId);
    expect(client.topic(second)).toBe(client.topic(first));
    expect(client.topic(other)).not.toBe(client.topic(first));
    expect(rig.friends.pinCount).toBe(2);
  });

  it('refuses a 17th length of a top with ERROR 503 and a time to wait, and always shows the default one', async () => {
    rig.close();
    rig = fakeRig(POINTS, 40);
    const [one, other] = [await rig.client(), await rig.client()];
    for (let limit = 1; limit <= 16; limit++) await answered(one, one.subscribe(1, [limit]));
    const reqId = other.subscribe(1, [17]);
    expect(await answered(other, reqId)).toEqual([5, reqId, 503, expect.stringContaining('40'), 1_000]);
    const usual = other.subscribe(1);
    expect((await answered(other, usual))?.[0]).toBe(FrameType.subscribed);
    expectTop(other, rig, 12);
    expect((await answered(other, other.subscribe(1, [3])))?.[0]).toBe(FrameType.subscribed);
    one.session.closed(1_006);
    expect((await answered(other, other.subscribe(1, [17])))?.[0]).toBe(FrameType.subscribed);
    expect(rig.logged).toEqual([]);
  });
});
