import { describe, expect, it } from 'vitest';
import { clockOf } from '../../src/client/clock.js';
import { Connection } from '../../src/client/connection.js';
import { createClient, LeaderboardError } from '../../src/client/index.js';
import { webSocketTransport } from '../../src/client/transport.js';
import { FakeClock, settled } from './support/fake-clock.js';
import { scriptedNetwork } from './support/scripted-socket.js';
import { answerTop, goLive, namesOf, newSession, subscribed, topSnapshot, welcome } from './support/session.js';

describe('handshake', () => {
  it('connects on the first view and sends HELLO before anything else', async () => {
    const session = newSession({ getToken: async () => 'token-1', clientName: 'probe/1' });
    expect(session.client.state).toBe('idle');
    session.client.top('arena', { limit: 10 });
    await settled();
    const { socket } = session.network;
    expect(socket.protocols).toEqual(['rankcast.v1.msgpack']);
    socket.open();
    expect(socket.sent).toEqual([[1, 'token-1', 'probe/1', 7, null]]);
    socket.deliver(welcome('42'));
    expect(session.client.playerId).toBe('42');
    expect(socket.sent[1]?.slice(2)).toEqual([1, 'arena', [10], null, null]);
    expect(session.states).toEqual(['connecting', 'live']);
  });

  it('takes the http address of the server and refuses what is no address', async () => {
    for (const [given, wanted] of [
      ['https://game.test/', 'wss://game.test/v1/socket'],
      ['http://game.test:8080/boards/', 'ws://game.test:8080/boards/v1/socket'],
      ['ws://game.test/v1/socket', 'ws://game.test/v1/socket'],
    ] as const) {
      const session = newSession({ url: given });
      session.client.connect();
      await settled();
      expect(session.network.socket.url).toBe(wanted);
    }
    expect(() => newSession({ url: 'game.test' })).toThrow(LeaderboardError);
    expect(() => newSession({ url: 'ftp://game.test' })).toThrow(/ws, wss, http or https/);
  });

  it('says what to do where the platform has no WebSocket', () => {
    const platform = globalThis as { WebSocket?: unknown };
    const before = platform.WebSocket;
    Reflect.deleteProperty(platform, 'WebSocket');
    try {
      expect(() => createClient({ url: 'ws://game.test' })).toThrow(/options\.WebSocket/);
    } finally {
      if (before !== undefined) platform.WebSocket = before;
    }
  });

  it('gives up on a socket that is not welcomed in time', async () => {
    const session = newSession();
    session.client.connect();
    await settled();
    session.network.socket.open();
    await session.clock.advance(7_999);
    expect(session.network.sockets).toHaveLength(1);
    await session.clock.advance(2);
    expect(session.network.sockets[0]?.closedWith).toBe(4408);
    expect(session.network.sockets).toHaveLength(2);
  });
});

