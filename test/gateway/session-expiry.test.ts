/** A25 on sockets in memory, by a clock of the test: the end of a token, and its refresh. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CloseCode } from '../../proto/close-codes.js';
import { FrameType, WindowKind } from '../../proto/frames.js';
import { PlayerAuthenticator } from '../../src/gateway/player-authenticator.js';
import type { Authenticator } from '../../src/gateway/principal.js';
import { PlayerTokens } from '../../src/ops/player-tokens.js';
import { gate } from '../views/support/fake-ranking.js';
import { turns } from '../views/support/view-rig.js';
import {
  answered,
  expectFriends,
  expectMe,
  expectTop,
  fakeRig,
  type GatewayRig,
  score,
  until,
} from './support/gateway-rig.js';
import { TestClient } from './support/test-client.js';

const GRACE_MS = 2_000;

let rig: GatewayRig;
/** Runs before a token is checked. */
const onCheck = vi.fn<() => Promise<void> | void>();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'] });
  // Tokens end at whole seconds.
  vi.setSystemTime(Math.ceil(Date.now() / 1_000) * 1_000);
  onCheck.mockReset();
  rig = rigWithGrace();
});
afterEach(() => {
  rig.close();
  vi.useRealTimers();
});

function rigWithGrace(): GatewayRig {
  const tokens = new PlayerTokens({ secret: '0123456789abcdef0123456789abcdef', graceMs: GRACE_MS });
  const players = new PlayerAuthenticator({ tokens, isAnonymousAllowed: true });
  const authenticator: Authenticator = {
    authenticate: async (token, handshake) => {
      await onCheck();
      return await players.authenticate(token, handshake);
    },
    watchKey: () => players.watchKey(),
  };
  const made = fakeRig({ a: 30, b: 20, c: 10 }, 5, { authenticator, graceMs: GRACE_MS });
  made.friends.lists.set('a', ['b', 'c']);
  return made;
}

async function clientFor(playerId: string, lifetimeSec: number): Promise<TestClient> {
  const client = new TestClient(rig);
  client.hello(await rig.tokens.sign(playerId, lifetimeSec));
  await until(() => client.frames.length > 0, 'WELCOME');
  return client;
}

/** With its own rank, friends and top, all shown. */
async function watching(lifetimeSec: number): Promise<TestClient> {
  const client = await clientFor('a', lifetimeSec);
  for (const kind of [WindowKind.me, WindowKind.friends, WindowKind.top])
    await answered(client, client.subscribe(kind));
  await until(() => client.types().filter((type) => type === FrameType.snapshot).length === 2, 'both snapshots');
  return client;
}

/** Lets time pass, for the session's clock of a second too. */
async function pass(client: TestClient, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 500) {
    await vi.advanceTimersByTimeAsync(Math.min(left, 500));
    client.session.tick(performance.now());
  }
  await turns();
}

/** Somebody's result, and all that comes of it. */
async function result(client: TestClient, playerId: string, points: number): Promise<void> {
  rig.ranking.apply([playerId, score(points)]);
  await pass(client, 950);
}

function topicsOf(client: TestClient): Set<unknown> {
  const bearing: readonly number[] = [FrameType.rank, FrameType.snapshot, FrameType.delta, FrameType.sync];
  return new Set(client.frames.filter((frame) => bearing.includes(frame[0])).map((frame) => frame[1]));
}

function topTopic(client: TestClient): number {
  const topic = [...client.windows.keys()].find((number) => number < 2 ** 31);
  if (topic === undefined) throw new Error('no top window');
  return topic;
}

