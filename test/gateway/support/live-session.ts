/** From SUBSCRIBE to a change on the screen, over a real socket of any encoding. */

import { expect } from 'vitest';
import { FrameType } from '../../../proto/frames.js';
import { score } from './gateway-rig.js';
import type { LiveGateway, LiveSocket } from './live-gateway.js';

/** `socket` is greeted as player c, who passes b, who stays behind a. */
export async function expectChangeOnScreen(live: LiveGateway, socket: LiveSocket): Promise<void> {
  socket.send([FrameType.subscribe, 1, 1, 'arena', [2]]);
  socket.send([FrameType.subscribe, 2, 3, 'arena', []]);
  const snapshot = await socket.untilFrame(FrameType.snapshot);
  expect(snapshot[0] === FrameType.snapshot ? snapshot[6].map((row) => [row[1], row[3]]) : []).toEqual([
    [30, 'a'],
    [20, 'b'],
  ]);
  await socket.untilFrame(FrameType.rank);
  live.rig.ranking.apply(['c', score(25)]);
  await socket.untilFrame(FrameType.delta);
  expect((await socket.untilFrame(FrameType.rank, 2)).slice(3, 6)).toEqual([2, 3, 25]);
}
