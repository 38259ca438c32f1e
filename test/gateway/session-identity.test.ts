/** Who a session is, and what that lets it watch. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CloseCode } from '../../proto/close-codes.js';
import { FrameType, GoawayReason, WindowKind } from '../../proto/frames.js';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import { Gateway } from '../../src/gateway/gateway.js';
import { ANONYMOUS, PlayerAuthenticator, playerPrincipal } from '../../src/gateway/player-authenticator.js';
import { type Authenticator, type Handshake, HelloRefusedError, type Principal } from '../../src/gateway/principal.js';
import { PlayerTokens } from '../../src/ops/player-tokens.js';
import { encodeFrame } from '../../src/wire/encode.js';
import { gate } from '../views/support/fake-ranking.js';
import { turns } from '../views/support/view-rig.js';
import { answered, BARE_HANDSHAKE, expectMe, fakeRig, type GatewayRig, score, until } from './support/gateway-rig.js';
import { TestClient } from './support/test-client.js';

const POINTS = { a: 30, b: 20, c: 10 };
const TOKENS = new PlayerTokens({ secret: '0123456789abcdef0123456789abcdef' });

/** Knows principals by the text of their token. */
class NamedPrincipals implements Authenticator {
  readonly principals = new Map<string, Principal>([
    ['a', playerPrincipal('a', null)],
    ['b', playerPrincipal('b', null)],
  ]);
  readonly watched = new Map<string, () => void>();
  /** Runs before an answer. */
  before: () => Promise<void> | void = () => {};
  onWatch: (onRevoked: () => void) => void = () => {};

  async authenticate(token: string | null): Promise<Principal> {
    await this.before();
    if (token === null) return ANONYMOUS;
    const principal = this.principals.get(token);
    if (principal === undefined) throw new HelloRefusedError(CloseCode.unauthorized, 'nobody');
    return principal;
  }

  watchKey(keyId: string, onRevoked: () => void): () => void {
    this.watched.set(keyId, onRevoked);
    this.onWatch(onRevoked);
    return () => this.watched.delete(keyId);
  }
}

let named: NamedPrincipals;
let rig: GatewayRig;

beforeEach(() => {
  named = new NamedPrincipals();
  rig = fakeRig(POINTS, 5, { authenticator: named, sessionsPerPlayer: 2 });
  rig.friends.lists.set('a', ['c']);
});
afterEach(() => rig.close());

async function greeted(token: string | null): Promise<TestClient> {
  const client = new TestClient(rig);
  client.hello(token);
  await until(() => client.frames.length > 0, 'WELCOME');
  return client;
}

async function closeOf(client: TestClient): Promise<number | undefined> {
  await until(() => client.socket.closes.length > 0, 'the close');
  expect(Buffer.byteLength(client.socket.closes[0]?.reason ?? '')).toBeLessThanOrEqual(123);
  return client.socket.closeCode;
}

describe('PlayerAuthenticator', () => {
  const players = new PlayerAuthenticator({ tokens: TOKENS, isAnonymousAllowed: true });

  it('takes the token of HELLO before that of the handshake, and does not look behind it', async () => {
    const [ofA, ofB] = [await TOKENS.sign('a', 60), await TOKENS.sign('b', 60)];
    const handshake: Handshake = { ...BARE_HANDSHAKE, token: ofB };
    expect(await players.authenticate(ofA, handshake)).toMatchObject({ kind: 'player', playerId: 'a' });
    expect(await players.authenticate(null, handshake)).toMatchObject({ kind: 'player', playerId: 'b' });
    await expect(players.authenticate('forged', handshake)).rejects.toMatchObject({
      closeCode: CloseCode.unauthorized,
    });
  });

  it('lets anonymous sessions watch the top and nothing else, or refuses them where that is set', async () => {
    const nobody = await players.authenticate(null, BARE_HANDSHAKE);
    expect([WindowKind.top, WindowKind.me, WindowKind.friends].map((kind) => nobody.mayWatch('arena', kind))).toEqual([
      true,
      false,
      false,
    ]);
    const strict = new PlayerAuthenticator({ tokens: TOKENS, isAnonymousAllowed: false });
    await expect(strict.authenticate(null, BARE_HANDSHAKE)).rejects.toMatchObject({
      closeCode: CloseCode.unauthorized,
    });
  });

  it('says what is wrong with a token, and nothing of it', async () => {
    const token = await TOKENS.sign('secret-player', -60);
    const error = await players.authenticate(token, BARE_HANDSHAKE).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HelloRefusedError);
    expect(String(error)).toContain('expired');
    expect(String(error)).not.toContain('secret-player');
  });
});

