/** SYNC: a lost last delta, and a window that went wrong. */

import {
  answer,
  asksMe,
  asksTop,
  CY_FIRST_SHOWN,
  cyFirst,
  E,
  type Flow,
  greeted,
  me,
  part,
  RECONNECT_MS,
  rank,
  shows,
  snapshot,
  THREE,
  THREE_SHOWN,
  watchingTop,
} from './steps.js';

/** Of THREE, of THREE with Cy first at 1600, of `me` at rank 311 with 1490, and of `me` without a row. */
const CHECK_THREE = 2_042_348_413;
const CHECK_CY_FIRST = 4_274_254_123;
const CHECK_ME = 2_951_849_174;
const CHECK_ME_NOWHERE = 4_065_088_083;

const sync = (topic: number, seq: number, check: number | null, epoch = E) => {
  return { send: [37, topic, epoch, seq, check] } as const;
};
const flow = (name: string, steps: Flow['steps'], token: string | null = null): Flow => {
  return { name, needs: ['sync'], token, steps };
};

export const syncFlows: readonly Flow[] = [
  flow('a SYNC that fits asks for nothing, with a checksum and without', [
    ...watchingTop,
    sync(7, 41, CHECK_THREE),
    sync(7, 41, null),
    cyFirst(7, 42),
    sync(7, 42, CHECK_CY_FIRST),
    sync(999, 7, 1),
    { quiet: 10_000 },
    shows('a', ...CY_FIRST_SHOWN),
  ]),
  flow('another checksum at the same position: the window is asked for, once, and stays on show until it came', [
    ...watchingTop,
    sync(7, 41, CHECK_CY_FIRST),
    { expect: [20, 7, E, 41, 2] },
    shows('a', ...THREE_SHOWN),
    sync(7, 41, CHECK_CY_FIRST),
    sync(7, 43, 1),
    { quiet: 4_000 },
    snapshot(7, 43, [[3, 1_600, null, 'cy', null], THREE[0], THREE[1]]),
    shows('a', ...CY_FIRST_SHOWN),
    sync(7, 43, CHECK_CY_FIRST),
    { quiet: 1_000 },
  ]),
  flow('the socket is lost before the answer: what was wrong has no position, and is asked for whole', [
    ...watchingTop,
    sync(7, 41, CHECK_CY_FIRST),
    { expect: [20, 7, E, 41, 2] },
    { close: 1006 },
    shows('a', ...THREE_SHOWN),
    ...greeted(2, RECONNECT_MS),
    asksTop('r2', [null, null]),
    shows('a', ...THREE_SHOWN),
  ]),
  flow('no answer within 5 s: asked for whole', [
    ...watchingTop,
    sync(7, 41, CHECK_CY_FIRST),
    { expect: [20, 7, E, 41, 2] },
    { quiet: 4_900 },
    { ...asksTop('r2', [null, null]), withinMs: 3_000 },
    answer('r2', 7, 0, 41),
    snapshot(7, 41, [THREE[1]]),
    shows('a', ['bo', 1_500, 1]),
    { quiet: 1_000 },
  ]),
  flow('a higher seq: the last delta was lost', [
    ...watchingTop,
    sync(7, 42, CHECK_CY_FIRST),
    { expect: [20, 7, E, 41, 1] },
    shows('a', ...THREE_SHOWN),
    snapshot(7, 42, [[3, 1_600, null, 'cy', null], THREE[0], THREE[1]]),
    shows('a', ...CY_FIRST_SHOWN),
  ]),
  flow('a position without a checksum counts as well, and so does another epoch', [
    ...watchingTop,
    sync(7, 42, null),
    { expect: [20, 7, E, 41, 1] },
    snapshot(7, 42),
    sync(7, 42, CHECK_THREE, 77_777),
    { expect: [20, 7, E, 42, 1] },
    snapshot(7, 2, THREE, 77_777),
    sync(7, 2, CHECK_THREE, 77_777),
    { quiet: 1_000 },
    shows('a', ...THREE_SHOWN),
  ]),
  flow('parts are on their way: a SYNC is ignored until the window is whole', [
    ...watchingTop,
    part(7, 44, [THREE[2]]),
    sync(7, 44, 1),
    { quiet: 1_000 },
    snapshot(7, 44, [THREE[1]]),
    shows('a', ['cy', 1_490, 1], ['bo', 1_500, 2]),
  ]),
  flow(
    'the own place has a checksum too, also where there is none; a RANK answers',
    [
      me('b'),
      ...greeted(1, 1_000, { token: 'token-1', playerId: '42' }),
      asksMe('r1'),
      answer('r1', 9, 0, 41),
      sync(9, 41, CHECK_ME_NOWHERE),
      rank(9, 41, null, null),
      sync(9, 41, CHECK_ME_NOWHERE),
      rank(9, 50, 311, 1_490),
      sync(9, 50, CHECK_ME),
      { quiet: 1_000 },
      sync(9, 50, CHECK_ME_NOWHERE),
      { expect: [20, 9, E, 50, 2] },
      rank(9, 50, null, null),
      shows('b', [null, null, null]),
      sync(9, 51, null),
      { expect: [20, 9, E, 50, 1] },
    ],
    'token-1',
  ),
];
