/** A25 as written, over real sockets and by the real clock: a token that ends in 5 s, a grace of 2 s, results all the time. */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CloseCode } from '../../proto/close-codes.js';
import { FrameType, WindowKind } from '../../proto/frames.js';
import { Gateway } from '../../src/gateway/gateway.js';
import { PlayerAuthenticator } from '../../src/gateway/player-authenticator.js';
import { PlayerTokens } from '../../src/ops/player-tokens.js';
import { eventually } from '../contract/ranking-fixture.js';
import { until } from '../support/until.js';
import { score } from './support/gateway-rig.js';
import { LiveGateway, type LiveSocket } from './support/live-gateway.js';

const GRACE_MS = 2_000;
const LIFETIME_SEC = 5;
/** From the server's clock to the socket of the client, on a machine that does other things too. */
const SLACK_MS = 900;
/** Server and clients share this process: what holds it up is late by so much, and nobody's fault. */
const delays = monitorEventLoopDelay({ resolution: 10 });
const RESULT_EVERY_MS = 50;

const tokens = new PlayerTokens({ secret: '0123456789abcdef0123456789abcdef', graceMs: GRACE_MS });
let live: LiveGateway;
let gateway: Gateway;
let results: NodeJS.Timeout;

beforeAll(async () => {
  delays.enable();
  live = await LiveGateway.start({ open: (socket, handshake) => gateway.open(socket, handshake) });
  const authenticator = new PlayerAuthenticator({ tokens, isAnonymousAllowed: true });
  gateway = new Gateway({ ...live.rig.sessionOptions, authenticator, graceMs: GRACE_MS });
  let round = 0;
  results = setInterval(() => {
    round += 1;
    live.rig.ranking.apply(['a', score(100 + round)], ['b', score(200 + round)], ['c', score(300 + round)]);
  }, RESULT_EVERY_MS);
});
afterAll(() => {
  delays.disable();
  clearInterval(results);
  gateway.close();
  live.close();
});

function slackMs(): number {
  return SLACK_MS + delays.max / 1e6;
}

class Viewer {
  /** When own ranks came, and the close. */
  readonly rankTimes: number[] = [];
  closedAt: number | undefined;
  private constructor(
    readonly socket: LiveSocket,
    readonly endsAt: number,
  ) {
    socket.ws.on('message', () => {
      if (socket.frames.length === this.seen) return;
      if (socket.frames.slice(this.seen).some((frame) => frame[0] === FrameType.rank)) this.rankTimes.push(Date.now());
      this.seen = socket.frames.length;
    });
    socket.ws.on('close', () => {
      this.closedAt = Date.now();
    });
  }
  private seen = 0;

  static async watchOwnRank(playerId: string): Promise<Viewer> {
    const token = await tokens.sign(playerId, LIFETIME_SEC);
    const { expiresAt } = await tokens.verify(token);
    const viewer = new Viewer(await live.socket().greeted(token), Number(expiresAt));
    viewer.socket.send([FrameType.subscribe, 1, WindowKind.me, 'arena', []]);
    viewer.socket.send([FrameType.subscribe, 2, WindowKind.top, 'arena', []]);
    await viewer.socket.untilFrame(FrameType.rank);
    return viewer;
  }

  async refresh(token: string): Promise<void> {
    this.socket.send([FrameType.refresh, 3, token]);
    await eventually(() => this.count(FrameType.refreshed) + this.count(FrameType.error) > 0, 'the answer');
  }

  count(type: number): number {
    return this.socket.frames.filter((frame) => frame[0] === type).length;
  }

  /** The longest time without an own rank, once they had begun. */
  get longestGapMs(): number {
    return Math.max(...this.rankTimes.slice(1).map((time, index) => time - (this.rankTimes[index] ?? time)));
  }
}

describe('A token that ends while its socket stays (A25)', () => {
  it('silences the own rank at its end and closes with 4401 after the grace, unless it is refreshed', async () => {
    const [left, refreshed, refused] = await Promise.all(['a', 'b', 'c'].map((id) => Viewer.watchOwnRank(id)));
    if (left === undefined || refreshed === undefined || refused === undefined) throw new Error('there are three');
    await eventually(() => Date.now() > left.endsAt - 2_000, 'two seconds are left');
    await refreshed.refresh(await tokens.sign('b', 600));
    await refused.refresh(await tokens.sign('a', 600));
    expect([refreshed.count(FrameType.refreshed), refused.count(FrameType.refreshed)]).toEqual([1, 0]);
    expect(refused.socket.frames.find((frame) => frame[0] === FrameType.error)?.slice(1, 3)).toEqual([3, 403]);

    await until(() => expect([left.closedAt, refused.closedAt]).not.toContain(undefined));
    for (const ended of [left, refused]) {
      const lastRankAt = ended.rankTimes.at(-1) ?? 0;
      expect(Math.abs(lastRankAt - ended.endsAt)).toBeLessThan(slackMs());
      expect(ended.socket.closeCode).toBe(CloseCode.unauthorized);
      expect(Math.abs((ended.closedAt ?? 0) - ended.endsAt - GRACE_MS)).toBeLessThan(slackMs());
      // The top went on until the close.
      expect(ended.socket.frames.at(-1)?.[0]).toBe(FrameType.delta);
    }
    const count = refreshed.rankTimes.length;
    await eventually(() => refreshed.rankTimes.length > count + 10, 'own ranks go on');
    expect(refreshed.longestGapMs).toBeLessThan(slackMs());
    expect(refreshed.socket.closeCode).toBeUndefined();

    const topic = (await refreshed.socket.untilFrame(FrameType.rank))[1];
    expect(refreshed.socket.frames.filter((frame) => frame[0] === FrameType.rank && frame[1] !== topic)).toEqual([]);
    refreshed.socket.send([FrameType.unsubscribe, 4, Number(topic)]);
    await refreshed.socket.untilFrame(FrameType.unsubscribed);
    const last = refreshed.count(FrameType.rank);
    await eventually(() => refreshed.count(FrameType.delta) > 0, 'the top goes on');
    const deltas = refreshed.count(FrameType.delta);
    await eventually(() => refreshed.count(FrameType.delta) > deltas + 5, 'the top goes on');
    expect(refreshed.count(FrameType.rank)).toBe(last);
  }, 20_000);
});