describe('HELLO', () => {
  it('whose token cannot be checked now is closed with 4500, which says to come again', async () => {
    named.before = () => {
      throw new StoreUnavailableError('the keys at https://login.example cannot be read');
    };
    const client = new TestClient(rig);
    client.hello('a');
    expect(await closeOf(client)).toBe(CloseCode.internal);
    expect(client.socket.closes[0]?.reason).toBe('the token cannot be checked now');
    expect(rig.logged).toEqual([]);
  });

  it('whose token takes long to check has come in time; a second one meanwhile is one too many', async () => {
    const checking = gate();
    named.before = () => checking.passed;
    const [client, hasty] = [new TestClient(rig), new TestClient(rig)];
    for (const each of [client, hasty]) each.hello('a');
    hasty.hello('a');
    await turns();
    client.session.tick(performance.now() + 6_000);
    expect(client.socket.closes).toEqual([]);
    checking.open();
    await until(() => client.frames.length > 0, 'WELCOME');
    expect(await closeOf(hasty)).toBe(CloseCode.badFrame);
  });

  it('comes to nothing where the socket has gone while its token was checked', async () => {
    const checking = gate();
    named.before = () => checking.passed;
    named.principals.set('key', { ...ANONYMOUS, kind: 'key', keyId: 'k1' });
    const client = new TestClient(rig);
    client.hello('key');
    await turns();
    client.session.closed(1_006);
    checking.open();
    await turns();
    expect([client.frames, client.socket.closes, named.watched.size]).toEqual([[], [], 0]);
  });
});

describe('A private window', () => {
  it('is that of the session, whatever else its args say', async () => {
    const client = await greeted('b');
    await answered(client, client.subscribe(WindowKind.me, ['a', ['a']]));
    const friends = await answered(client, client.subscribe(WindowKind.friends, [10, true, 'a', 'c']));
    await until(() => client.types().includes(FrameType.snapshot), 'the friends');
    expectMe(client, rig, 'b');
    expect(
      client
        .friends(Number(friends?.[2]))
        .read(false)
        .entries.map((row) => row.playerId),
    ).toEqual(['b']);
    // Another text in the args makes no second window either.
    const again = await answered(client, client.subscribe(WindowKind.me, ['c']));
    expect(again?.[2]).toBe([...client.windows.keys()][0]);
  });

  it('is refused with 401 to anonymous sessions, and nothing is told', async () => {
    const client = await greeted(null);
    for (const kind of [WindowKind.me, WindowKind.friends]) {
      const answer = await answered(client, client.subscribe(kind, [10, true, 'a']));
      expect(answer?.slice(2, 3)).toEqual([401]);
    }
    expect(client.types()).toEqual([FrameType.welcome, FrameType.error, FrameType.error]);
  });
});

describe('An overlay key', () => {
  const overlay: Principal = {
    kind: 'key',
    playerId: null,
    keyId: 'k1',
    expiresAt: null,
    mayWatch: (boardId, kind) => boardId === 'arena' && kind === WindowKind.top,
  };

  it('watches what it is bound to; 403 for the rest', async () => {
    named.principals.set('key', overlay);
    const client = await greeted('key');
    expect(client.frames[0]?.[5]).toBeNull();
    expect((await answered(client, client.subscribe(WindowKind.top)))?.[0]).toBe(FrameType.subscribed);
    // A season of the board is the board.
    expect((await answered(client, client.subscribe(WindowKind.top, [2], 'arena;s=7')))?.[0]).toBe(
      FrameType.subscribed,
    );
    expect((await answered(client, client.subscribe(WindowKind.me)))?.slice(2, 3)).toEqual([403]);
    expect((await answered(client, client.refresh('a')))?.slice(2, 3)).toEqual([403]);
  });

  it('bound to other boards or windows, or to a player, watches those only', async () => {
    named.principals.set('elsewhere', { ...overlay, mayWatch: (boardId) => boardId === 'other' });
    named.principals.set('own', { ...overlay, playerId: 'a', mayWatch: (_, kind) => kind === WindowKind.me });
    const elsewhere = await greeted('elsewhere');
    expect((await answered(elsewhere, elsewhere.subscribe(WindowKind.top)))?.slice(2, 3)).toEqual([403]);
    const own = await greeted('own');
    expect((await answered(own, own.subscribe(WindowKind.top)))?.slice(2, 3)).toEqual([403]);
    expect((await answered(own, own.subscribe(WindowKind.friends)))?.slice(2, 3)).toEqual([403]);
    await answered(own, own.subscribe(WindowKind.me));
    await until(() => own.types().includes(FrameType.rank), 'RANK');
    expectMe(own, rig, 'a');
    // Else whoever has the player's token besides would turn the overlay into a session of the player.
    expect((await answered(own, own.refresh('a')))?.slice(2, 3)).toEqual([403]);
    expect((await answered(own, own.subscribe(WindowKind.top)))?.slice(2, 3)).toEqual([403]);
  });

  it('that is revoked closes its sessions with 4410; who has left is not watched any more', async () => {
    named.principals.set('key', overlay);
    const client = await greeted('key');
    named.watched.get('k1')?.();
    expect(await closeOf(client)).toBe(CloseCode.revoked);
    expect(named.watched.size).toBe(0);
    const leaving = await greeted('key');
    expect(named.watched.size).toBe(1);
    leaving.session.closed(1_006);
    expect(named.watched.size).toBe(0);
  });

  it('that is revoked at the moment of HELLO greets nobody', async () => {
    named.principals.set('key', overlay);
    named.onWatch = (onRevoked) => onRevoked();
    const client = new TestClient(rig);
    client.hello('key');
    expect(await closeOf(client)).toBe(CloseCode.revoked);
    await turns();
    client.session.failed();
    expect([client.frames, client.socket.closes.length, named.watched.size]).toEqual([[], 1, 0]);
  });
});

