import { describe, expect, it } from 'vitest';
import { settled } from './support/fake-clock.js';
import { answerTop, goLive, namesOf, newSession, rankFrame, subscribed, topSnapshot } from './support/session.js';

const THREE: readonly [number, number, string][] = [
  [1, 300, 'ada'],
  [2, 200, 'bo'],
  [3, 100, 'cy'],
];

describe('views', () => {
  it('shares one subscription between two views of the same arguments, until the last is closed', async () => {
    const session = newSession();
    const one = session.client.top('arena', { limit: 10 });
    const two = session.client.top('arena', { limit: 10 });
    const other = session.client.top('arena', { limit: 20 });
    expect(two).toBe(one);
    expect(other).not.toBe(one);
    await goLive(session);
    const { socket } = session.network;
    expect(socket.countOf(16)).toBe(2);
    socket.deliver(subscribed(socket.sent[1]?.[1], 7, 0, 900, 10), topSnapshot(7, 900, 10, THREE));
    one.close();
    expect(socket.countOf(18)).toBe(0);
    two.close();
    expect(socket.last(18)[2]).toBe(7);
    two.close();
    expect(socket.countOf(18)).toBe(1);
  });

  it('ends a subscription that was closed while its answer was on the way', async () => {
    const session = newSession();
    const view = session.client.top('arena');
    await goLive(session);
    const { socket } = session.network;
    const [, reqId] = socket.last(16);
    view.close();
    socket.deliver(subscribed(reqId, 7, 0, 900, 10));
    expect(socket.last(18)[2]).toBe(7);
  });

  it('asks again where an UNSUBSCRIBE of an earlier view overtook a new one on the same topic', async () => {
    const session = newSession();
    const early = session.client.top('arena');
    await goLive(session);
    const { socket } = session.network;
    const [, first] = socket.last(16);
    early.close();
    const late = session.client.top('arena');
    const [, second] = socket.last(16);
    socket.deliver(subscribed(first, 7, 0, 900, 10));
    const [, unsubscribe] = socket.last(18);
    socket.deliver(subscribed(second, 7, 0, 900, 10), topSnapshot(7, 900, 10, THREE));
    socket.deliver([19, Number(unsubscribe), 7, 200, 'unsubscribed']);
    expect(socket.countOf(16)).toBe(3);
    socket.deliver(subscribed(socket.last(16)[1], 8, 1, 900, 10));
    expect(late.current).toMatchObject({ seq: 10, stale: false });
  });

  it('sends the defaults as nil and unpacks a batch in order', async () => {
    const session = newSession({ getToken: () => 'token' });
    const friends = session.client.friends('arena');
    const me = session.client.me('arena');
    await goLive(session, '42');
    const { socket } = session.network;
    const [, askFriends, askMe] = socket.sent;
    expect(askFriends?.slice(2)).toEqual([4, 'arena', [null, null], null, null]);
    expect(askMe?.slice(2)).toEqual([3, 'arena', [], null, null]);
    socket.deliverBatch(
      subscribed(askFriends?.[1], 1, 0, 900, 10),
      [32, 1, 900, 10, 1, 500, [[5, 70, 9, null, 7_000, 1, '42', 'Me']], 1],
      subscribed(askMe?.[1], 2, 0, 900, 10),
      rankFrame(2, 900, 10, 9),
      [33, 1, 11, 1, [], [[6, 90, 4, 6, 9_000, 2, '77', null]], null, null, 2],
    );
    expect(namesOf(friends.current)).toEqual(['77', '42']);
    expect(me.current).toMatchObject({ rank: 9, score: 100, total: 500, stale: false });
  });

  it('is ready with the first picture and knows the board', async () => {
    const session = newSession();
    const view = session.client.top('arena');
    const ready = view.ready();
    expect(view.current).toBeNull();
    await goLive(session);
    answerTop(session);
    await ready;
    expect(view.board).toMatchObject({ boardId: 'arena', title: 'Arena', seasonId: '12' });
    expect(view.current).toBe(view.current);
    expect(Object.isFrozen(view.current?.entries[0])).toBe(true);
  });

  it('tells each frame with its rows, and builds no picture for that', async () => {
    const session = newSession();
    const view = session.client.top('arena');
    const shown: unknown[] = [];
    let changes = 0;
    view.on('frame', ({ seq, rows }) =>
      shown.push([seq, rows.map(({ playerId, score, at }) => [playerId, score, at])]),
    );
    view.subscribe(() => {
      changes += 1;
    });
    await goLive(session);
    answerTop(session);
    session.network.socket.deliver([33, 7, 12, 2, [], [[2, 3, 150]], null, null, 77]);
    expect(shown.at(-1)).toEqual([12, [['cy', 150, 77]]]);
    expect(shown).toHaveLength(2);
    expect(changes).toBe(2);
  });

  it('reports a listener that throws and goes on with the others', async () => {
    const session = newSession();
    const view = session.client.top('arena');
    let called = 0;
    view.subscribe(() => {
      throw new Error('render broke');
    });
    view.subscribe(() => {
      called += 1;
    });
    session.client.on('error', () => {
      throw new Error('and so did the error listener');
    });
    await goLive(session);
    answerTop(session);
    expect(called).toBe(1);
    expect(session.errors).toMatchObject([{ code: 0, cause: { message: 'render broke' } }]);
    expect(session.client.state).toBe('live');
    expect(session.network.socket.closedWith).toBeUndefined();
  });
});

