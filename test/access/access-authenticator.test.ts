import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CloseCode } from '../../proto/close-codes.js';
import { WindowKind } from '../../proto/frames.js';
import { AccessKeys } from '../../src/access/access-keys.js';
import { KeyWatch } from '../../src/access/key-watch.js';
import { Tickets } from '../../src/access/tickets.js';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import { AccessAuthenticator } from '../../src/gateway/access-authenticator.js';
import { ANONYMOUS } from '../../src/gateway/player-authenticator.js';
import { type Authenticator, type Handshake, HelloRefusedError } from '../../src/gateway/principal.js';
import { createTruthDatabase, silent, type TruthDatabase } from '../truth/truth-database.js';
import { draft } from './drafts.js';

const BARE: Handshake = { address: '127.0.0.1', token: null, ticket: null };

let database: TruthDatabase;
let keys: AccessKeys;
let tickets: Tickets;
let watch: KeyWatch;
let authenticator: AccessAuthenticator;
const asked: (string | null)[] = [];
const players: Authenticator = {
  authenticate: async (token) => {
    asked.push(token);
    return ANONYMOUS;
  },
  watchKey: () => () => {},
};

beforeEach(async () => {
  asked.length = 0;
  database = await createTruthDatabase();
  keys = new AccessKeys(database.access);
  tickets = new Tickets({ database: database.access });
  watch = new KeyWatch({ database: database.access, logger: silent });
  authenticator = new AccessAuthenticator({ players, keys, tickets, watch });
});

afterEach(async () => {
  await watch.close();
  await database.drop();
});

/** The close of a socket that is refused; its text must fit a close frame and hold nothing of the credential. */
async function refusal(token: string | null, handshake: Partial<Handshake> = {}): Promise<number> {
  const refused: unknown = await authenticator.authenticate(token, { ...BARE, ...handshake }).catch((error) => error);
  if (!(refused instanceof HelloRefusedError)) throw new Error(`not refused: ${String(refused)}`);
  expect(Buffer.byteLength(refused.message)).toBeLessThanOrEqual(123);
  for (const secret of [token, handshake.token, handshake.ticket]) {
    if (typeof secret === 'string' && secret.length > 4) expect(refused.message).not.toContain(secret);
  }
  return refused.closeCode;
}

describe('a session with an overlay key', () => {
  it('may watch what the key is bound to, and nothing else', async () => {
    const { key, keyId } = await keys.create(draft());
    const principal = await authenticator.authenticate(key, BARE);
    expect(principal).toMatchObject({ kind: 'key', keyId, playerId: null, expiresAt: null });
    expect(principal.mayWatch('arena', WindowKind.top)).toBe(true);
    expect(principal.mayWatch('arena', WindowKind.me)).toBe(false);
    expect(principal.mayWatch('arena', WindowKind.friends)).toBe(false);
    expect(principal.mayWatch('duel', WindowKind.top)).toBe(false);
  });

  it('speaks for the player whom it is bound to, in its windows alone', async () => {
    const { key, expiresAt } = await keys.create(draft({ windows: ['me'], playerId: '42', expiresInMs: 60_000 }));
    const principal = await authenticator.authenticate(key, BARE);
    expect(principal).toMatchObject({ kind: 'key', playerId: '42', expiresAt });
    const kinds = Object.values(WindowKind).filter((kind) => principal.mayWatch('arena', kind));
    expect(kinds).toEqual([WindowKind.me]);
  });

  it('is closed with 4401 where the key is unknown, with 4410 where it is over', async () => {
    const [revoked, ended] = [await keys.create(draft()), await keys.create(draft({ expiresInMs: 0 }))];
    await keys.revoke(revoked.keyId);
    expect(await refusal('rck_unknown')).toBe(CloseCode.unauthorized);
    expect(await refusal('rck_')).toBe(CloseCode.unauthorized);
    expect(await refusal(revoked.key)).toBe(CloseCode.revoked);
    expect(await refusal(ended.key)).toBe(CloseCode.revoked);
    expect(asked).toEqual([]);
  });

  it('is told when the key is revoked', async () => {
    const { key } = await keys.create(draft());
    const { keyId } = await authenticator.authenticate(key, BARE);
    const revoked = vi.fn();
    authenticator.watchKey(keyId ?? '', revoked);
    await keys.revoke(keyId ?? '');
    await vi.waitFor(() => expect(revoked).toHaveBeenCalledOnce(), 1_500);
  });

  it('is to come again where the database is away', async () => {
    const { key } = await keys.create(draft());
    const { ticket } = await tickets.issue({ kind: 'player', playerId: '42', expiresAt: null });
    await database.ask('ALTER TABLE access_key RENAME TO elsewhere');
    await database.ask('ALTER TABLE socket_ticket RENAME TO elsewhere_as_well');
    await expect(authenticator.authenticate(key, BARE)).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(authenticator.authenticate(null, { ...BARE, ticket })).rejects.toBeInstanceOf(StoreUnavailableError);
  });
});

