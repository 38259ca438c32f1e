import { exportSPKI, importJWK, SignJWT, UnsecuredJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import { InvalidTokenError, PlayerTokens } from '../../src/ops/player-tokens.js';
import { KeyServer } from './support/key-server.js';

const SECRET = '0123456789abcdef0123456789abcdef';
const PAUSE_MS = 5_000;

let server: KeyServer;
let failures: string[];
let passedMs: number;

beforeEach(async () => {
  server = await KeyServer.start();
  await server.add('k1', 'ES256');
  failures = [];
  passedMs = 0;
  const realNow = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => realNow() + passedMs);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await server.stop();
});

function tokensOf(options: { readonly issuer?: string; readonly audience?: string } = {}): PlayerTokens {
  return new PlayerTokens({
    secret: SECRET,
    jwksUrl: server.url,
    onKeysUnavailable: (error) => failures.push(error.message),
    ...options,
  });
}

function inSec(seconds: number): number {
  return Math.floor(Date.now() / 1_000) + seconds;
}

describe('player tokens with public keys', () => {
  it.each(['RS256', 'ES256', 'EdDSA'])('are taken with %s', async (alg) => {
    await server.add('another', alg);
    const exp = inSec(60);
    const holder = await tokensOf().verify(await server.sign('another', { sub: '42', exp }));
    expect(holder).toEqual({ playerId: '42', expiresAt: exp * 1_000 });
  });

  it('count beside those with the secret', async () => {
    const tokens = tokensOf();
    expect(await tokens.verify(await tokens.sign('a', 60))).toMatchObject({ playerId: 'a' });
    expect(server.requests).toBe(0);
    expect(await tokens.verify(await server.sign('k1', { sub: 'b' }))).toMatchObject({ playerId: 'b' });
  });

  it('are nothing to a server that was given no key set', async () => {
    const tokens = new PlayerTokens({ secret: SECRET });
    await expect(tokens.verify(await server.sign('k1', { sub: 'a' }))).rejects.toBeInstanceOf(InvalidTokenError);
  });

  it('are never signed with a public key as the secret of HS256', async () => {
    await server.add('rsa', 'RS256');
    const jwk = server.publicJwk('rsa');
    const spki = await exportSPKI((await importJWK(jwk, 'RS256', { extractable: true })) as CryptoKey);
    for (const text of [spki, spki.trim(), JSON.stringify(jwk), String(jwk.n)]) {
      for (const header of [{ alg: 'HS256', kid: 'rsa' }, { alg: 'HS256' }]) {
        const secret = new TextEncoder().encode(text);
        const confused = await new SignJWT({ sub: 'a' }).setProtectedHeader(header).sign(secret);
        await expect(tokensOf().verify(confused)).rejects.toBeInstanceOf(InvalidTokenError);
      }
    }
  });

  it('are never checked with a secret that the key set holds', async () => {
    const k = Buffer.from(SECRET.repeat(2)).toString('base64url');
    server.answer = (response) => response.end(JSON.stringify({ keys: [{ kty: 'oct', kid: 'oct', k }] }));
    const secret = new TextEncoder().encode(SECRET.repeat(2));
    const token = await new SignJWT({ sub: 'a' }).setProtectedHeader({ alg: 'HS256', kid: 'oct' }).sign(secret);
    await expect(tokensOf().verify(token)).rejects.toBeInstanceOf(InvalidTokenError);
  });

  it.each(['ES384', 'PS256'])('are refused with %s, which is none of ours, though the set has the key', async (alg) => {
    await server.add('another', alg);
    await expect(tokensOf().verify(await server.sign('another', { sub: 'a' }))).rejects.toBeInstanceOf(
      InvalidTokenError,
    );
  });

  it('bring no keys of their own', async () => {
    const evil = await KeyServer.start();
    await evil.add('k9', 'ES256');
    const header = { jwk: evil.publicJwk('k9'), jku: evil.url };
    await expect(tokensOf().verify(await evil.sign('k9', { sub: 'a' }, header))).rejects.toBeInstanceOf(
      InvalidTokenError,
    );
    expect(evil.requests).toBe(0);
    await evil.stop();
  });

  it.each<[string, () => Promise<string>]>([
    ['are signed with another key of that name', () => signedElsewhere()],
    ['are not signed', async () => new UnsecuredJWT({ sub: 'a' }).encode()],
    ['have expired', () => server.sign('k1', { sub: 'a', exp: inSec(-60) })],
    ['do not count yet', () => server.sign('k1', { sub: 'a', nbf: inSec(60) })],
    ['name nobody', () => server.sign('k1', {})],
    ['are cut', async () => (await server.sign('k1', { sub: 'a' })).slice(0, -10)],
  ])('are refused where they %s', async (_, make) => {
    await expect(tokensOf().verify(await make())).rejects.toBeInstanceOf(InvalidTokenError);
  });

  it('must have the issuer and audience that are set', async () => {
    const tokens = tokensOf({ issuer: 'https://login.example', audience: 'rankcast' });
    const right = { sub: 'a', iss: 'https://login.example', aud: 'rankcast' };
    expect(await tokens.verify(await server.sign('k1', right))).toMatchObject({ playerId: 'a' });
    await expect(tokens.verify(await server.sign('k1', { ...right, iss: 'x' }))).rejects.toThrow('wrong iss');
    await expect(tokens.verify(await server.sign('k1', { ...right, aud: 'x' }))).rejects.toThrow('wrong aud');
  });

  it('name their key where several would fit', async () => {
    await server.add('k2', 'ES256');
    const token = await server.sign('k1', { sub: 'a' }, { kid: undefined });
    await expect(tokensOf().verify(token)).rejects.toThrow('names no kid');
  });
});

