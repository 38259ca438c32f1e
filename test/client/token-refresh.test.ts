import { describe, expect, it } from 'vitest';
import { goLive, newSession, rankFrame, type Session, subscribed, topSnapshot, welcome } from './support/session.js';

const REFRESH = 7;

/** A player's session whose token ends in `expiresInMs`, with own rank and top; silence is no matter here. */
async function watching(expiresInMs: number, getToken: () => Promise<string> | string) {
  const session = newSession({ getToken });
  const me = session.client.me('arena');
  const top = session.client.top('arena');
  await session.clock.advance(0);
  const { socket } = session.network;
  socket.open();
  const frame = welcome('42', expiresInMs);
  frame[3] = 2 ** 32 - 1;
  socket.deliver(frame);
  const [, askMe, askTop] = socket.sent;
  socket.deliver(subscribed(askMe?.[1], 9, 0, 900, 10), rankFrame(9, 900, 10, 3));
  socket.deliver(subscribed(askTop?.[1], 7, 0, 900, 10), topSnapshot(7, 900, 10, [[1, 9, 'ada']]));
  return { session, me, top, socket };
}

const refreshes = (session: Session) => session.network.socket.sent.filter(([type]) => type === REFRESH);

describe('a token that ends', () => {
  it('marks private windows stale when they fall silent, and no others, until a newer token counts', async () => {
    let token = 'token-1';
    const { session, me, top, socket } = await watching(10_000, () => token);
    await session.clock.advance(9_999);
    expect(me.current?.stale).toBe(false);
    await session.clock.advance(1);
    expect([me.current?.stale, me.current?.rank, top.current?.stale]).toEqual([true, 3, false]);
    token = 'token-2';
    await session.clock.advance(5_000);
    socket.deliver([8, Number(socket.last(REFRESH)[1]), 60_000], rankFrame(9, 900, 12, 2));
    expect(me.current).toMatchObject({ rank: 2, stale: false });
    expect(socket.countOf(16)).toBe(2);
  });

  it('is asked about every five seconds where getToken fails or hangs, and each failure is told', async () => {
    let asked = 0;
    const { session } = await watching(100_000, () => {
      asked += 1;
      if (asked === 2) throw new Error('login service away');
      return asked === 3 ? new Promise(() => undefined) : `token-${asked}`;
    });
    await session.clock.advance(80_000);
    expect(session.errors).toMatchObject([{ code: 0, retryable: true, cause: { message: 'login service away' } }]);
    await session.clock.advance(5_000);
    expect(asked).toBe(3);
    await session.clock.advance(8_000);
    expect(session.errors[1]?.message).toContain('no answer');
    await session.clock.advance(5_000);
    expect(refreshes(session).map(([, , token]) => token)).toEqual(['token-4']);
  });

  it('sends REFRESH again where nobody answers, and takes a late answer to the first', async () => {
    const tokens = ['token-1', 'token-2'];
    const { session, socket } = await watching(100_000, () => tokens.shift() ?? 'token-3');
    await session.clock.advance(80_000);
    const [, first] = socket.last(REFRESH);
    await session.clock.advance(5_000);
    expect(refreshes(session).map(([, , token]) => token)).toEqual(['token-2', 'token-2']);
    socket.deliver([8, Number(first), null]);
    await session.clock.advance(600_000);
    expect(refreshes(session)).toHaveLength(2);
  });

  it('never sends a refused token again, tells it, and tries the next one', async () => {
    let token = 'token-1';
    const { session, socket } = await watching(100_000, () => token);
    token = 'forged';
    await session.clock.advance(80_000);
    socket.deliver([5, Number(socket.last(REFRESH)[1]), 401, 'the token is broken', null]);
    expect(session.errors).toMatchObject([{ code: 401, retryable: false }]);
    await session.clock.advance(8_000);
    expect(refreshes(session)).toHaveLength(1);
    token = 'token-2';
    await session.clock.advance(5_000);
    expect(refreshes(session).at(-1)?.[2]).toBe('token-2');
    expect(session.client.state).toBe('live');
  });

  it('leaves an overlay key alone, which cannot be refreshed', async () => {
    const { session } = await watching(10_000, () => 'rck_key');
    await session.clock.advance(600_000);
    expect([refreshes(session), session.errors]).toEqual([[], []]);
  });

  it.each([
    ['a day more than timers can count', 2 ** 31 + 86_400_000, 2 ** 31 + 86_400_000 - 60_000],
    ['later than the field can say', 2 ** 32 - 1, 2 ** 32 - 1 - 60_000],
  ])('waits for an end that is %s', async (_, expiresInMs, dueInMs) => {
    let asked = 0;
    const { session, me } = await watching(expiresInMs, () => {
      asked += 1;
      return 'token-1';
    });
    await session.clock.advance(dueInMs - 1);
    expect(asked).toBe(1);
    await session.clock.advance(1);
    expect(asked).toBe(2);
    await session.clock.advance(60_000);
    // Of the longest it is not known that it is over.
    expect(me.current?.stale).toBe(expiresInMs < 2 ** 32 - 1);
  });

  it('is given up with the connection: no timer is left', async () => {
    const { session } = await watching(100_000, () => 'token-1');
    session.client.close();
    expect(session.clock.timerCount).toBe(0);
  });

  it('does not run in circles where each token is over when it comes', async () => {
    let asked = 0;
    const { session, socket } = await watching(0, () => `token-${++asked}`);
    for (let count = 0; count < 3; count += 1) {
      await session.clock.advance(0);
      socket.deliver([8, Number(socket.last(REFRESH)[1]), 0]);
    }
    expect(refreshes(session)).toHaveLength(1);
    await session.clock.advance(5_000);
    expect(refreshes(session)).toHaveLength(2);
  });
});

describe('timers', () => {
  it('never ask the platform for more than it can count', async () => {
    const delays: number[] = [];
    const session = newSession({
      getToken: () => 'token-1',
      setTimeout: (_, delayMs) => void delays.push(delayMs),
      clearTimeout: () => undefined,
    });
    session.client.connect();
    await goLive(session, '42');
    session.network.socket.deliver(welcome('42', 2 ** 32 - 1));
    expect(Math.max(...delays)).toBe(2 ** 31 - 1);
  });
});
