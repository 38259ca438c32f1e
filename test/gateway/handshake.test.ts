import { describe, expect, it } from 'vitest';
import { JSON_SUBPROTOCOL, SUBPROTOCOL } from '../../proto/frames.js';
import { trustedProxies } from '../../src/gateway/client-address.js';
import { readHandshake } from '../../src/gateway/handshake.js';
import { HandshakeRefusedError } from '../../src/gateway/handshake-refused-error.js';

const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.c2ln';

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly origins?: readonly string[];
}

function read({ headers = {}, query = '', origins }: Sent) {
  return readHandshake(
    { header: (name) => headers[name] ?? '', query, remoteAddress: '10.0.0.1' },
    { allowedOrigins: origins ?? null, isTrusted: trustedProxies(['10.0.0.1']) },
  );
}

function refusal(sent: Sent): HandshakeRefusedError {
  try {
    read(sent);
  } catch (error) {
    if (error instanceof HandshakeRefusedError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

function offering(...protocols: readonly string[]): Sent {
  return { headers: { 'sec-websocket-protocol': protocols.join(', ') } };
}

function bearer(token: string): string {
  return `base64url.bearer.rankcast.${Buffer.from(token).toString('base64url')}`;
}

describe('Subprotocols', () => {
  it('are msgpack where none is offered, and then none is named', () => {
    expect(read({})).toMatchObject({ subprotocol: '', isText: false });
  });

  it('are the first that is known of those offered', () => {
    expect(read(offering('soap', SUBPROTOCOL, JSON_SUBPROTOCOL))).toMatchObject({
      subprotocol: SUBPROTOCOL,
      isText: false,
    });
    expect(read(offering(JSON_SUBPROTOCOL, SUBPROTOCOL))).toMatchObject({
      subprotocol: JSON_SUBPROTOCOL,
      isText: true,
    });
  });

  it('are refused with 400 where none is known, and both are named', () => {
    const { problem } = refusal(offering('rankcast.v2.msgpack', 'toString'));
    expect(problem).toMatchObject({ status: 400, type: '/problems/unknown-subprotocol' });
    expect(problem.detail).toContain(SUBPROTOCOL);
    expect(problem.detail).toContain(JSON_SUBPROTOCOL);
  });

  it('do not include the one that carries a token', () => {
    expect(read(offering(bearer(TOKEN), SUBPROTOCOL)).subprotocol).toBe(SUBPROTOCOL);
    expect(refusal(offering(bearer(TOKEN))).reason).toBe('unknown-subprotocol');
  });
});

describe('Credentials', () => {
  it('are none where none is sent', () => {
    expect(read({}).handshake).toEqual({ address: '10.0.0.1', token: null, ticket: null });
  });

  it('come from Authorization, else from the bearer subprotocol, else from the ticket of the URL', () => {
    expect(read({ headers: { authorization: `Bearer ${TOKEN}` } }).handshake.token).toBe(TOKEN);
    expect(read({ headers: { authorization: `bearer  ${TOKEN} ` } }).handshake.token).toBe(TOKEN);
    expect(read(offering(SUBPROTOCOL, bearer(TOKEN))).handshake.token).toBe(TOKEN);
    const both = { authorization: 'Bearer rck_a', 'sec-websocket-protocol': `${SUBPROTOCOL},${bearer(TOKEN)}` };
    expect(read({ headers: both }).handshake.token).toBe('rck_a');
    expect(read({ query: 'x=1&ticket=abc-1' }).handshake.ticket).toBe('abc-1');
  });

  it('of other schemes are not for us', () => {
    expect(read({ headers: { authorization: 'Basic dTpw' } }).handshake.token).toBeNull();
    expect(read({ headers: { authorization: 'BearerX y' } }).handshake.token).toBeNull();
  });

  it.each(['Bearer', 'Bearer ', 'Bearer a b', 'Bearer a, Bearer b', 'Bearer a\u0001b', 'Bearer ä'])(
    'are refused with 400 where Authorization is malformed, never taken as none: %j',
    (authorization) => {
      const { problem } = refusal({ headers: { authorization } });
      expect(problem).toMatchObject({ status: 400, type: '/problems/bad-credential' });
    },
  );

  it.each([
    ['nothing', ''],
    ['padding', `${Buffer.from('ab').toString('base64')}`],
    ['other letters', 'ab*d'],
    ['the other alphabet', '+/+/'],
    ['an impossible length', 'abcde'],
    ['bits behind the end', 'ab'],
    ['control characters', Buffer.from('a\nb').toString('base64url')],
    ['bytes that are no text', Buffer.from([0xff, 0xfe]).toString('base64url')],
  ])('are refused with 400 where the bearer subprotocol holds %s', (_what, encoded) => {
    expect(refusal(offering(SUBPROTOCOL, `base64url.bearer.rankcast.${encoded}`)).reason).toBe('bad-credential');
  });

  it('are refused with 400 where two are sent in one way', () => {
    expect(refusal(offering(SUBPROTOCOL, bearer('a'), bearer('b'))).reason).toBe('bad-credential');
  });

  it.each(['', 'a b', `${'x'.repeat(201)}`, 'a%00b', '%E4'])(
    'are refused with 400 where the ticket is malformed: %j',
    (ticket) => {
      expect(refusal({ query: `ticket=${ticket}` }).reason).toBe('bad-credential');
    },
  );

  it('are quoted in no refusal', () => {
    for (const sent of [
      { headers: { authorization: 'Bearer secret secret' } },
      { query: 'ticket=secret%20' },
      offering('secret'),
      offering(SUBPROTOCOL, `${bearer('secret')}=`),
    ]) {
      expect(JSON.stringify(refusal(sent).problem)).not.toMatch(/secret|c2VjcmV0/);
    }
  });
});

describe('Origins', () => {
  const origins = ['https://game.example'];

  it('are welcome where listed, where nothing is listed, and where no browser sends one', () => {
    read({ headers: { origin: 'https://game.example' }, origins });
    read({ headers: { origin: 'https://anybody.example' } });
    read({ origins });
  });

  it.each(['https://evil.example', 'null', 'https://game.example.evil', 'http://game.example'])(
    'are refused with 403 where others are listed: %s',
    (origin) => expect(refusal({ headers: { origin }, origins }).problem.status).toBe(403),
  );
});

describe('The address', () => {
  it('is that of the client behind a trusted proxy', () => {
    expect(read({ headers: { 'x-forwarded-for': '203.0.113.9' } }).handshake.address).toBe('203.0.113.9');
  });
});
