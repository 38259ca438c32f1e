import { describe, expect, it } from 'vitest';
import { settled } from './support/fake-clock.js';
import { goLive, newSession } from './support/session.js';

describe('tokens', () => {
  it('tries a refused token once more with a fresh one, then stops with an error', async () => {
    let asked = 0;
    const session = newSession({ getToken: () => `forged-${++asked}` });
    const waiting = session.client.me('arena').ready();
    const refusal = waiting.then(
      () => 'ready',
      (error: unknown) => error,
    );
    for (let count = 0; count < 2; count += 1) {
      await session.clock.advance(0);
      session.network.socket.open();
      session.network.socket.lose(4401, 'the token is not ours');
    }
    await session.clock.advance(60_000);
    expect(session.network.sockets.map((socket) => socket.sent[0]?.[1])).toEqual(['forged-1', 'forged-2']);
    expect(session.client.state).toBe('closed');
    expect(session.errors).toMatchObject([{ code: 4401, retryable: false, message: 'the token is not ours' }]);
    expect(await refusal).toBe(session.errors[0]);
    expect(session.clock.timerCount).toBe(0);
  });

  it('renews a token that expires during a long life, as often as it takes', async () => {
    let asked = 0;
    const session = newSession({ getToken: () => `token-${++asked}` });
    session.client.connect();
    for (let count = 0; count < 3; count += 1) {
      await goLive(session, '42');
      await session.clock.advance(20_000);
      session.network.socket.lose(4401);
      await session.clock.advance(1_000);
    }
    await goLive(session, '42');
    expect(session.network.socket.sent[0]?.[1]).toBe('token-4');
    expect(session.client.state).toBe('live');
  });

  it('tries again where the token cannot be had', async () => {
    let asked = 0;
    const getToken = () => {
      asked += 1;
      if (asked === 1) throw new Error('login service away');
      return 'token';
    };
    const session = newSession({ getToken });
    session.client.connect();
    await session.clock.advance(0);
    expect(session.network.sockets).toHaveLength(1);
    expect(session.errors).toMatchObject([{ retryable: true, cause: { message: 'login service away' } }]);
  });
});

describe('a token that is slow or short', () => {
  it('gives up on one that never comes, says so, asks again and ignores the late answer', async () => {
    const answers: ((token: string) => void)[] = [];
    const session = newSession({ getToken: () => new Promise<string>((resolve) => answers.push(resolve)) });
    session.client.connect();
    await session.clock.advance(7_999);
    expect(answers).toHaveLength(1);
    await session.clock.advance(2);
    expect(session.errors).toMatchObject([{ code: 0, retryable: true, message: expect.stringContaining('no answer') }]);
    expect(answers).toHaveLength(2);
    answers[0]?.('late');
    await settled();
    expect(session.network.sockets).toHaveLength(0);
    answers[1]?.('in time');
    await goLive(session, '42');
    expect(session.network.socket.sent[0]?.[1]).toBe('in time');
    await session.clock.advance(20_000);
    expect(session.client.state).toBe('live');
  });

  it('shares the eight seconds of a try with the socket', async () => {
    const answers: ((token: string) => void)[] = [];
    const session = newSession({ getToken: () => new Promise<string>((resolve) => answers.push(resolve)) });
    session.client.connect();
    await session.clock.advance(5_000);
    answers[0]?.('token');
    await session.clock.advance(3_001);
    expect(session.network.socket.closedWith).toBe(4408);
  });

  it('is not asked for in a loop where the server welcomes it and closes a moment later', async () => {
    let asked = 0;
    const getToken = () => {
      asked += 1;
      return 'nearly over';
    };
    const session = newSession({ getToken });
    session.client.connect();
    for (let count = 0; count < 2; count += 1) {
      await goLive(session, '42');
      await session.clock.advance(4_000);
      session.network.socket.lose(4401, 'the token has expired');
      await session.clock.advance(0);
    }
    await session.clock.advance(60_000);
    expect([session.client.state, asked]).toEqual(['closed', 2]);
    expect(session.errors).toMatchObject([{ code: 4401, retryable: false }]);
  });
});