describe('Sessions of a player', () => {
  it('one too many closes his oldest with 4409, and nobody else', async () => {
    const [first, other, second] = [await greeted('a'), await greeted('b'), await greeted('a')];
    const third = await greeted('a');
    expect(await closeOf(first)).toBe(CloseCode.replaced);
    second.session.closed(1_006);
    const fourth = await greeted('a');
    expect([other, third, fourth].flatMap((client) => client.socket.closes)).toEqual([]);
  });

  it('that greet at the same moment are no more than allowed either', async () => {
    const checking = gate();
    named.before = () => checking.passed;
    const clients = Array.from({ length: 5 }, () => new TestClient(rig));
    for (const client of clients) client.hello('a');
    await turns();
    checking.open();
    await until(() => clients.slice(3).every((client) => client.frames.length > 0), 'the last two are greeted');
    await turns();
    expect(clients.map((client) => client.socket.closeCode)).toEqual([4409, 4409, 4409, undefined, undefined]);
  });

  it('that are refused take no place', async () => {
    const kept = [await greeted('a'), await greeted('a')];
    for (let n = 0; n < 3; n++) {
      const forged = new TestClient(rig);
      forged.hello('forged');
      expect(await closeOf(forged)).toBe(CloseCode.unauthorized);
    }
    for (let n = 0; n < 5; n++) await greeted(null);
    expect(kept.flatMap((client) => client.socket.closes)).toEqual([]);
  });

  it('lose no place to one that left while its token was checked, though it greets last', async () => {
    const kept = [await greeted('a'), await greeted('a')];
    const checking = gate();
    named.before = () => checking.passed;
    const leaving = new TestClient(rig);
    leaving.hello('a');
    await turns();
    leaving.session.closed(1_006);
    checking.open();
    await turns();
    expect(kept.flatMap((client) => client.socket.closes)).toEqual([]);
  });

  it('are counted by the gateway over all its sockets', async () => {
    const gateway = new Gateway(rig.sessionOptions);
    const clients = Array.from({ length: 3 }, () => new TestClient(rig));
    const listeners = clients.map((client) => gateway.open(client.socket, BARE_HANDSHAKE));
    for (const [index, listener] of listeners.entries()) {
      listener.received(encodeFrame([FrameType.hello, 'a', 'test/1', 3]));
      await until(() => (clients[index]?.frames.length ?? 0) > 0, 'WELCOME');
    }
    expect(clients.map((client) => client.socket.closeCode)).toEqual([4409, undefined, undefined]);
    gateway.close();
  });
});

describe('GOAWAY', () => {
  it('reaches sessions that were greeted, at once and as the very bytes that all get; windows may be opened still', async () => {
    const [client, waiting] = [await greeted('a'), new TestClient(rig)];
    client.clear();
    const frame = encodeFrame([FrameType.goaway, GoawayReason.drain, 5_000, 10_000, null]);
    for (const each of [client, waiting]) each.session.goAway(frame);
    expect(client.socket.sent[0]).toBe(frame);
    expect(client.frames).toEqual([[FrameType.goaway, 1, 5_000, 10_000, null]]);
    expect(waiting.frames).toEqual([]);
    await answered(client, client.subscribe(WindowKind.me));
    await until(() => client.types().includes(FrameType.rank), 'RANK');
    rig.ranking.apply(['a', score(50)]);
    await vi.waitFor(() => expectMe(client, rig, 'a'));
  });
});
