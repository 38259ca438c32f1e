/** The handshake of real sockets: what it carries, what is refused and how, and that what was counted is given back. */

import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CloseCode } from '../../proto/close-codes.js';
import { FrameType, JSON_SUBPROTOCOL, SUBPROTOCOL } from '../../proto/frames.js';
import { eventually } from '../contract/ranking-fixture.js';
import { LiveGateway } from './support/live-gateway.js';
import { expectChangeOnScreen } from './support/live-session.js';

const ROOMY = { sockets: 100, socketsPerAddress: 100, connectsPerAddress: 100 };

async function withGateway(
  endpoint: Parameters<typeof LiveGateway.start>[0],
  act: (live: LiveGateway) => Promise<void>,
) {
  const live = await LiveGateway.start(endpoint);
  try {
    await act(live);
  } finally {
    live.close();
  }
}

describe('A handshake', () => {
  let live: LiveGateway;
  beforeAll(async () => {
    live = await LiveGateway.start({ trustedProxies: ['127.0.0.1'] });
  });
  afterAll(() => live.close());

  it('hands on address, token and ticket, and answers with the encoding alone', async () => {
    const token = 'rck_abc';
    const bearer = `base64url.bearer.rankcast.${Buffer.from(token).toString('base64url')}`;
    const socket = await live.socket({ protocols: [bearer, SUBPROTOCOL], path: '/v1/socket?ticket=t-1' }).untilOpen();
    expect(socket.ws.protocol).toBe(SUBPROTOCOL);
    expect(live.handshakes.at(-1)).toEqual({ address: '127.0.0.1', token, ticket: 't-1' });
    await live.socket({ headers: { authorization: 'Bearer rck_other' } }).untilOpen();
    expect(live.handshakes.at(-1)).toEqual({ address: '127.0.0.1', token: 'rck_other', ticket: null });
  });

  it('takes the address that the proxy added, also where the client sent a header line of his own', async () => {
    await live.socket({ headers: { 'x-forwarded-for': ['203.0.113.66', '198.51.100.7'] } }).untilOpen();
    expect(live.handshakes.at(-1)?.address).toBe('198.51.100.7');
  });

  it('is refused with a problem that says why, and counted by reason', async () => {
    const socket = live.socket({ headers: { authorization: 'Bearer two words' } });
    expect(await socket.untilRefused()).toBe(400);
    await eventually(() => socket.refusedBody !== '', 'the body came');
    expect(socket.refusedHeaders['content-type']).toBe('application/problem+json');
    expect(JSON.parse(socket.refusedBody)).toMatchObject({ status: 400, type: '/problems/bad-credential' });
    expect(live.refusals).toEqual(['bad-credential']);
  });
});

describe('Limits at the door', () => {
  it('answer 503 with Retry-After where the server is full, and let in again when one has gone', async () => {
    await withGateway({ limits: { ...ROOMY, sockets: 2 } }, async (live) => {
      const [first] = [await live.socket().greeted(), await live.socket().greeted()];
      const third = live.socket();
      expect(await third.untilRefused()).toBe(503);
      expect(Number(third.refusedHeaders['retry-after'])).toBeGreaterThan(0);
      await eventually(() => third.refusedBody.includes('2 sockets'), 'the answer names the limit');
      first.ws.terminate();
      await eventually(() => live.rig.counters.closeCodes.length === 1, 'the first one has gone');
      await live.socket().greeted();
      expect(await live.socket().untilRefused()).toBe(503);
      expect(live.refusals).toEqual(['server-full', 'server-full']);
    });
  });

  it('answer 429 to an address that has its sockets, and not to another one', async () => {
    await withGateway({ limits: { ...ROOMY, socketsPerAddress: 1 }, trustedProxies: ['127.0.0.1'] }, async (live) => {
      const from = (address: string) => live.socket({ headers: { 'x-forwarded-for': address } });
      await from('198.51.100.1').greeted();
      const second = from('198.51.100.1');
      expect(await second.untilRefused()).toBe(429);
      expect(second.refusedHeaders['retry-after']).toBeDefined();
      await from('198.51.100.2').greeted();
    });
  });

  it('answer 429 to an address that connects too fast', async () => {
    await withGateway({ limits: { ...ROOMY, connectsPerAddress: 3 } }, async (live) => {
      for (let count = 0; count < 3; count += 1) {
        const socket = await live.socket().untilOpen();
        socket.ws.close();
        await socket.untilClosed();
      }
      expect(await live.socket().untilRefused()).toBe(429);
      expect(live.refusals).toEqual(['address-too-fast']);
    });
  });

  it('lose nothing over sockets that close in every way, on either side, also in the middle of the handshake', async () => {
    await withGateway({ limits: { ...ROOMY, socketsPerAddress: 4, connectsPerAddress: 10_000 } }, async (live) => {
      for (let round = 0; round < 5; round += 1) {
        const sockets = [await live.socket().greeted(), await live.socket().greeted(), await live.socket().greeted()];
        const [polite, rude, refused] = sockets;
        polite?.ws.close(1000);
        rude?.ws.terminate();
        refused?.ws.send('text');
        const raw = connect(live.port, '127.0.0.1');
        raw.write(UPGRADE);
        raw.destroy();
        const aborted = connect(live.port, '127.0.0.1');
        aborted.on('error', () => {});
        await new Promise((resolve) => aborted.write(UPGRADE, resolve));
        aborted.resetAndDestroy();
        for (const socket of sockets) await socket.untilClosed();
        await eventually(() => live.gateway.sessionCount === 0, 'all of them have gone');
      }
      for (let count = 0; count < 4; count += 1) await live.socket().greeted();
      expect(await live.socket().untilRefused()).toBe(429);
    });
  });
});

const UPGRADE =
  'GET /v1/socket HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n' +
  'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

describe('The JSON twin', () => {
  let live: LiveGateway;
  beforeAll(async () => {
    live = await LiveGateway.start();
  });
  afterAll(() => live.close());

  it('carries a session from HELLO to a change on the screen, one text message a frame', async () => {
    const token = await live.rig.tokens.sign('c', 60);
    const socket = await live.socket({ protocols: [JSON_SUBPROTOCOL] }).greeted(token);
    expect(socket.ws.protocol).toBe(JSON_SUBPROTOCOL);
    await expectChangeOnScreen(live, socket);
    expect(socket.texts.length).toBeGreaterThan(4);
  });

  it('closes a binary message with 4400, as msgpack closes text', async () => {
    const socket = await live.socket({ protocols: [JSON_SUBPROTOCOL] }).greeted();
    socket.ws.send(Buffer.from('[3]'));
    expect([await socket.untilClosed(), socket.closeReason]).toEqual([CloseCode.badFrame, 'frames are text here']);
  });

  it('is refused as the msgpack one is: unknown types politely, requests without HELLO with 4401', async () => {
    const socket = await live.socket({ protocols: [JSON_SUBPROTOCOL] }).greeted();
    socket.ws.send('[99, {"a": 1}]');
    expect((await socket.untilFrame(FrameType.error)).slice(0, 3)).toEqual([FrameType.error, 0, 400]);
    const early = await live.socket({ protocols: [JSON_SUBPROTOCOL] }).untilOpen();
    early.ws.send('[3]');
    expect(await early.untilClosed()).toBe(CloseCode.unauthorized);
  });
});