describe('a session with a ticket', () => {
  it('is the player, for no longer than the token that asked for it', async () => {
    const expiresAt = Date.now() + 60_000;
    const { ticket } = await tickets.issue({ kind: 'player', playerId: '42', expiresAt });
    const principal = await authenticator.authenticate(null, { ...BARE, ticket });
    expect(principal).toMatchObject({ kind: 'player', playerId: '42', keyId: null, expiresAt });
    expect(principal.mayWatch('arena', WindowKind.top)).toBe(true);
    expect(await refusal(null, { ticket })).toBe(CloseCode.unauthorized);
  });

  it('is the key that asked for it, and is worth nothing when that was revoked in between', async () => {
    const { keyId } = await keys.create(draft());
    const [first, second] = [await tickets.issue({ kind: 'key', keyId }), await tickets.issue({ kind: 'key', keyId })];
    const principal = await authenticator.authenticate(null, { ...BARE, ticket: first.ticket });
    expect(principal).toMatchObject({ kind: 'key', keyId });
    await keys.revoke(keyId);
    expect(await refusal(null, { ticket: second.ticket })).toBe(CloseCode.revoked);
  });

  it('is never anonymous instead', async () => {
    expect(await refusal(null, { ticket: 'rct_unknown' })).toBe(CloseCode.unauthorized);
    expect(await refusal(null, { ticket: '' })).toBe(CloseCode.unauthorized);
    expect(asked).toEqual([]);
  });
});

describe('of several credentials', () => {
  it('the first counts: HELLO, then the handshake, then the ticket, which is left unused', async () => {
    const { key, keyId } = await keys.create(draft());
    const { ticket } = await tickets.issue({ kind: 'player', playerId: '42', expiresAt: null });
    await authenticator.authenticate('player-token', { ...BARE, token: key, ticket });
    expect(asked).toEqual(['player-token']);
    expect(await authenticator.authenticate(null, { ...BARE, token: key, ticket })).toMatchObject({ keyId });
    await authenticator.authenticate(null, { ...BARE, token: 'of-handshake', ticket });
    await authenticator.authenticate('', { ...BARE, ticket });
    expect(asked).toEqual(['player-token', 'of-handshake', '']);
    expect(await authenticator.authenticate(null, { ...BARE, ticket })).toMatchObject({ playerId: '42' });
  });

  it('a wrong one is not made good by those behind it', async () => {
    const { ticket } = await tickets.issue({ kind: 'player', playerId: '42', expiresAt: null });
    expect(await refusal('rck_unknown', { token: 'of-handshake', ticket })).toBe(CloseCode.unauthorized);
    expect(await refusal(null, { token: 'rck_unknown', ticket })).toBe(CloseCode.unauthorized);
  });

  it('none at all is for the players’ side to judge', async () => {
    expect(await authenticator.authenticate(null, BARE)).toBe(ANONYMOUS);
    expect(asked).toEqual([null]);
  });
});
