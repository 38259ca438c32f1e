import { SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { StartRefusedError } from '../../src/domain/errors.js';
import { InvalidTokenError, PlayerTokens } from '../../src/ops/player-tokens.js';

const SECRET = '0123456789abcdef0123456789abcdef';
const key = new TextEncoder().encode(SECRET);
const tokens = new PlayerTokens({ secret: SECRET });

function signed(claims: Record<string, unknown>, alg = 'HS256', secret = key): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg }).sign(secret);
}

describe('player tokens', () => {
  it('name the player and when they end', async () => {
    const before = Math.floor(Date.now() / 1_000) * 1_000;
    const holder = await tokens.verify(await tokens.sign('42', 3_600));
    expect(holder.playerId).toBe('42');
    expect(holder.expiresAt).toBeGreaterThanOrEqual(before + 3_600_000);
    expect(holder.expiresAt).toBeLessThanOrEqual(Date.now() + 3_600_000);
  });

  it('may have no end', async () => {
    expect(await tokens.verify(await signed({ sub: 'a' }))).toEqual({ playerId: 'a', expiresAt: null });
  });

  it('that are to last for ever end where clocks do, so that the end can be stored', async () => {
    const last = new Date(8.64e15).getTime();
    for (const exp of [Number.MAX_SAFE_INTEGER, 1e300]) {
      expect(await tokens.verify(await signed({ sub: 'a', exp }))).toEqual({ playerId: 'a', expiresAt: last });
    }
  });

  it('count 25 s longer than they say, for clocks differ; a clock that is 60 s off is not taken (A25)', async () => {
    expect(await tokens.verify(await tokens.sign('a', -20))).toMatchObject({ playerId: 'a' });
    await expect(tokens.verify(await tokens.sign('a', -26))).rejects.toThrow('has expired');
    await expect(tokens.verify(await tokens.sign('a', -60))).rejects.toThrow('has expired');
  });

  it('count as much longer as is set, and as much earlier than nbf', async () => {
    const patient = new PlayerTokens({ secret: SECRET, graceMs: 90_000 });
    const strict = new PlayerTokens({ secret: SECRET, graceMs: 0 });
    const early = await signed({ sub: 'a', nbf: Math.floor(Date.now() / 1_000) + 60 });
    expect(await patient.verify(await tokens.sign('a', -60))).toMatchObject({ playerId: 'a' });
    expect(await patient.verify(early)).toMatchObject({ playerId: 'a' });
    await expect(strict.verify(await tokens.sign('a', -1))).rejects.toThrow('has expired');
    await expect(tokens.verify(early)).rejects.toThrow('does not count yet');
  });

  it.each<[string, () => string | Promise<string>]>([
    ['are no token', () => 'abc'],
    ['are empty', () => ''],
    ['are signed with another secret', () => signed({ sub: 'a' }, 'HS256', new TextEncoder().encode(`${SECRET}x`))],
    ['choose another algorithm', () => signed({ sub: 'a' }, 'HS512', new TextEncoder().encode(`${SECRET}${SECRET}`))],
    ['are not signed', () => new UnsecuredJWT({ sub: 'a' }).encode()],
    ['name nobody', () => signed({})],
    ['name a number (A05)', () => signed({ sub: 42 })],
    ['name an id that is none', () => signed({ sub: 'x'.repeat(65) })],
    ['are not valid yet', () => signed({ sub: 'a', nbf: Math.floor(Date.now() / 1_000) + 120 })],
  ])('are refused where they %s', async (_, make) => {
    await expect(tokens.verify(await make())).rejects.toBeInstanceOf(InvalidTokenError);
  });

  it('must have the issuer and audience that are set, and own tokens do', async () => {
    const choosy = new PlayerTokens({ secret: SECRET, issuer: 'https://login.example', audience: 'rankcast' });
    expect(await choosy.verify(await choosy.sign('a', 60))).toMatchObject({ playerId: 'a' });
    const both = { sub: 'a', iss: 'https://login.example', aud: ['rankcast', 'shop'] };
    expect(await choosy.verify(await signed(both))).toMatchObject({ playerId: 'a' });
    await expect(choosy.verify(await signed({ ...both, iss: 'https://evil.example' }))).rejects.toThrow('wrong iss');
    await expect(choosy.verify(await signed({ ...both, aud: 'shop' }))).rejects.toThrow('wrong aud');
    await expect(choosy.verify(await tokens.sign('a', 60))).rejects.toBeInstanceOf(InvalidTokenError);
  });

  it('need a secret of 32 bytes', () => {
    expect(() => new PlayerTokens({ secret: 'x'.repeat(31) })).toThrow(StartRefusedError);
  });
});
