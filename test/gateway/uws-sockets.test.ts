import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CloseCode } from '../../proto/close-codes.js';
import { FrameType, SUBPROTOCOL } from '../../proto/frames.js';
import { StartRefusedError } from '../../src/domain/errors.js';
import { loadUws } from '../../src/gateway/uws.js';
import { UwsServer } from '../../src/gateway/uws-server.js';
import { BodyCollector } from '../../src/http/body.js';
import { eventually } from '../contract/ranking-fixture.js';
import { LiveGateway, late } from './support/live-gateway.js';
import { expectChangeOnScreen } from './support/live-session.js';

let live: LiveGateway;

beforeAll(async () => {
  live = await LiveGateway.start();
});
afterAll(() => live.close());

describe('Sockets on the port', () => {
  it('carry a session from HELLO to a change on the screen', async () => {
    const socket = await live.socket().greeted(await live.rig.tokens.sign('c', 60));
    expect(socket.ws.protocol).toBe(SUBPROTOCOL);
    await expectChangeOnScreen(live, socket);
    const before = live.rig.hub.view.trackedCount;
    socket.ws.close(1000);
    await eventually(() => live.rig.hub.view.trackedCount === before - 1, 'the player is no longer watched');
    expect(live.rig.counters.closeCodes).toContain(1_000);
  });

  it('take a client that offers no subprotocol, and pick ours among several', async () => {
    const none = await live.socket({ protocols: [] }).greeted();
    expect(none.ws.protocol).toBe('');
    const several = await live.socket({ protocols: ['other.v9', SUBPROTOCOL] }).greeted();
    expect(several.ws.protocol).toBe(SUBPROTOCOL);
  });

  it('answer 400 to unknown subprotocols, and name the one they speak', async () => {
    const socket = live.socket({ protocols: ['rankcast.v2.msgpack', 'soap'] });
    expect(await socket.untilRefused()).toBe(400);
    await eventually(() => socket.refusedBody.includes(SUBPROTOCOL), 'the answer names the subprotocol');
  });

  it('close a text frame with 4400', async () => {
    const socket = await live.socket().greeted();
    socket.ws.send('hello');
    expect(await socket.untilClosed()).toBe(CloseCode.badFrame);
  });

  it('close a frame above the limit, with its code as long as it is not huge, and that socket only', async () => {
    const neighbour = await live.socket().greeted();
    const [large, huge] = [await live.socket().greeted(), await live.socket().greeted()];
    large.ws.send(Buffer.alloc(5_000, 0x91));
    expect(await large.untilClosed()).toBe(CloseCode.frameTooBig);
    huge.ws.send(Buffer.alloc(100_000, 0x91));
    // The library drops the connection above its own limit, with or without a close frame.
    expect([1_006, 1_009]).toContain(await huge.untilClosed());
    neighbour.send([FrameType.ping, 7]);
    expect((await neighbour.untilFrame(FrameType.pong))[1]).toBe(7);
    expect(neighbour.closeCode).toBeUndefined();
  });

  it('tell the session what the socket was closed with, also without a close frame', async () => {
    const socket = await live.socket().greeted();
    const count = live.gateway.sessionCount;
    socket.ws.terminate();
    await eventually(() => live.gateway.sessionCount === count - 1, 'the session ended');
    expect(live.rig.counters.closeCodes).toContain(1_006);
  });

  it('refuse other paths and plain requests', async () => {
    expect(await live.socket({ path: '/v2/socket' }).untilRefused()).toBe(404);
    expect((await live.request('GET', '/v1/socket')).status).toBe(404);
  });
});

describe('Origins', () => {
  it('are checked where a list is set; clients without an origin are no browsers', async () => {
    const listed = await LiveGateway.start({ allowedOrigins: ['https://game.example'] });
    try {
      expect(await listed.socket({ origin: 'https://evil.example' }).untilRefused()).toBe(403);
      await listed.socket({ origin: 'https://game.example' }).greeted();
      await listed.socket().greeted();
    } finally {
      listed.close();
    }
  });

  it('are all welcome without a list', async () => {
    await live.socket({ origin: 'https://anybody.example' }).greeted();
  });
});

describe('HTTP on the port', () => {
  it('hands a request over as it came and answers with status, headers and body', async () => {
    const answer = await live.request('POST', '/echo/a%2Fb/%F0%9F%98%80?limit=3&x=a%20b', 'the body');
    expect(answer.status).toBe(201);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(answer.body)).toEqual({
      method: 'POST',
      path: '/echo/a%2Fb/%F0%9F%98%80',
      params: ['a/b', '😀'],
      query: { limit: '3', x: 'a b' },
      header: 'yes',
      body: 'the body',
    });
  });

  it('gathers a body of many chunks, and an empty one', async () => {
    const body = 'äöü'.repeat(150_000);
    expect(JSON.parse((await live.request('POST', '/echo/a/b', body)).body).body).toBe(body);
    expect(JSON.parse((await live.request('POST', '/echo/a/b')).body)).toMatchObject({ body: '', query: {} });
  });

  it('answers 413 to a body above the limit and goes on', async () => {
    const answer = await live.request('POST', '/echo/a/b', Buffer.alloc(1_500_000, 0x20));
    expect(answer.status).toBe(413);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect((await live.request('GET', '/plain')).status).toBe(200);
  });

  it('answers a route that does not look at the body, whatever its size', async () => {
    expect((await live.request('POST', '/ignores-body', 'x'.repeat(500_000))).status).toBe(200);
  });

  it('answers 404 to an unknown path and 405 with the methods of a known one', async () => {
    const unknown = await live.request('GET', '/nowhere/at/all');
    expect([unknown.status, JSON.parse(unknown.body).status]).toEqual([404, 404]);
    const wrong = await live.request('DELETE', '/plain');
    expect([wrong.status, wrong.headers['allow']]).toEqual([405, 'GET']);
  });

  it('survives a client that leaves before its answer', async () => {
    const [leaving, staying] = [connect(live.port, '127.0.0.1'), live.request('GET', '/late')];
    leaving.write('GET /late HTTP/1.1\r\nhost: x\r\n\r\n');
    await eventually(() => late.count === 2, 'both requests wait for their answers');
    leaving.destroy();
    expect((await live.request('GET', '/plain')).status).toBe(200);
    late.gate.open();
    expect((await staying).status).toBe(200);
  });
});

describe('UwsServer', () => {
  it('refuses to start on a port that is taken, with a sentence', async () => {
    const nothing = { status: 404, headers: {}, body: '' };
    const listening = UwsServer.listen({
      uws: loadUws().uws,
      host: '127.0.0.1',
      port: live.port,
      http: {
        routes: [],
        respond: async () => nothing,
        respondUnmatched: () => nothing,
        newBody: () => new BodyCollector(),
      },
      sockets: null,
    });
    await expect(listening).rejects.toBeInstanceOf(StartRefusedError);
    await expect(listening).rejects.toThrow(String(live.port));
  });

  it('takes nobody new after it stopped listening, and lets open sockets go on', async () => {
    const other = await LiveGateway.start();
    const socket = await other.socket().greeted();
    other.stopListening();
    await expect(other.request('GET', '/plain')).rejects.toThrow();
    socket.send([FrameType.ping, 3]);
    expect((await socket.untilFrame(FrameType.pong))[1]).toBe(3);
    other.gateway.close();
    expect(await socket.untilClosed()).toBe(CloseCode.draining);
    other.close();
  });
});
