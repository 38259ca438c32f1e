/** Keys and tickets on real sockets, with a real database behind them. */

import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CloseCode } from '../../proto/close-codes.js';
import { ErrorCode, FrameType, WindowKind } from '../../proto/frames.js';
import { AccessKeys } from '../../src/access/access-keys.js';
import { KeyWatch } from '../../src/access/key-watch.js';
import { Tickets } from '../../src/access/tickets.js';
import { AccessAuthenticator } from '../../src/gateway/access-authenticator.js';
import { Gateway } from '../../src/gateway/gateway.js';
import { PlayerAuthenticator } from '../../src/gateway/player-authenticator.js';
import { fakeRig } from '../gateway/support/gateway-rig.js';
import { LiveGateway, type LiveSocket } from '../gateway/support/live-gateway.js';
import { createTruthDatabase, silent, type TruthDatabase } from '../truth/truth-database.js';
import { draft } from './drafts.js';

let database: TruthDatabase;
let keys: AccessKeys;
let tickets: Tickets;
let watch: KeyWatch;
let gateway: Gateway;
let live: LiveGateway;
const rig = fakeRig({ a: 30, b: 20 });

beforeAll(async () => {
  database = await createTruthDatabase();
  keys = new AccessKeys(database.access);
  tickets = new Tickets({ database: database.access });
  watch = new KeyWatch({ database: database.access, logger: silent });
  const players = new PlayerAuthenticator({ tokens: rig.tokens, isAnonymousAllowed: false });
  const authenticator = new AccessAuthenticator({ players, keys, tickets, watch });
  gateway = new Gateway({ ...rig.sessionOptions, authenticator });
  live = await LiveGateway.start({ open: (socket, handshake) => gateway.open(socket, handshake) });
});

beforeEach(() => live.forgetSockets());

afterAll(async () => {
  gateway.close();
  live.close();
  rig.close();
  await watch.close();
  await database.drop();
});

/** The code of the answer to SUBSCRIBE: 200, or that of the ERROR. */
async function subscribe(socket: LiveSocket, kind: number): Promise<number> {
  const answers = () => socket.frames.filter(([type]) => type === FrameType.subscribed || type === FrameType.error);
  const seen = answers().length;
  socket.send([FrameType.subscribe, seen + 1, kind, 'arena', [], null, null]);
  await vi.waitFor(() => expect(answers().length).toBe(seen + 1), 5_000);
  const answer = answers()[seen];
  return answer?.[0] === FrameType.error ? answer[2] : 200;
}

describe('an overlay on a socket', () => {
  it('sees the top that its key is for, and no player', async () => {
    const { key } = await keys.create(draft());
    const socket = await live.socket().greeted(key);
    expect(await subscribe(socket, WindowKind.top)).toBe(200);
    expect(await subscribe(socket, WindowKind.me)).toBe(ErrorCode.forbidden);
    expect(await subscribe(socket, WindowKind.friends)).toBe(ErrorCode.forbidden);
  });

  it('sees no other board than that of its key', async () => {
    const { key } = await keys.create(draft({ boards: ['duel'] }));
    const socket = await live.socket().greeted(key);
    expect(await subscribe(socket, WindowKind.top)).toBe(ErrorCode.forbidden);
  });

  it('sees its player where the key says so, and only what it says', async () => {
    const { key } = await keys.create(draft({ windows: ['me'], playerId: 'a' }));
    const socket = await live.socket().greeted(key);
    expect(socket.frames[0]).toMatchObject({ 0: FrameType.welcome, 5: 'a' });
    expect(await subscribe(socket, WindowKind.me)).toBe(200);
    expect(await subscribe(socket, WindowKind.friends)).toBe(ErrorCode.forbidden);
    expect(await subscribe(socket, WindowKind.top)).toBe(ErrorCode.forbidden);
  });

  it('is closed with 4410 when its key is revoked, and let in no more; others stay', async () => {
    const [one, other] = [await keys.create(draft()), await keys.create(draft())];
    const socket = await live.socket().greeted(one.key);
    const staying = await live.socket().greeted(other.key);
    await keys.revoke(one.keyId);
    expect(await socket.untilClosed()).toBe(CloseCode.revoked);
    const again = await live.socket().untilOpen();
    again.send([FrameType.hello, one.key, 'test/1', 3]);
    expect(await again.untilClosed()).toBe(CloseCode.revoked);
    expect(staying.closeCode).toBeUndefined();
  });

  it('may bring its key in the handshake', async () => {
    const { key } = await keys.create(draft());
    await live.socket({ headers: { authorization: `Bearer ${key}` } }).greeted();
  });
});

describe('a ticket in the URL', () => {
  it('lets its player in once', async () => {
    const { ticket } = await tickets.issue({ kind: 'player', playerId: 'a', expiresAt: Date.now() + 60_000 });
    const path = `/v1/socket?ticket=${ticket}`;
    const socket = await live.socket({ path }).greeted();
    expect(socket.frames[0]).toMatchObject({ 0: FrameType.welcome, 5: 'a' });
    expect(await subscribe(socket, WindowKind.me)).toBe(200);
    const second = await live.socket({ path }).untilOpen();
    second.send([FrameType.hello, null, 'test/1', 3]);
    expect(await second.untilClosed()).toBe(CloseCode.unauthorized);
    expect(second.closeReason).not.toContain(ticket);
  });
});
