import { describe, expect, it } from 'vitest';
import { answerTop, goLive, newSession, type Session } from './support/session.js';

async function liveSession(): Promise<Session> {
  const session = newSession();
  session.client.connect();
  await goLive(session);
  return session;
}

const PING = 3;

describe('connect() on a connection that looks live', () => {
  // Case A23: as the page does on `online` and when it is looked at again.
  it('replaces a socket that is dead after sleep, within five seconds and with one subscription', async () => {
    const session = newSession({ random: () => 0.999 });
    const top = session.client.top('arena');
    await goLive(session);
    answerTop(session);
    const old = session.network.socket;
    // Timers slept as well.
    session.clock.nowMs += 600_000;
    session.client.connect();
    expect([old.closedWith, session.client.state, top.current?.stale]).toEqual([4504, 'resuming', true]);
    await session.clock.advance(500);
    expect(session.network.sockets).toHaveLength(2);
    await goLive(session);
    expect(session.network.socket.countOf(16)).toBe(1);
    old.deliver([3]);
    expect(session.client.state).toBe('live');
  });

  it('asks where the silence is not too long yet, and replaces a socket that does not answer', async () => {
    const session = await liveSession();
    const old = session.network.socket;
    await session.clock.advance(10_000);
    session.client.connect();
    expect(old.last(PING)).toEqual([PING, 1]);
    await session.clock.advance(2_999);
    expect(session.client.state).toBe('live');
    await session.clock.advance(1);
    expect([old.closedWith, session.network.sockets.length]).toEqual([4504, 2]);
  });

  it('keeps a socket that answers, and goes on watching it', async () => {
    const session = await liveSession();
    const { socket } = session.network;
    await session.clock.advance(10_000);
    session.client.connect();
    await session.clock.advance(1_000);
    socket.deliver([4, 1, session.clock.nowMs]);
    await session.clock.advance(34_999);
    expect(session.client.state).toBe('live');
    await session.clock.advance(1);
    expect(socket.closedWith).toBe(4504);
  });

  it('takes any frame for an answer', async () => {
    const session = await liveSession();
    await session.clock.advance(10_000);
    session.client.connect();
    session.network.socket.deliver([3]);
    await session.clock.advance(3_000);
    expect(session.client.state).toBe('live');
  });

  it('asks nothing where the server was heard just now, and only once until the answer', async () => {
    const session = await liveSession();
    const { socket } = session.network;
    await session.clock.advance(1_999);
    session.client.connect();
    expect(socket.countOf(PING)).toBe(0);
    await session.clock.advance(1);
    for (let count = 0; count < 5; count += 1) session.client.connect();
    expect(socket.countOf(PING)).toBe(1);
    socket.deliver([4, 1, session.clock.nowMs]);
    await session.clock.advance(2_000);
    session.client.connect();
    expect(socket.last(PING)).toEqual([PING, 2]);
  });

  it('asks where the clock was set back', async () => {
    const session = await liveSession();
    session.clock.nowMs -= 3_600_000;
    session.client.connect();
    expect(session.network.socket.countOf(PING)).toBe(1);
  });

  it('leaves no timer behind where it is closed while it asks', async () => {
    const session = await liveSession();
    await session.clock.advance(5_000);
    session.client.connect();
    session.client.close();
    expect(session.clock.timerCount).toBe(0);
  });
});