describe('The end of a token', () => {
  it('silences own rank and friends, leaves the top, and closes with 4401 after the grace (A25)', async () => {
    const client = await watching(5);
    await pass(client, 3_000);
    await result(client, 'b', 25);
    expect(topicsOf(client).size).toBe(3);
    await pass(client, 1_100);
    client.clear();
    await result(client, 'a', 40);
    expect(topicsOf(client)).toEqual(new Set([topTopic(client)]));
    expectTop(client, rig);
    expect(client.socket.closes).toEqual([]);
    await pass(client, 900);
    expect(client.socket.closes).toEqual([]);
    await pass(client, 100);
    expect(client.socket.closes).toEqual([{ code: CloseCode.unauthorized, reason: 'the token has expired' }]);
  });

  it('is kept to between two looks of a second', async () => {
    const client = await watching(5);
    await pass(client, 4_500);
    await vi.advanceTimersByTimeAsync(550);
    client.clear();
    rig.ranking.apply(['a', score(50)]);
    await turns();
    expect(client.types()).not.toContain(FrameType.rank);
    await vi.advanceTimersByTimeAsync(1_900);
    expect(client.socket.closes).toEqual([]);
    await vi.advanceTimersByTimeAsync(100);
    expect(client.socket.closeCode).toBe(CloseCode.unauthorized);
  });

  it('also holds for what waited in a full socket', async () => {
    const client = await watching(5);
    await pass(client, 4_000);
    client.socket.answer = 'queued';
    client.send([FrameType.ping, 1]);
    await turns();
    client.clear();
    await result(client, 'a', 40);
    await pass(client, 200);
    client.socket.answer = 'sent';
    client.session.drained();
    expect(topicsOf(client)).toEqual(new Set([topTopic(client)]));
  });

  it('also holds for the rest of what a full socket cut, which is made up for after REFRESH', async () => {
    const friends = Array.from({ length: 3_000 }, (_, index) => `player-${index}`);
    rig.friends.lists.set('a', friends);
    const client = await clientFor('a', 5);
    client.socket.answer = 'queued';
    client.send([FrameType.ping, 1]);
    client.subscribe(WindowKind.friends);
    client.subscribe(WindowKind.top);
    await until(() => rig.counters.topics.get('top') === 1, 'both windows are open');
    client.session.drained();
    expect(client.types()).toContain(FrameType.subscribed);
    await pass(client, 5_100);
    client.clear();
    client.socket.answer = 'sent';
    client.session.drained();
    expect(topicsOf(client)).toEqual(new Set([topTopic(client)]));
    expectTop(client, rig, 5, topTopic(client));
    await answered(client, client.refresh(await rig.tokens.sign('a', 60)));
    await turns();
    expect(client.friends().read(false).entries).toHaveLength(1 + friends.length);
  });

  it('also holds for a window that ends meanwhile: its end is told after REFRESH', async () => {
    const client = await clientFor('a', 5);
    await answered(client, client.subscribe(WindowKind.friends, [2]));
    await pass(client, 5_100);
    client.clear();
    rig.friends.change('a', ['b', 'c', 'd']);
    await turns();
    client.send([FrameType.ping, 1]);
    await turns();
    expect(client.types()).toEqual([FrameType.pong]);
    await answered(client, client.refresh(await rig.tokens.sign('a', 60)));
    await turns();
    expect(client.frames.at(-1)?.slice(0, 4)).toEqual([FrameType.unsubscribed, 0, expect.any(Number), 413]);
  });

  it('refuses SUBSCRIBE of private windows with 401, answers no RESYNC of them, and opens the top', async () => {
    const client = await clientFor('a', 3);
    const me = await answered(client, client.subscribe(WindowKind.me));
    await pass(client, 3_000);
    client.clear();
    expect((await answered(client, client.subscribe(WindowKind.friends)))?.slice(0, 3)).toEqual([5, 2, 401]);
    expect((await answered(client, client.subscribe(WindowKind.me)))?.slice(0, 3)).toEqual([5, 3, 401]);
    client.send([FrameType.resync, me?.[2], 0, 0, 1]);
    expect((await answered(client, client.subscribe(WindowKind.top)))?.[0]).toBe(FrameType.subscribed);
    await turns();
    expect(client.types()).not.toContain(FrameType.rank);
    expect(client.types()).toContain(FrameType.snapshot);
  });

  it('may fall into the opening of a window: nothing of it is sent then', async () => {
    const client = await clientFor('a', 3);
    const reading = gate();
    rig.friends.lists.set('a', ['b']);
    rig.friends.afterRead = () => reading.passed;
    const reqId = client.subscribe(WindowKind.friends);
    await turns();
    await pass(client, 3_000);
    reading.open();
    await answered(client, reqId);
    await turns();
    expect(client.types()).not.toContain(FrameType.snapshot);
    await answered(client, client.refresh(await rig.tokens.sign('a', 60)));
    await until(() => client.types().includes(FrameType.snapshot), 'the window is shown');
    expectFriends(client, rig, ['a', 'b']);
  });

  it('lets HELLO in within the grace, silent until REFRESH', async () => {
    const client = await clientFor('a', -1);
    expect(client.frames[0]?.slice(4, 6)).toEqual([0, 'a']);
    expect((await answered(client, client.subscribe(WindowKind.me)))?.slice(2, 3)).toEqual([401]);
    const refreshed = await answered(client, client.refresh(await rig.tokens.sign('a', 60)));
    expect(refreshed).toEqual([FrameType.refreshed, 2, 60_000]);
    expect((await answered(client, client.subscribe(WindowKind.me)))?.[0]).toBe(FrameType.subscribed);
    await pass(client, 3_000);
    expect(client.socket.closes).toEqual([]);
  });

  it('that lies years ahead fits the field, and one that is nowhere is nil', async () => {
    const far = await clientFor('a', 3_600 * 24 * 365);
    expect(far.frames[0]?.[4]).toBe(2 ** 32 - 1);
    const none = await rig.client();
    expect(none.frames[0]?.[4]).toBeNull();
    await pass(far, 60_000);
    expect(far.socket.closes).toEqual([]);
  });
});

