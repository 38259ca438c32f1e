import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CloseCode } from '../../proto/close-codes.js';
import { FrameType, MAX_CLIENT_FRAME_BYTES, WindowKind } from '../../proto/frames.js';
import { Gateway } from '../../src/gateway/gateway.js';
import { PlayerTokens } from '../../src/ops/player-tokens.js';
import { turns } from '../views/support/view-rig.js';
import { BARE_HANDSHAKE, fakeRig, type GatewayRig, LIMITS, until } from './support/gateway-rig.js';
import { MemorySocket } from './support/memory-socket.js';
import { TestClient } from './support/test-client.js';

let rig: GatewayRig;

beforeEach(() => {
  rig = fakeRig({ a: 3, b: 2 });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  rig.close();
});

async function closeCodeOf(client: TestClient): Promise<number | undefined> {
  await until(() => client.socket.closes.length > 0, 'the socket was closed');
  return client.socket.closeCode;
}

describe('Session handshake', () => {
  it('greets with who the session is, the limits and the caps it will use', async () => {
    const client = new TestClient(rig);
    client.hello(await rig.tokens.sign('a', 600), 1 | 2 | 64);
    await until(() => client.frames.length > 0, 'WELCOME');
    const [type, sessionId, now, heartbeatMs, expiresInMs, playerId, limits, caps, build] = client.frames[0] ?? [];
    expect([type, heartbeatMs, playerId, limits, caps, build]).toEqual([
      2,
      25_000,
      'a',
      [32, 4_096, 30, 65_536],
      3,
      'test',
    ]);
    expect(sessionId).toMatch(/^\S{8,}$/);
    expect(Math.abs(Number(now) - Date.now())).toBeLessThan(5_000);
    expect(Number(expiresInMs)).toBeGreaterThan(590_000);
    expect(Number(expiresInMs)).toBeLessThanOrEqual(600_000);
  });

  it('lets an anonymous session in, without a player and without an end', async () => {
    const client = await rig.client();
    expect(client.frames[0]?.slice(4, 6)).toEqual([null, null]);
    expect(client.socket.closes).toEqual([]);
  });

  it('answers frames that came while the token was checked, after WELCOME', async () => {
    const client = new TestClient(rig);
    client.hello(await rig.tokens.sign('a', 600));
    client.subscribe(3);
    client.send([FrameType.ping, 7]);
    await until(() => client.types().includes(FrameType.pong), 'PONG');
    expect(client.types().slice(0, 2)).toEqual([FrameType.welcome, FrameType.subscribed]);
    expect(client.socket.closes).toEqual([]);
  });

  it('says that frames were too many after WELCOME, like all else', async () => {
    const client = new TestClient(rig);
    client.hello(await rig.tokens.sign('a', 600));
    for (let count = 0; count < LIMITS.frames; count += 1) client.send([FrameType.ping, count]);
    await until(() => client.types().includes(FrameType.error), 'ERROR 429');
    expect(client.types()[0]).toBe(FrameType.welcome);
    expect(client.types().filter((type) => type === FrameType.pong)).toHaveLength(LIMITS.frames - 1);
    expect(client.socket.closes).toEqual([]);
  });

  const before: Record<string, readonly unknown[]> = {
    PING: [FrameType.ping, 1],
    SUBSCRIBE: [FrameType.subscribe, 1, 1, 'arena', []],
    'a frame of an unknown type': [99, 'x'],
  };
  for (const [name, frame] of Object.entries(before)) {
    it(`closes with 4401 at ${name} before HELLO`, async () => {
      const client = new TestClient(rig);
      client.send(frame);
      expect(await closeCodeOf(client)).toBe(CloseCode.unauthorized);
      expect(client.frames).toEqual([]);
    });
  }

  it('closes with 4401 at a forged, an expired and a broken token', async () => {
    const forged = await new PlayerTokens({ secret: 'ffffffffffffffffffffffffffffffff' }).sign('a', 600);
    const expired = await rig.tokens.sign('a', -3_600);
    for (const token of [forged, expired, 'not.a.token', '']) {
      const client = new TestClient(rig);
      client.hello(token);
      expect(await closeCodeOf(client)).toBe(CloseCode.unauthorized);
      expect(client.frames).toEqual([]);
    }
  });

  it('closes with 4400 at a second HELLO', async () => {
    const client = await rig.client();
    client.hello();
    expect(await closeCodeOf(client)).toBe(CloseCode.badFrame);
  });

  it('closes with 4400 at bytes that are no frame and at wrong fields, and that socket only', async () => {
    const neighbour = await rig.client();
    for (const bytes of [[], [0xc1], [0x91, 0x03, 0x00], [0x81, 0xa1, 0x61, 0x01], [0x92, 0x12, 0xa1, 0x61]]) {
      const client = await rig.client();
      client.session.received(new Uint8Array(bytes));
      expect(await closeCodeOf(client)).toBe(CloseCode.badFrame);
      expect(Buffer.byteLength(client.socket.closes[0]?.reason ?? '')).toBeLessThanOrEqual(123);
    }
    neighbour.send([FrameType.ping, 5]);
    await until(() => neighbour.types().includes(FrameType.pong), 'PONG');
    expect(rig.logged).toEqual([]);
  });

  it('closes with 1009 at a frame above the limit and takes one at the limit', async () => {
    const bytes = (size: number) =>
      Buffer.concat([Buffer.from([0x92, 99, 0xda, (size - 5) >> 8, (size - 5) & 0xff]), Buffer.alloc(size - 5, 'x')]);
    const client = await rig.client();
    client.session.received(bytes(MAX_CLIENT_FRAME_BYTES));
    await until(() => client.types().includes(FrameType.error), 'ERROR');
    expect(client.socket.closes).toEqual([]);
    client.session.received(bytes(MAX_CLIENT_FRAME_BYTES + 1));
    expect(await closeCodeOf(client)).toBe(CloseCode.frameTooBig);
  });

  it('closes with 1009 at a frame above the limit also where that is more than all bytes of 10 s', async () => {
    Object.assign(rig.sessionOptions.limits, { bytes: MAX_CLIENT_FRAME_BYTES });
    const client = new TestClient(rig);
    client.hello('x'.repeat(MAX_CLIENT_FRAME_BYTES + 1));
    expect(await closeCodeOf(client)).toBe(CloseCode.frameTooBig);
    expect(client.frames).toEqual([]);
  });

  it('closes with 4408 when HELLO has not come within 5 s', async () => {
    const client = new TestClient(rig);
    const now = performance.now();
    client.session.tick(now + 4_900);
    expect(client.socket.closes).toEqual([]);
    client.session.tick(now + 5_100);
    expect(client.socket.closeCode).toBe(CloseCode.helloLate);
    const greeted = await rig.client();
    greeted.session.tick(now + 6_000);
    expect(greeted.socket.closes).toEqual([]);
  });

  it('closes with 4401 some time after the token has ended', async () => {
    const client = await rig.client('a');
    const end = Date.now() + 3_600_000;
    const clock = vi.spyOn(Date, 'now');
    clock.mockReturnValue(end + 20_000);
    client.session.tick(performance.now());
    expect(client.socket.closes).toEqual([]);
    clock.mockReturnValue(end + 27_000);
    client.session.tick(performance.now());
    expect(client.socket.closeCode).toBe(CloseCode.unauthorized);
  });

  it('says nothing more, and acts on nothing, after it closed the socket', async () => {
    const client = await rig.client('a');
    client.subscribe(3);
    await until(() => client.types().includes(FrameType.rank), 'RANK');
    client.session.received(new Uint8Array([0xc1]));
    client.clear();
    client.send([FrameType.ping, 1]);
    client.session.drained();
    client.session.closed(1_006);
    client.session.tick(performance.now() + 60_000);
    rig.ranking.apply(['a', 1]);
    await turns();
    expect(client.frames).toEqual([]);
    expect(client.socket.closes).toHaveLength(1);
    expect(rig.hub.view.trackedCount).toBe(0);
  });
});