describe('the key set', () => {
  it('is asked for once by many tokens, and kept', async () => {
    const tokens = tokensOf();
    const token = await server.sign('k1', { sub: 'a' });
    await Promise.all(Array.from({ length: 50 }, () => tokens.verify(token)));
    await tokens.verify(token);
    expect(server.requests).toBe(1);
  });

  it('is asked again for a key that is new', async () => {
    const tokens = tokensOf();
    await tokens.verify(await server.sign('k1', { sub: 'a' }));
    await server.add('k2', 'RS256');
    passedMs += PAUSE_MS;
    expect(await tokens.verify(await server.sign('k2', { sub: 'b' }))).toMatchObject({ playerId: 'b' });
    expect(await tokens.verify(await server.sign('k1', { sub: 'a' }))).toMatchObject({ playerId: 'a' });
    expect(server.requests).toBe(2);
  });

  it('is not asked in a storm by forged key ids', async () => {
    const tokens = tokensOf();
    await server.add('unpublished', 'ES256', false);
    for (let n = 0; n < 20; n++) {
      const token = await server.sign('unpublished', { sub: 'a' }, { kid: `made-up-${n}` });
      await expect(tokens.verify(token)).rejects.toBeInstanceOf(InvalidTokenError);
    }
    expect(server.requests).toBe(1);
    passedMs += PAUSE_MS;
    const token = await server.sign('unpublished', { sub: 'a' });
    await expect(tokens.verify(token)).rejects.toBeInstanceOf(InvalidTokenError);
    expect(server.requests).toBe(2);
  });

  it('is looked at anew on the side when it is old, so a withdrawn key stops counting', async () => {
    const tokens = tokensOf();
    await server.add('k2', 'ES256');
    const withdrawn = await server.sign('k1', { sub: 'a' });
    await tokens.verify(withdrawn);
    server.withdraw('k1');
    passedMs += 600_001;
    await tokens.verify(await server.sign('k2', { sub: 'b' }));
    await vi.waitFor(async () => await expect(tokens.verify(withdrawn)).rejects.toBeInstanceOf(InvalidTokenError));
  });

  it('that cannot be read calls no token forged, is asked for at most every 5 s, and is told once', async () => {
    const tokens = tokensOf();
    const token = await server.sign('k1', { sub: 'a' });
    await server.stop();
    for (let n = 0; n < 5; n++) await expect(tokens.verify(token)).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(failures).toHaveLength(1);
    expect(failures[0]).toContain(server.url);
    await server.startAgain();
    await expect(tokens.verify(token)).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(server.requests).toBe(0);
    passedMs += PAUSE_MS;
    expect(await tokens.verify(token)).toMatchObject({ playerId: 'a' });
  });

  it('that was read counts for an hour while it cannot be read again', async () => {
    const tokens = tokensOf();
    const token = await server.sign('k1', { sub: 'a' });
    await tokens.verify(token);
    await server.stop();
    passedMs += 3_500_000;
    expect(await tokens.verify(token)).toMatchObject({ playerId: 'a' });
    await vi.waitFor(() => expect(failures).toHaveLength(1));
    passedMs += 200_000;
    await expect(tokens.verify(token)).rejects.toBeInstanceOf(StoreUnavailableError);
  });

  it.each<[string, KeyServer['answer']]>([
    ['an error', (response) => response.writeHead(500).end()],
    ['a redirect', (response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()],
    ['no JSON', (response) => response.end('<html>')],
    ['no key set', (response) => response.end('{"keys":7}')],
  ])('that is %s calls no token forged', async (_, answer) => {
    server.answer = answer;
    const token = await server.sign('k1', { sub: 'a' });
    await expect(tokensOf().verify(token)).rejects.toBeInstanceOf(StoreUnavailableError);
  });

  it('that does not come is given up after 3 s', async () => {
    server.answer = () => {};
    const startedAt = Date.now();
    const token = await server.sign('k1', { sub: 'a' });
    await expect(tokensOf().verify(token)).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(Date.now() - startedAt).toBeLessThan(4_500);
  });
});

async function signedElsewhere(): Promise<string> {
  const elsewhere = await KeyServer.start();
  await elsewhere.add('k1', 'ES256');
  const token = await elsewhere.sign('k1', { sub: 'a' });
  await elsewhere.stop();
  return token;
}
