/** Half-open connections (case A23): who answers no ping is gone within the idle limit and 8 s; who is only quiet stays. */

import { afterEach, expect, it } from 'vitest';
import { until } from '../support/until.js';
import { BlackHole } from './support/black-hole.js';
import { LiveGateway, LiveSocket } from './support/live-gateway.js';

const IDLE_SEC = 8;
/** The library looks every 4 s. */
const SLACK_SEC = 8;

const closing: { close(): void }[] = [];

afterEach(() => {
  for (const item of closing.splice(0)) item.close();
});

it('A peer that has vanished without a word is gone within the idle limit, and a quiet one stays', async () => {
  const live = await LiveGateway.start({
    idleTimeoutSec: IDLE_SEC,
    limits: { sockets: 2, socketsPerAddress: 2, connectsPerAddress: 10 },
  });
  const hole = await BlackHole.start(live.port);
  closing.push(hole, live);
  const quiet = await live.socket().greeted();
  const ghost = new LiveSocket(hole.port, {});
  await ghost.greeted();
  hole.swallow();

  await until(() => expect(live.gateway.sessionCount).toBe(1), (IDLE_SEC + SLACK_SEC) * 1_000);

  expect(live.rig.counters.closeCodes).toEqual([1_006]);
  expect(ghost.closeCode).toBeUndefined();
  // Its place at the door is free again.
  await live.socket().greeted();
  // The quiet one said as little; its library answered the pings.
  expect(quiet.closeCode).toBeUndefined();
  expect(live.gateway.sessionCount).toBe(2);
}, 45_000);