describe('Session life', () => {
  it('answers PING with its nonce, and a frame of an unknown type with ERROR 400', async () => {
    const client = await rig.client();
    client.clear();
    client.send([FrameType.ping, 41]);
    client.send([FrameType.ping]);
    client.send([250, 'from a newer client']);
    client.send([FrameType.snapshot, 1]);
    client.send([FrameType.ping, 42]);
    await until(() => client.frames.length === 5, 'five answers');
    expect(client.frames.map((frame) => frame.slice(0, frame[0] === FrameType.error ? 3 : 2))).toEqual([
      [4, 41],
      [4, null],
      [5, 0, 400],
      [5, 0, 400],
      [4, 42],
    ]);
    expect(client.socket.closes).toEqual([]);
  });

  it('sends PING to a socket that heard nothing for 25 s, and not to others', async () => {
    const client = await rig.client();
    client.clear();
    const now = performance.now();
    // WELCOME is what it heard last.
    for (const seconds of [1, 24, 25.9]) client.session.tick(now + seconds * 1_000);
    expect(client.frames).toEqual([]);
    client.session.tick(now + 26_500);
    expect(client.frames).toEqual([[FrameType.ping]]);
    client.session.tick(now + 27_500);
    client.session.tick(now + 50_000);
    expect(client.frames).toEqual([[FrameType.ping]]);
  });

  it('refuses the 31st frame of 10 s with ERROR 429 and goes on; a client that goes on as well is closed with 4429', async () => {
    const clock = vi.spyOn(performance, 'now');
    clock.mockReturnValue(1_000_000);
    const client = await rig.client();
    client.clear();
    for (let nonce = 2; nonce <= 31; nonce++) client.send([FrameType.ping, nonce]);
    await until(() => client.frames.length === 30, 'thirty answers');
    const refused = client.frames.find((frame) => frame[0] === FrameType.error);
    expect(refused).toEqual([5, 0, 429, expect.any(String), 10_000]);
    expect(client.types().filter((type) => type === FrameType.pong)).toHaveLength(29);

    clock.mockReturnValue(1_010_001);
    client.send([FrameType.ping, 99]);
    await until(() => client.frames.at(-1)?.[1] === 99, 'PONG in the next 10 s');

    for (let nonce = 0; nonce < 60; nonce++) client.send([FrameType.ping, nonce]);
    expect(await closeCodeOf(client)).toBe(CloseCode.tooMany);
  });

  it('takes as many frames at once as the limit in WELCOME says', async () => {
    Object.assign(rig.sessionOptions.limits, { topics: 200, frames: 200, bytes: 65_536 });
    const client = await rig.client('a');
    for (let count = 0; count < 199; count += 1) client.subscribe(WindowKind.me);
    await until(() => client.types().filter((type) => type === FrameType.subscribed).length === 199, 'all answers');
    expect(client.socket.closes).toEqual([]);
  });

  it('closes with 4508 when the socket takes nothing for 30 s', async () => {
    const client = await rig.client();
    client.socket.answer = 'queued';
    client.send([FrameType.ping, 1]);
    await turns();
    const now = performance.now();
    client.session.tick(now + 29_000);
    expect(client.socket.closes).toEqual([]);
    client.session.tick(now + 30_500);
    expect(client.socket.closeCode).toBe(CloseCode.tooSlow);
  });

  it('closes with 4508 when the socket dropped bytes', async () => {
    const client = await rig.client();
    client.socket.answer = 'dropped';
    client.send([FrameType.ping, 1]);
    expect(await closeCodeOf(client)).toBe(CloseCode.tooSlow);
  });

  it('closes with 4500 where its own work fails', async () => {
    const client = await rig.client();
    client.subscribe(1);
    await until(() => client.types().includes(FrameType.snapshot), 'SNAPSHOT');
    rig.counters.resynced = () => {
      throw new Error('a defect');
    };
    const [topic] = client.windows.keys();
    client.send([FrameType.resync, topic, 0, 0, 1]);
    expect(await closeCodeOf(client)).toBe(CloseCode.internal);
    const sessionId = client.frames[0]?.[1];
    expect(rig.logged).toMatchObject([{ level: 50, msg: 'session.defect', err: { message: 'a defect' }, sessionId }]);
  });
});

describe('Gateway', () => {
  it('counts sockets, ends quiet ones by its own clock, and tells all to come back when it stops', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const gateway = new Gateway(rig.sessionOptions);
    const [silent, greeted, gone] = [new MemorySocket(), new MemorySocket(), new MemorySocket()];
    gateway.open(silent, BARE_HANDSHAKE);
    const listener = gateway.open(greeted, BARE_HANDSHAKE);
    const leaving = gateway.open(gone, BARE_HANDSHAKE);
    expect([gateway.sessionCount, rig.counters.openSockets]).toEqual([3, 3]);
    leaving.closed(1_006);
    expect([gateway.sessionCount, rig.counters.closeCodes]).toEqual([2, [1_006]]);
    listener.received(new Uint8Array([0x94, 0x01, 0xc0, 0xa1, 0x78, 0x03]));
    await until(() => greeted.sent.length > 0, 'WELCOME');
    await vi.advanceTimersByTimeAsync(6_000);
    expect([silent.closeCode, greeted.closeCode]).toEqual([CloseCode.helloLate, undefined]);
    gateway.close();
    expect([silent.closes.length, greeted.closeCode, gone.closeCode]).toEqual([1, CloseCode.draining, undefined]);
  });
});
