/** A22 over real sockets: one reader stops, the kernel's buffers fill, and nobody else notices. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { FrameType, MAX_SERVER_FRAME_BYTES, WindowKind } from '../../proto/frames.js';
import { UnplacedWindow } from '../../src/client/unplaced-window.js';
import { unpackPoints } from '../../src/domain/packed-score.js';
import { eventually } from '../contract/ranking-fixture.js';
import { turns } from '../views/support/view-rig.js';
import { LAYOUT, score } from './support/gateway-rig.js';
import { LiveGateway, type LiveSocket } from './support/live-gateway.js';

const FRIENDS = Array.from({ length: 900 }, (_, index) => `friend-${index}`);
/** A message, what a cork gathers, and what the outbox holds of a flush. */
const MAX_WAITING_BYTES = MAX_SERVER_FRAME_BYTES + 16_384 + 5 * MAX_SERVER_FRAME_BYTES;

let live: LiveGateway;
let round = 0;

beforeEach(async () => {
  live = await LiveGateway.start();
  live.rig.ranking.apply(...FRIENDS.map((id, index) => [id, score(index)] as const));
});
afterEach(() => live.close());

async function watchFriends(playerId: string): Promise<LiveSocket> {
  live.rig.friends.lists.set(playerId, FRIENDS);
  const socket = await live.socket().greeted(await live.rig.tokens.sign(playerId, 600));
  socket.send([FrameType.subscribe, 1, WindowKind.friends, 'arena', [null, false]]);
  await socket.untilFrame(FrameType.snapshot);
  return socket;
}

/** Everybody is to be shown everything, some 40 KB to each who reads, and one friend's result makes it urgent. */
async function change(): Promise<void> {
  round += 1;
  live.rig.hub.reset();
  live.rig.ranking.apply([`friend-${(round * 7) % FRIENDS.length}`, score(1_000 + round)]);
  await turns(2);
}

/** Applies what came and compares it with the board. */
function isExact(socket: LiveSocket): boolean {
  const window = new UnplacedWindow();
  for (const frame of socket.frames) {
    if (frame[0] !== FrameType.snapshot && frame[0] !== FrameType.delta) continue;
    if (window.apply(frame, null) === 'gap') throw new Error('a gap');
  }
  const shown = window.read(false).entries.map((row) => [row.playerId, row.rank, row.score]);
  const { board } = live.rig.ranking;
  const rows = board.rows().filter((row) => FRIENDS.includes(row.playerId));
  const right = rows.map((row) => [row.playerId, row.rank, unpackPoints(LAYOUT, row.score)]);
  return JSON.stringify(shown) === JSON.stringify(right);
}

it('A reader that stops costs its limit, gets the present state when it reads again, and nobody else anything', async () => {
  const [slow, fast] = [await watchFriends('slow'), await watchFriends('fast')];
  const pinger = await live.socket().greeted();
  const { blockedOutboxes } = live.rig.counters;
  slow.ws.pause();
  for (let rounds = 0; blockedOutboxes.size === 0 && rounds < 2_000; rounds++) await change();
  expect(blockedOutboxes.size).toBe(1);

  const framesOfFast = fast.frames.length;
  let mostWaiting = 0;
  for (let nonce = 1; nonce <= 25; nonce++) {
    for (let i = 0; i < 4; i++) await change();
    pinger.send([FrameType.ping, nonce]);
    for (const outbox of blockedOutboxes) mostWaiting = Math.max(mostWaiting, outbox.waitingBytes());
  }
  expect(mostWaiting).toBeGreaterThan(0);
  expect(mostWaiting).toBeLessThanOrEqual(MAX_WAITING_BYTES);
  await pinger.untilFrame(FrameType.pong, 25);
  expect(fast.frames.length).toBeGreaterThan(framesOfFast + 10);

  const framesBefore = slow.frames.length;
  slow.ws.resume();
  await eventually(() => blockedOutboxes.size === 0, 'it reads again');
  await eventually(() => isExact(slow), 'the slow one shows the board');
  await eventually(() => isExact(fast), 'the fast one shows the board');
  expect(slow.frames.length).toBeGreaterThan(framesBefore);
  expect([slow.closeCode, fast.closeCode, pinger.closeCode]).toEqual([undefined, undefined, undefined]);
}, 60_000);