describe('REFRESH', () => {
  it('before the end: no gap, no second subscription, and the old end passes (A25)', async () => {
    const client = await watching(5);
    await pass(client, 3_000);
    client.clear();
    const token = await rig.tokens.sign('a', 60);
    expect(await answered(client, client.refresh(token))).toEqual([FrameType.refreshed, 4, 60_000]);
    await turns();
    // The private windows come whole, once; the top goes on as it was.
    expect(client.types()).toEqual([FrameType.refreshed, FrameType.rank, FrameType.snapshot]);
    await pass(client, 6_000);
    client.clear();
    await result(client, 'a', 15);
    expect(client.types().filter((type) => type === FrameType.rank)).toHaveLength(1);
    expectMe(client, rig, 'a');
    expectFriends(client, rig, ['a', 'b', 'c']);
    expectTop(client, rig, 5, topTopic(client));
    expect([...rig.counters.topics.values()]).toEqual([1, 1, 1]);
    expect(client.socket.closes).toEqual([]);
    await pass(client, 60_000);
    expect(client.socket.closeCode).toBe(CloseCode.unauthorized);
  });

  it('in the grace shows what was missed', async () => {
    const client = await watching(5);
    await pass(client, 5_000);
    await result(client, 'a', 15);
    rig.friends.change('a', ['c']);
    await turns();
    expect(client.me().read(false).score).toBe(30);
    await answered(client, client.refresh(await rig.tokens.sign('a', 60)));
    await turns();
    expectMe(client, rig, 'a');
    expectFriends(client, rig, ['a', 'c']);
    await pass(client, 3_000);
    expect(client.socket.closes).toEqual([]);
  });

  it('with a token in its grace is taken, and stays silent', async () => {
    const client = await watching(5);
    client.clear();
    const refreshed = await answered(client, client.refresh(await rig.tokens.sign('a', -1)));
    expect(refreshed).toEqual([FrameType.refreshed, 4, 0]);
    await result(client, 'a', 40);
    expect(topicsOf(client)).toEqual(new Set([topTopic(client)]));
    await pass(client, 1_000);
    expect(client.socket.closeCode).toBe(CloseCode.unauthorized);
  });

  const refused: Record<string, [number, () => Promise<string> | string]> = {
    'of another player': [403, () => rig.tokens.sign('b', 600)],
    'that is forged': [401, () => new PlayerTokens({ secret: 'f'.repeat(32) }).sign('a', 600)],
    'that has expired': [401, () => rig.tokens.sign('a', -60)],
    'that is broken': [401, () => 'not.a.token'],
    'that is empty': [401, () => ''],
  };
  for (const [name, [code, make]] of Object.entries(refused)) {
    it(`with a token ${name} is refused with ${code}, and the old end stays (A25)`, async () => {
      const client = await watching(5);
      await pass(client, 3_000);
      const answer = await answered(client, client.refresh(await make()));
      expect(answer?.slice(0, 3)).toEqual([FrameType.error, 4, code]);
      expect(JSON.stringify(answer)).not.toContain('eyJ');
      client.clear();
      await result(client, 'a', 40);
      expect(client.types()).toContain(FrameType.rank);
      await pass(client, 1_100);
      client.clear();
      await result(client, 'a', 50);
      expect(client.types()).not.toContain(FrameType.rank);
      await pass(client, 1_000);
      expect(client.socket.closeCode).toBe(CloseCode.unauthorized);
    });
  }

  it('makes no player of an anonymous session', async () => {
    const client = await rig.client();
    const answer = await answered(client, client.refresh(await rig.tokens.sign('a', 600)));
    expect(answer?.slice(0, 3)).toEqual([FrameType.error, 1, 403]);
    expect((await answered(client, client.subscribe(WindowKind.me)))?.slice(2, 3)).toEqual([401]);
  });

  it('does not hold up what is pushed while its token is checked, nor the end of the old one', async () => {
    const client = await watching(5);
    const checking = gate();
    onCheck.mockImplementation(() => checking.passed);
    const reqId = client.refresh(await rig.tokens.sign('a', 60));
    client.clear();
    await result(client, 'a', 40);
    expect(client.types()).toContain(FrameType.rank);
    await pass(client, 5_000);
    client.clear();
    await result(client, 'a', 50);
    expect(client.types()).not.toContain(FrameType.rank);
    checking.open();
    await answered(client, reqId);
    await turns();
    expectMe(client, rig, 'a');
  });

  it('comes to nothing where the session ended while its token was checked', async () => {
    const client = await watching(5);
    const checking = gate();
    onCheck.mockImplementation(() => checking.passed);
    client.refresh(await rig.tokens.sign('a', 60));
    await pass(client, 7_500);
    expect(client.socket.closeCode).toBe(CloseCode.unauthorized);
    client.clear();
    checking.open();
    await turns();
    expect(client.frames).toEqual([]);
    expect(client.socket.closes).toHaveLength(1);
  });

  it('in a storm is checked no more often than frames are allowed', async () => {
    const client = await clientFor('a', 600);
    const token = await rig.tokens.sign('a', 600);
    for (let n = 0; n < 59; n++) client.refresh(token);
    await until(() => client.types().filter((type) => type === FrameType.refreshed).length === 29, 'the answers');
    await turns();
    expect(onCheck).toHaveBeenCalledTimes(30);
    expect(client.socket.closes).toEqual([]);
    client.refresh(token);
    await until(() => client.socket.closes.length > 0, 'the close');
    expect(client.socket.closeCode).toBe(CloseCode.tooMany);
  });
});
