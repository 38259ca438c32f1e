/** A21: a change at any moment around a subscription is shown once, not lost and not taken back. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WindowKind } from '../../proto/frames.js';
import { holdTimers, turns } from '../views/support/view-rig.js';
import { DirectClient, HeldWindow } from './support/direct-client.js';
import { FakeFriends } from './support/fake-friends.js';
import { score } from './support/gateway-rig.js';
import { HandBoard } from './support/hand-board.js';
import { settle } from './support/viewer.js';

const ids = Array.from({ length: 100 }, (_, index) => `p${index + 1}`);
const POINTS = Object.fromEntries(ids.map((id, index) => [id, 2_000 - 10 * index]));
const KINDS = { top: WindowKind.top, me: WindowKind.me, friends: WindowKind.friends };
const MOMENTS = [
  'before the snapshot is read',
  'between the read and the subscription',
  'after the subscription, before the snapshot is sent',
  'in the turn of the subscription',
] as const;

let board: HandBoard;
let client: DirectClient;

beforeEach(() => {
  holdTimers();
  board = new HandBoard(POINTS, 100);
  const friends = new FakeFriends();
  friends.lists.set('p5', ['p3', 'p4', 'p6', 'p90']);
  client = new DirectClient(board, friends, 'p5');
});
afterEach(() => {
  board.hub.view.close();
  vi.useRealTimers();
});

/** Ranks 4 and 5 change places. */
function swap(): void {
  board.ranking.apply(['p5', score(1_975)]);
}

function flush(): void {
  board.schedule.flushAll();
  board.schedule.flushAll();
}

/** The one read that the window begins with: the top's is the view's own, the others' comes with the subscription. */
async function subscribe(held: HeldWindow, moment: (typeof MOMENTS)[number]): Promise<void> {
  const isTop = held.kind === WindowKind.top;
  if (!isTop) await board.start();
  let isDone = false;
  const once = (): void => {
    if (!isDone) swap();
    isDone = true;
  };
  if (moment === MOMENTS[0]) board.ranking.beforeRead = once;
  if (moment === MOMENTS[1]) board.ranking.afterRead = once;
  if (isTop) await board.start();
  if (moment === MOMENTS[2]) {
    // Only the answer is taken, the snapshot has to wait.
    client.outbox.canBatch = false;
    client.socket.answer = 'queued';
  }
  const subscribing = client.subscribe(held);
  if (moment === MOMENTS[3]) once();
  await subscribing;
  if (moment === MOMENTS[2]) {
    expect(client.frames).toHaveLength(1);
    once();
    client.drain();
  }
  expect(isDone).toBe(true);
}

/** What a window shows, as text. */
function shown({ kind, fold, rank }: HeldWindow): string {
  if (kind === WindowKind.me) return JSON.stringify(rank);
  return JSON.stringify(fold.rows.map((row) => [row.rank, row.playerId, row.score]));
}

function expected(kind: WindowKind): string {
  const rows = board.ranking.board.rows().map((row) => [row.rank, row.playerId, row.score / score(1)]);
  if (kind === WindowKind.top) return JSON.stringify(rows);
  if (kind === WindowKind.me) return JSON.stringify({ rank: 4, score: 1_975 });
  return JSON.stringify(rows.filter(([, id]) => ['p3', 'p4', 'p5', 'p6', 'p90'].includes(String(id))));
}

describe.each(Object.entries(KINDS))('A result that swaps two ranks is in the %s window', (_name, kind) => {
  it.each(MOMENTS)('once, where it comes %s', async (moment) => {
    const held = new HeldWindow(kind);
    const states: string[] = [];
    const { onSent } = client.socket;
    client.socket.onSent = (bytes) => {
      onSent(bytes);
      if (held.seq !== null && shown(held) !== states.at(-1)) states.push(shown(held));
    };
    await subscribe(held, moment);
    flush();
    await turns();
    await settle(board);
    flush();
    client.sync();
    flush();
    expect(states.at(-1)).toBe(expected(kind));
    // Before and after, and for friends his own change before the rank of the other: never back, never a third.
    expect(states.length).toBeLessThanOrEqual(kind === WindowKind.friends ? 3 : 2);
    expect(new Set(states).size).toBe(states.length);
    expect([client.troubles, held.syncs, held.seq]).toEqual([[], 1, 1]);
  });
});