describe('repair', () => {
  it('asks once for a missing delta, ignores the rest until the snapshot, and goes on from there', async () => {
    const session = newSession();
    const view = session.client.top('arena');
    await goLive(session);
    answerTop(session);
    const { socket } = session.network;
    socket.deliver([33, 7, 12, 1, [], [[0, 3, 900]], null, null, 1]);
    socket.deliver([33, 7, 13, 1, [], [[0, 2, 950]], null, null, 1]);
    expect(socket.sent.filter(([type]) => type === 20)).toEqual([[20, 7, 900, 10, 1]]);
    expect(view.current).toMatchObject({ seq: 10, stale: true });
    expect(namesOf(view.current)).toEqual(['ada', 'bo', 'cy']);
    socket.deliver(topSnapshot(7, 900, 13, [[2, 950, 'bo'], [3, 900, 'cy']])); // biome-ignore format: one line
    socket.deliver([33, 7, 14, 1, [2], [], null, null, 1]);
    expect(view.current).toMatchObject({ seq: 14, stale: false });
    expect(namesOf(view.current)).toEqual(['cy']);
  });

  it('subscribes anew where the answer to a RESYNC stays away', async () => {
    const session = newSession();
    session.client.top('arena');
    await goLive(session);
    answerTop(session);
    const { socket } = session.network;
    socket.deliver([33, 7, 12, 1, [], [], null, null, 1]);
    await session.clock.advance(4_999);
    expect(socket.countOf(16)).toBe(1);
    await session.clock.advance(1);
    expect(socket.last(16).slice(5)).toEqual([null, null]);
  });

  it('takes a snapshot of a new epoch at a lower seq while live', async () => {
    const session = newSession();
    const view = session.client.top('arena');
    await goLive(session);
    answerTop(session);
    session.network.socket.deliver(topSnapshot(7, 555, 2, [[9, 1, 'zed']]));
    expect(view.current).toMatchObject({ epoch: 555, seq: 2, stale: false });
    expect(session.network.socket.countOf(20)).toBe(0);
  });

  it('ignores frames of topics it does not have', async () => {
    const session = newSession();
    const view = session.client.top('arena');
    await goLive(session);
    answerTop(session);
    session.network.socket.deliver(topSnapshot(99, 900, 50, []));
    expect(view.current?.seq).toBe(10);
  });
});

describe('refusals', () => {
  it('rejects a view that the server refuses, and leaves the others alone', async () => {
    const session = newSession();
    const view = session.client.top('nowhere');
    const good = session.client.top('arena');
    const seen: number[] = [];
    view.on('error', (error) => seen.push(error.code));
    const refusal = view.ready().catch((error: unknown) => error);
    await goLive(session);
    const { socket } = session.network;
    socket.deliver([5, Number(socket.sent[1]?.[1]), 404, 'no board nowhere', null]);
    answerTop(session);
    expect(await refusal).toMatchObject({ code: 404, retryable: false, message: 'no board nowhere' });
    expect(seen).toEqual([404]);
    await expect(view.ready()).rejects.toMatchObject({ code: 404 });
    await good.ready();
    await session.clock.advance(20_000);
    expect(socket.countOf(16)).toBe(2);
  });

  it.each([429, 503])('asks again after %i, no sooner than the server said', async (code) => {
    const session = newSession();
    const view = session.client.top('arena');
    await goLive(session);
    const { socket } = session.network;
    socket.deliver([5, Number(socket.last(16)[1]), code, 'later', 3_000]);
    expect(session.errors).toMatchObject([{ code, retryable: true, retryAfterMs: 3_000 }]);
    await session.clock.advance(2_999);
    expect(socket.countOf(16)).toBe(1);
    await session.clock.advance(1);
    expect(socket.countOf(16)).toBe(2);
    answerTop(session);
    await view.ready();
  });

  it('subscribes again where the server ends a subscription for a reason of its own', async () => {
    const session = newSession();
    const view = session.client.top('arena');
    await goLive(session);
    answerTop(session);
    const { socket } = session.network;
    socket.deliver([19, 0, 7, 503, 'moving']);
    expect(view.current?.stale).toBe(true);
    await session.clock.advance(0);
    expect(socket.last(16).slice(5)).toEqual([900, 10]);
    socket.deliver(subscribed(socket.last(16)[1], 8, 1, 900, 10));
    socket.deliver([19, 0, 8, 403, 'no longer yours']);
    await session.clock.advance(20_000);
    expect(socket.countOf(16)).toBe(2);
    await expect(view.ready()).rejects.toMatchObject({ code: 403 });
  });

  it('passes on an error that belongs to no request', async () => {
    const session = newSession();
    session.client.connect();
    await settled();
    await goLive(session);
    session.network.socket.deliver([5, 0, 429, 'slow down', 500]);
    expect(session.errors).toMatchObject([{ code: 429, retryable: true, retryAfterMs: 500 }]);
  });
});
