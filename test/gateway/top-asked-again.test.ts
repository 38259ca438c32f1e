/** A top that is subscribed again on the same socket, with a position that is older than what is on its way. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FrameType, SubscribeStart, WindowKind } from '../../proto/frames.js';
import { DirectClient, HeldWindow } from './support/direct-client.js';
import { FakeFriends } from './support/fake-friends.js';
import { score } from './support/gateway-rig.js';
import { HandBoard } from './support/hand-board.js';

describe('A top that is asked for again', () => {
  let board: HandBoard;
  let client: DirectClient;
  let held: HeldWindow;

  beforeEach(async () => {
    board = await new HandBoard({ a: 50, b: 40, c: 30, d: 20, e: 10, f: 9, g: 8 }, 6).start();
    client = new DirectClient(board, new FakeFriends());
    held = new HeldWindow(WindowKind.top);
    await client.subscribe(held);
  });
  afterEach(() => board.hub.view.close());

  function publish(...moves: readonly [string, number][]): void {
    board.ranking.apply(...moves.map(([id, points]) => [id, score(points)] as const));
    board.schedule.flushAll();
    board.schedule.flushAll();
  }

  const shown = () => held.fold.rows.map(({ playerId }) => playerId);

  /** The start of SUBSCRIBED. The client is taken to follow the window already, by the answer to an earlier SUBSCRIBE. */
  async function askAgain(epoch: number | null, seq: number | null): Promise<number | undefined> {
    await client.subscriptions.subscribe([FrameType.subscribe, 99, WindowKind.top, 'arena', [], epoch, seq]);
    client.outbox.flush();
    const answer = client.frames.findLast((frame) => frame[0] === FrameType.subscribed);
    return answer?.[0] === FrameType.subscribed ? answer[3] : undefined;
  }

  it('keeps no row that came on its way to the client and went after', async () => {
    const { epoch, seq } = held;
    publish(['g', 60]);
    expect(shown()).toEqual(['g', 'a', 'b', 'c', 'd', 'e']);
    board.ranking.apply(['g', score(1)]);
    board.schedule.flushAll();
    // Published and not sent yet; the SUBSCRIBE was written before the delta with g arrived.
    await askAgain(epoch, seq);
    expect(shown()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('gets the snapshot that another subscription to it was promised', async () => {
    const { epoch, seq } = held;
    client.socket.answer = 'queued';
    publish(['g', 60]);
    expect(held.seq).toBe(1);
    await askAgain(null, null);
    await askAgain(epoch, 1);
    client.drain();
    expect(seq).toBe(0);
    expect(client.types().at(-1)).toBe(FrameType.snapshot);
  });

  it('gets nothing twice where it names what it was sent last', async () => {
    publish(['g', 60]);
    expect(await askAgain(held.epoch, held.seq)).toBe(SubscribeStart.current);
    publish(['g', 61]);
    expect(client.types().at(-1)).toBe(FrameType.delta);
    expect(shown()[0]).toBe('g');
    expect(held.fold.resyncs).toBe(0);
  });
});