describe('reconnecting', () => {
  it('waits longer with each failure, spread by chance, and begins anew after a life of five seconds', async () => {
    const session = newSession({ random: () => 0.5 });
    const waits: (number | null)[] = [];
    session.client.on('state', (_, detail) => {
      if (detail.retryInMs !== null) waits.push(detail.retryInMs);
    });
    session.client.connect();
    for (let count = 0; count < 8; count += 1) {
      await settled();
      session.network.socket.lose(1006);
      await session.clock.advance(waits.at(-1) ?? 0);
    }
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    await goLive(session);
    await session.clock.advance(5_000);
    session.network.socket.lose(1006);
    expect(waits.at(-1)).toBe(250);
    expect(session.client.state).toBe('resuming');
  });

  it('keeps the rows, marked stale, and resumes without a snapshot where the server says current', async () => {
    const session = newSession();
    const view = session.client.top('arena');
    await goLive(session);
    answerTop(session);
    expect(view.current?.stale).toBe(false);
    session.network.socket.lose(1006);
    expect(view.current?.stale).toBe(true);
    expect(namesOf(view.current)).toEqual(['ada', 'bo', 'cy']);

    await session.clock.advance(0);
    await goLive(session);
    const { socket } = session.network;
    expect(session.network.sockets).toHaveLength(2);
    expect(socket.sent[0]?.[4]).toBe('session-1');
    expect(socket.last(16).slice(5)).toEqual([900, 10]);
    socket.deliver(subscribed(socket.last(16)[1], 3, 1, 900, 10));
    expect(view.current?.stale).toBe(false);
    socket.deliver([33, 3, 11, 1, [3], [[0, 3, 400]], null, null, 1]);
    expect(namesOf(view.current)).toEqual(['cy', 'ada', 'bo']);
  });

  it('replaces the rows where the server it comes back to has another epoch', async () => {
    const session = newSession();
    const view = session.client.top('arena');
    await goLive(session);
    answerTop(session);
    session.network.socket.lose(4503);
    await session.clock.advance(0);
    await goLive(session);
    const { socket } = session.network;
    socket.deliver(subscribed(socket.last(16)[1], 7, 0, 901, 2));
    expect(namesOf(view.current)).toEqual(['ada', 'bo', 'cy']);
    socket.deliver(topSnapshot(7, 901, 2, [[1, 50, 'dee']]));
    expect(view.current).toMatchObject({ epoch: 901, seq: 2, stale: false });
    expect(namesOf(view.current)).toEqual(['dee']);
  });

  it('drops a connection that has gone quiet, and counts any frame as life', async () => {
    const session = newSession();
    session.client.connect();
    await goLive(session);
    const first = session.network.socket;
    await session.clock.advance(30_000);
    first.deliver([3]);
    await session.clock.advance(34_000);
    expect(session.client.state).toBe('live');
    await session.clock.advance(1_001);
    expect(first.closedWith).toBe(4504);
    expect(session.network.sockets).toHaveLength(2);
    expect(session.client.state).toBe('resuming');
  });

  it('connects anew after bytes that are no frame', async () => {
    const session = newSession();
    session.client.connect();
    await goLive(session);
    session.network.socket.deliverBytes(Uint8Array.from([0xc1]));
    await session.clock.advance(0);
    expect(session.network.sockets).toHaveLength(2);
    expect(session.errors).toMatchObject([{ code: 0, retryable: true }]);
  });

  it('skips frames of a type it does not know', async () => {
    const session = newSession();
    session.client.connect();
    await goLive(session);
    session.network.socket.deliver([35, 7, 1, 1, [], 1] as never, [99] as never);
    expect(session.client.state).toBe('live');
    expect(session.errors).toEqual([]);
  });

  it('waits ten seconds and more where there are too many clients', async () => {
    const session = newSession();
    session.client.connect();
    await goLive(session);
    session.network.socket.lose(4429);
    await session.clock.advance(9_999);
    expect(session.network.sockets).toHaveLength(1);
    await session.clock.advance(1);
    expect(session.network.sockets).toHaveLength(2);
  });

  it('cuts a wait short when asked to connect', async () => {
    const session = newSession({ random: () => 0.9 });
    session.client.connect();
    await settled();
    session.network.socket.lose(1006);
    session.client.connect();
    await settled();
    expect(session.network.sockets).toHaveLength(2);
    await session.clock.advance(600);
    expect(session.network.sockets).toHaveLength(2);
  });
});

describe('a connection', () => {
  it('reports nothing from close() on, not even the rest of a batch', async () => {
    const network = scriptedNetwork();
    const clock = new FakeClock();
    const reported: unknown[] = [];
    const connection: Connection = new Connection(
      {
        url: 'ws://game.test/v1/socket',
        clientName: 'probe/1',
        sessionId: null,
        getToken: undefined,
        openTransport: webSocketTransport(network.WebSocket),
        clock: clockOf({ url: '', now: clock.now, setTimeout: clock.setTimeout, clearTimeout: clock.clearTimeout }),
      },
      {
        welcome: () => reported.push('welcome'),
        frame: () => {
          reported.push('frame');
          connection.close(1000);
        },
        goaway: () => reported.push('goaway'),
        error: () => reported.push('error'),
        ended: () => reported.push('ended'),
      },
    );
    connection.open();
    await settled();
    network.socket.open();
    network.socket.deliver(welcome());
    const { onclose } = network.socket;
    network.socket.deliverBatch([3], [3], [6, 1, 0, 0, null]);
    onclose?.({ code: 1006, reason: '' });
    expect(reported).toEqual(['welcome', 'frame']);
    expect([connection.isLive, clock.timerCount]).toEqual([false, 0]);
  });
});

describe('closing', () => {
  it.each([1000, 1009, 4400, 4403, 4409, 4410])('stays closed after %i', async (code) => {
    const session = newSession();
    session.client.connect();
    await goLive(session);
    session.network.socket.lose(code);
    await session.clock.advance(60_000);
    expect(session.client.state).toBe('closed');
    expect(session.network.sockets).toHaveLength(1);
    expect(session.errors).toMatchObject([{ code, retryable: false }]);
  });

  it('ends by itself without an error, keeps the rows and can be started anew', async () => {
    const session = newSession();
    const view = session.client.top('arena');
    await goLive(session);
    answerTop(session);
    session.client.close();
    expect(session.network.socket.closedWith).toBe(1000);
    expect(view.current?.stale).toBe(true);
    expect(namesOf(view.current)).toEqual(['ada', 'bo', 'cy']);
    await expect(session.client.me('arena').ready()).rejects.toThrow(/closed/);
    expect(session.clock.timerCount).toBe(0);
    expect(session.errors).toEqual([]);

    session.client.connect();
    await goLive(session);
    expect(session.network.socket.countOf(16)).toBe(2);
  });

  it('ignores what an abandoned socket still says', async () => {
    const session = newSession();
    session.client.connect();
    await settled();
    const first = session.network.socket;
    const open = first.onopen;
    session.client.close();
    open?.();
    expect(first.sent).toEqual([]);
  });
});
