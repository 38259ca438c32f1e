/** A gateway that stops: who is told, how long it stays, and what is on the screens before it closes. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CloseCode } from '../../proto/close-codes.js';
import { FrameType, GoawayReason, JSON_SUBPROTOCOL, WindowKind } from '../../proto/frames.js';
import { encodeFrame } from '../../src/wire/encode.js';
import { score } from './support/gateway-rig.js';
import { LiveGateway, type LiveSocket } from './support/live-gateway.js';

const HELLO = [FrameType.hello, null, 'test/1', 3];
const RULES = { reason: GoawayReason.drain, spreadMs: 100, graceMs: 200 };
let live: LiveGateway;

beforeEach(async () => {
  live = await LiveGateway.start();
});
afterEach(() => live.close());

async function greeted(): Promise<LiveSocket> {
  const socket = live.socket();
  await vi.waitFor(() => expect(socket.opened).toBe(true));
  socket.ws.send(encodeFrame(HELLO as never));
  await vi.waitFor(() => expect(socket.frames[0]?.[0]).toBe(FrameType.welcome));
  return socket;
}

const goawaysOf = ({ frames }: LiveSocket) => frames.filter(([type]) => type === FrameType.goaway);

describe('A drain', () => {
  it('tells every session once, leaves it open for the grace, and closes with 4503', async () => {
    const [one, two] = [await greeted(), await greeted()];
    const startedAt = performance.now();
    await live.gateway.drain(RULES);
    expect(performance.now() - startedAt).toBeGreaterThan(190);
    for (const { closeCode } of [one, two]) expect(closeCode).toBeUndefined();
    live.gateway.close();
    await vi.waitFor(() => expect([one.closeCode, two.closeCode]).toEqual([CloseCode.draining, CloseCode.draining]));
    for (const socket of [one, two]) expect(goawaysOf(socket)).toEqual([[FrameType.goaway, 1, 100, 200, null]]);
  });

  it('is over as soon as the last session has gone', async () => {
    const socket = await greeted();
    const drained = live.gateway.drain({ ...RULES, graceMs: 60_000 });
    await vi.waitFor(() => expect(goawaysOf(socket)).toHaveLength(1));
    socket.ws.close(1000);
    await drained;
    expect(live.gateway.sessionCount).toBe(0);
  });

  it('tells also who is greeted during it', async () => {
    await greeted();
    const drained = live.gateway.drain(RULES);
    const late = await greeted();
    await vi.waitFor(() => expect(goawaysOf(late)).toHaveLength(1));
    await drained;
  });

  it('tells readers of JSON in JSON', async () => {
    const socket = live.socket({ protocols: [JSON_SUBPROTOCOL] });
    await vi.waitFor(() => expect(socket.opened).toBe(true));
    socket.ws.send(JSON.stringify(HELLO));
    await vi.waitFor(() => expect(socket.texts).toHaveLength(1));
    await live.gateway.drain(RULES);
    expect(JSON.parse(socket.texts[1] ?? '')).toEqual([FrameType.goaway, 1, 100, 200, null]);
  });

  it('does not wait where nobody is there, or where there is no grace', async () => {
    await live.gateway.drain({ ...RULES, graceMs: 60_000 });
    const socket = await greeted();
    await live.gateway.drain({ ...RULES, graceMs: 0 });
    expect(goawaysOf(socket)).toEqual([]);
  });
});

describe('The close of a gateway', () => {
  it('sends what waits first: the last change is on the screen', async () => {
    const socket = await greeted();
    socket.ws.send(encodeFrame([FrameType.subscribe, 1, WindowKind.top, 'arena', [3], null, null]));
    await vi.waitFor(() => expect(socket.frames.some(([type]) => type === FrameType.snapshot)).toBe(true));
    live.rig.ranking.apply(['c', score(90)]);
    live.gateway.close();
    await vi.waitFor(() => expect(socket.closeCode).toBe(CloseCode.draining));
    const last = socket.frames.at(-1);
    expect(last?.slice(0, 3)).toEqual([FrameType.delta, expect.anything(), 1]);
    expect(JSON.stringify(last)).toContain('[0,3,90');
  });
});
