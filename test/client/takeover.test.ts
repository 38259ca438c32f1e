import { describe, expect, it } from 'vitest';
import type { GoawayFrame } from '../../proto/frames.js';
import { settled } from './support/fake-clock.js';
import { answerTop, goLive, namesOf, newSession, type Session, subscribed, topSnapshot } from './support/session.js';

const GOAWAY: GoawayFrame = [6, 1, 5_000, 10_000, null];
const SUBSCRIBE = 16;
const CY_FIRST = [33, 7, 11, 1, [], [[0, 3, 900]], null, null, 1] as const;

/** Live with a top of three at (900, 10), told to go. Waits are 0 unless the options bring a `random`. */
async function leaving(options: Parameters<typeof newSession>[0] = {}, goaway = GOAWAY) {
  const session = newSession(options);
  const top = session.client.top('arena');
  await goLive(session);
  answerTop(session);
  const old = session.network.socket;
  old.deliver(goaway);
  return { session, top, old };
}

/** The second socket opens and is welcomed. */
async function second(session: Session) {
  await session.clock.advance(0);
  expect(session.network.sockets).toHaveLength(2);
  await goLive(session);
  return session.network.socket;
}

describe('GOAWAY', () => {
  it('moves all windows one by one, never stale and never away, and closes the old socket with 1000', async () => {
    const session = newSession();
    const top = session.client.top('arena');
    const duel = session.client.top('duel');
    await goLive(session);
    const old = session.network.socket;
    const [, askTop, askDuel] = old.sent;
    old.deliver(subscribed(askTop?.[1], 7, 0, 900, 10), topSnapshot(7, 900, 10, [[1, 9, 'ada'], [3, 8, 'cy']])); // biome-ignore format: one line
    old.deliver(subscribed(askDuel?.[1], 8, 0, 900, 4), topSnapshot(8, 900, 4, [[5, 9, 'eve']]));
    const stale: (boolean | undefined)[] = [];
    for (const view of [top, duel]) view.subscribe(() => stale.push(view.current?.stale));
    old.deliver(GOAWAY);
    const fresh = await second(session);
    const [, topAgain, duelAgain] = fresh.sent;
    expect([topAgain?.slice(5), duelAgain?.slice(5)]).toEqual([[900, 10], [900, 4]]); // biome-ignore format: one line

    fresh.deliver(subscribed(duelAgain?.[1], 1, 0, 901, 4), topSnapshot(1, 901, 4, [[1, 10, 'eve']]));
    expect(duel.current).toMatchObject({ epoch: 901, entries: [{ score: 10 }] });
    old.deliver([33, 8, 5, 1, [], [[0, 5, 77]], null, null, 1], [...CY_FIRST] as never);
    expect(duel.current?.entries[0]?.score).toBe(10);
    old.deliver([33, 8, 99, 1, [], [[0, 5, 78]], null, null, 1]);
    expect(old.countOf(20)).toBe(0);
    expect(namesOf(top.current)).toEqual(['cy', 'ada']);
    expect(old.closedWith).toBeUndefined();

    fresh.deliver(subscribed(topAgain?.[1], 2, 0, 901, 11), topSnapshot(2, 901, 11, [[1, 901, 'cy']]));
    expect(namesOf(top.current)).toEqual(['cy']);
    expect([old.closedWith, fresh.closedWith]).toEqual([1000, undefined]);
    expect(old.countOf(18)).toBe(0);
    expect(stale.every((isStale) => isStale === false)).toBe(true);
    expect(session.states).toEqual(['connecting', 'live']);
    expect(session.errors).toEqual([]);
  });

  it('waits a random part of retryAfterMs, and no longer than graceMs', async () => {
    for (const [retryAfterMs, graceMs, waitMs] of [
      [5_000, 10_000, 2_500],
      [60_000, 4_000, 2_000],
    ] as const) {
      const { session } = await leaving({ random: () => 0.5 }, [6, 1, retryAfterMs, graceMs, null]);
      await session.clock.advance(waitMs - 1);
      expect(session.network.sockets).toHaveLength(1);
      await session.clock.advance(1);
      expect(session.network.sockets).toHaveLength(2);
    }
  });

  it('never shows a step back: a second socket that is behind waits until it is not', async () => {
    const { session, top, old } = await leaving();
    const fresh = await second(session);
    old.deliver([...CY_FIRST] as never);
    fresh.deliver(subscribed(fresh.last(SUBSCRIBE)[1], 2, 1, 900, 10));
    expect([top.current?.seq, namesOf(top.current), old.closedWith]).toEqual([11, ['cy', 'ada', 'bo'], undefined]);
    fresh.deliver([33, 2, 11, 1, [], [[0, 3, 900]], null, null, 1]);
    expect([top.current?.seq, namesOf(top.current), old.closedWith]).toEqual([11, ['cy', 'ada', 'bo'], 1000]);
  });

  it('takes what the second socket has where the old one closes before it caught up', async () => {
    const { session, top, old } = await leaving();
    const fresh = await second(session);
    old.deliver([...CY_FIRST] as never);
    fresh.deliver(subscribed(fresh.last(SUBSCRIBE)[1], 2, 1, 900, 10));
    old.lose(4503);
    expect(top.current).toMatchObject({ seq: 10, stale: false });
    fresh.deliver([33, 2, 11, 1, [], [[0, 3, 900]], null, null, 1]);
    expect(namesOf(top.current)).toEqual(['cy', 'ada', 'bo']);
  });

  it('keeps what the old socket showed last where it closes before the second one is whole', async () => {
    const { session, top, old } = await leaving();
    const fresh = await second(session);
    fresh.deliver(subscribed(fresh.last(SUBSCRIBE)[1], 2, 0, 901, 11));
    old.deliver([...CY_FIRST] as never);
    old.lose(4503);
    expect(top.current).toMatchObject({ seq: 11, stale: true });
    expect(namesOf(top.current)).toEqual(['cy', 'ada', 'bo']);
    expect(session.client.state).toBe('live');
    fresh.deliver(topSnapshot(2, 901, 11, [[1, 900, 'cy']]));
    expect(top.current).toMatchObject({ epoch: 901, stale: false });
    await session.clock.advance(20_000);
    expect(session.network.sockets).toHaveLength(2);
  });

  it('goes back to the old socket for windows that moved already where the second one is lost', async () => {
    const { session, top, old } = await leaving({ random: () => 0.5 });
    const duel = session.client.top('duel');
    old.deliver(subscribed(old.last(SUBSCRIBE)[1], 8, 0, 900, 4), topSnapshot(8, 900, 4, [[5, 9, 'eve']]));
    await session.clock.advance(2_500);
    const fresh = await second(session);
    const [, topAgain] = fresh.sent;
    fresh.deliver(subscribed(topAgain?.[1], 2, 0, 901, 11), topSnapshot(2, 901, 11, [[1, 900, 'cy']]));
    fresh.lose(1006);
    expect(session.client.state).toBe('live');
    expect(duel.current?.stale).toBe(false);
    expect(old.last(SUBSCRIBE).slice(2)).toEqual([1, 'arena', [null], 901, 11]);
    old.deliver(subscribed(old.last(SUBSCRIBE)[1], 7, 0, 900, 12), topSnapshot(7, 900, 12, [[1, 5, 'ada']]));
    expect(top.current).toMatchObject({ epoch: 900, stale: false });
    await session.clock.advance(250);
    expect(session.network.sockets).toHaveLength(3);
  });

  it('goes on with the second socket where the old one is the session too many', async () => {
    const { session, old } = await leaving();
    await session.clock.advance(0);
    old.lose(4409);
    expect(session.client.state).toBe('resuming');
    await goLive(session);
    expect(session.client.state).toBe('live');
    await session.clock.advance(20_000);
    expect([session.network.sockets.length, session.errors]).toEqual([2, []]);
  });

  it('asks for a new window on the second socket only, and for one that it cannot have there on the old one', async () => {
    const { session, top, old } = await leaving();
    const fresh = await second(session);
    const duel = session.client.top('duel');
    expect(old.countOf(SUBSCRIBE)).toBe(1);
    fresh.deliver(subscribed(fresh.last(SUBSCRIBE)[1], 3, 0, 901, 1), topSnapshot(3, 901, 1, [[1, 1, 'eve']]));
    expect(namesOf(duel.current)).toEqual(['eve']);
    fresh.deliver([5, Number(fresh.sent[1]?.[1]), 503, 'filling', 60_000], [3]);
    old.deliver([...CY_FIRST] as never);
    expect(top.current).toMatchObject({ seq: 11, stale: false });
    expect(old.closedWith).toBeUndefined();
  });

  it('sees that a window left was the last one to wait for', async () => {
    const { session, top, old } = await leaving();
    await second(session);
    top.close();
    expect(old.closedWith).toBe(1000);
  });

  it('moves on where the second server goes as well', async () => {
    const { session, old } = await leaving();
    const fresh = await second(session);
    fresh.deliver(GOAWAY);
    await session.clock.advance(1_000);
    expect(session.network.sockets).toHaveLength(2);
    fresh.deliver(subscribed(fresh.last(SUBSCRIBE)[1], 2, 1, 900, 10));
    expect(old.closedWith).toBe(1000);
    await session.clock.advance(0);
    expect(session.network.sockets).toHaveLength(3);
  });

  it('does not run in circles where each new socket reaches a server that goes', async () => {
    const { session } = await leaving({ random: () => 0.5 }, [6, 1, 0, 10_000, null]);
    const openedAt = [];
    for (let count = 2; count < 6; count += 1) {
      const { nowMs } = session.clock;
      while (session.network.sockets.length < count) await session.clock.advance(50);
      openedAt.push(session.clock.nowMs - nowMs);
      await goLive(session);
      const { socket } = session.network;
      socket.deliver([6, 1, 0, 10_000, null], subscribed(socket.last(SUBSCRIBE)[1], 2, 1, 900, 10));
    }
    expect(openedAt).toEqual([50, 250, 500, 1_000]);
  });

  it('follows an address that is as safe as its own, and comes back to its own after it', async () => {
    const { session } = await leaving({ url: 'wss://game.test' }, [6, 2, 0, 10_000, 'ws://b.test/v1/socket']);
    await session.clock.advance(0);
    expect(session.network.socket.url).toBe('wss://game.test/v1/socket');
    const other = await leaving({ url: 'wss://game.test' }, [6, 2, 0, 10_000, 'wss://b.test/v1/socket']);
    await other.session.clock.advance(0);
    expect(other.session.network.socket.url).toBe('wss://b.test/v1/socket');
    other.session.network.socket.lose(1006);
    await other.session.clock.advance(0);
    expect(other.session.network.socket.url).toBe('wss://game.test/v1/socket');
  });

  it('greets with a fresh token, and bears one that cannot be had', async () => {
    let asked = 0;
    const getToken = () => {
      asked += 1;
      if (asked === 2) throw new Error('login service away');
      return `token-${asked}`;
    };
    const { session, old } = await leaving({ getToken });
    await session.clock.advance(0);
    expect(session.errors).toMatchObject([{ retryable: true, cause: { message: 'login service away' } }]);
    expect([old.closedWith, session.client.state]).toEqual([undefined, 'live']);
    const fresh = await second(session);
    expect(fresh.sent[0]?.[1]).toBe('token-3');
  });

  it('is over with close(): both sockets are closed and no timer is left', async () => {
    const { session, top, old } = await leaving();
    const fresh = await second(session);
    session.client.close();
    expect([old.closedWith, fresh.closedWith, top.current?.stale]).toEqual([1000, 1000, true]);
    expect(session.clock.timerCount).toBe(0);
    await settled();
    expect(session.states).toEqual(['connecting', 'live', 'closed']);
  });
});
