/** Each close code with its retry answer, ERROR and UNSUBSCRIBED with theirs. */

import { CloseCode, retryAfterClose } from '../../../proto/close-codes.js';
import {
  ANY,
  answer,
  asks,
  asksTop,
  CY_FIRST_SHOWN,
  cyFirst,
  E,
  type Flow,
  greeted,
  is,
  RECONNECT_MS,
  type Step,
  shows,
  snapshot,
  THREE_SHOWN,
  top,
  watchingTop,
} from './steps.js';

const flow = (name: string, ...steps: Flow['steps']): Flow => ({ name, token: null, steps });

/** What servers close with, what the network makes of it, and codes that this version does not name. */
const CODES: readonly number[] = [
  ...Object.values(CloseCode).filter((code) => code !== CloseCode.heartbeatMissed && code !== CloseCode.unauthorized),
  1006,
  1011,
  1012,
  1013,
  3000,
  4406,
  4499,
  4501,
];

const TOO_MANY_WAIT_MS = 10_000;

function afterClose(code: number): readonly Step[] {
  if (retryAfterClose(code) === 'no') return [{ quiet: 60_000 }];
  const wait: readonly Step[] = code === CloseCode.tooMany ? [{ quiet: TOO_MANY_WAIT_MS - 100 }] : [];
  return [...wait, ...greeted(2, RECONNECT_MS + 100), asksTop('r2', [E, 41])];
}

const closeFlows = [...CODES]
  .sort((a, b) => a - b)
  .map((code): Flow => {
    const answerOfCode = retryAfterClose(code) === 'no' ? 'the end' : 'to be retried';
    return flow(
      `close ${code} is ${answerOfCode}, and the window stays on show`,
      ...watchingTop,
      { close: code },
      ...[...afterClose(code), shows('a', ...THREE_SHOWN)],
    );
  });

const hello = (token: string, sessionId: string | null = null): Step => ({ expect: [1, token, ANY, ANY, sessionId] });
const PLAYER = { token: 'token-2', playerId: '42' };

export const unauthorizedFlows: readonly Flow[] = [
  {
    name: 'close 4401 is answered with a fresh token, once',
    token: 'token-1',
    steps: [
      top('a'),
      { open: 1, withinMs: 1_000 },
      hello('token-1'),
      { token: 'token-2' },
      { close: 4401 },
      { open: 2, withinMs: RECONNECT_MS },
      hello('token-2'),
      { close: 4401 },
      { quiet: 60_000 },
    ],
  },
  {
    name: 'a WELCOME alone proves nothing: 4401 in the first 5 s of a session counts as the same one',
    token: 'token-1',
    steps: [
      top('a'),
      { open: 1, withinMs: 1_000 },
      hello('token-1'),
      { token: 'token-2' },
      { close: 4401 },
      { open: 2, withinMs: RECONNECT_MS },
      hello('token-2'),
      { send: [2, 's2', 0, 25_000, 1_000, '42', [32, 4_096, 60, 65_536], 7, '0.1.0'] },
      { expect: asks('r1', 1) },
      { close: 4401 },
      { quiet: 60_000 },
    ],
  },
  {
    name: 'after a session of more than 5 s a fresh token is tried again',
    token: 'token-2',
    steps: [
      top('a'),
      ...greeted(1, 1_000, PLAYER),
      asksTop('r1'),
      answer('r1', 7, 0, 41),
      snapshot(7, 41),
      { quiet: 6_000 },
      { close: 4401 },
      ...greeted(2, RECONNECT_MS, PLAYER),
      asksTop('r2', [E, 41]),
      answer('r2', 7, 1, 41),
      { quiet: 6_000 },
      { close: 4401 },
      ...greeted(3, RECONNECT_MS, PLAYER),
      asksTop('r3', [E, 41]),
      shows('a', ...THREE_SHOWN),
    ],
  },
];

/** The answer to the first SUBSCRIBE of top `a`. */
const refusedWith = (code: number, retryAfterMs: number | null): readonly Step[] => [
  top('a'),
  ...greeted(1, 1_000),
  asksTop('r1'),
  { send: [5, is('r1'), code, 'not now', retryAfterMs] },
];
const comesAgain = (position: [number, number] | [null, null] = [null, null]): readonly Step[] => [
  { ...asksTop('r2', position), withinMs: RECONNECT_MS },
  answer('r2', 7, 0, 43),
  snapshot(7, 43),
  shows('a', ...THREE_SHOWN),
  { quiet: 10_000 },
];

export const refusalFlows: readonly Flow[] = [
  flow(
    'ERROR 429 names no request: what got no answer is asked again after 5 s',
    top('a'),
    ...greeted(1, 1_000),
    asksTop('r1'),
    { send: [5, 0, 429, 'too many frames', 10_000] },
    { quiet: 4_900 },
    ...comesAgain(),
  ),
  flow('ERROR 503 with retryAfterMs: again, not before', ...refusedWith(503, 4_000), { quiet: 3_900 }, ...comesAgain()),
  flow(
    'ERROR 500 that does not say when: again after a second or more',
    ...refusedWith(500, null),
    { quiet: 900 },
    ...comesAgain(),
  ),
  ...[400, 403, 404, 409, 413, 422].map((code) =>
    flow(`ERROR ${code} is not retried`, ...refusedWith(code, null), { quiet: 20_000 }, { shows: 'a', rows: null }),
  ),
  flow(
    'refused on one socket: asked for once on the next, where the answer may be another',
    ...refusedWith(404, null),
    { quiet: 6_000 },
    { close: 1006 },
    ...greeted(2, RECONNECT_MS),
    ...comesAgain(),
  ),
  ...[429, 503].map((code) =>
    flow(
      `UNSUBSCRIBED by the server's wish with ${code}: subscribed again from the position held`,
      ...watchingTop,
      { send: [19, 0, 7, code, 'subscribe again'] },
      shows('a', ...THREE_SHOWN),
      cyFirst(7, 42),
      shows('a', ...THREE_SHOWN),
      ...comesAgain([E, 41]),
    ),
  ),
  flow(
    "UNSUBSCRIBED by the server's wish with 403: over, and what is shown stays",
    ...watchingTop,
    { send: [19, 0, 7, 403, 'no longer yours'] },
    cyFirst(7, 42),
    cyFirst(7, 99),
    { quiet: 20_000 },
    shows('a', ...THREE_SHOWN),
  ),
  flow(
    'ERROR 429 to nobody: the session goes on',
    ...watchingTop,
    { send: [5, 0, 429, 'too many frames: wait', 2_500] },
    cyFirst(7, 42),
    shows('a', ...CY_FIRST_SHOWN),
    { quiet: 10_000 },
  ),
];

export const closeAndRefusalFlows: readonly Flow[] = [...closeFlows, ...unauthorizedFlows, ...refusalFlows];
