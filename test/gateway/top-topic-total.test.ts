import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FrameType } from '../../proto/frames.js';
import { readFrames } from '../../src/client/read-frame.js';
import { holdTimers } from '../views/support/view-rig.js';
import { score } from './support/gateway-rig.js';
import { HandBoard } from './support/hand-board.js';
import { settle, Viewer } from './support/viewer.js';

let board: HandBoard;

beforeEach(async () => {
  holdTimers();
  board = await new HandBoard({ a: 50, b: 40, c: 30, d: 20, e: 10 }).start();
});
afterEach(() => {
  board.hub.view.close();
  vi.useRealTimers();
});

describe('TopTopic', () => {
  it('tells within half a second of a total that moved without any row, by a delta that names none', async () => {
    const viewer = new Viewer(board);
    viewer.collect();
    board.ranking.apply(['low', score(1)], ['e', null], ['lower', score(0)]);
    board.schedule.flushAll();
    expect([viewer.pendingCount, viewer.fold.read(false).total]).toEqual([0, 5]);
    await settle(board);
    const [bytes, ...more] = viewer.collect();
    const [delta] = readFrames(bytes ?? new Uint8Array());
    expect(more).toEqual([]);
    expect(delta?.slice(0, 8)).toEqual([FrameType.delta, viewer.window.topic, 3, 3, [], [], null, 6]);
    // No result is in it.
    expect(viewer.times).toEqual([null]);
    viewer.expectExact();
    await settle(board);
    expect([viewer.pendingCount, viewer.collect()]).toEqual([1, []]);
  });

  it('tells of a total that is back where it was, where the window was sent with the one in between', async () => {
    const viewer = new Viewer(board);
    viewer.collect();
    await settle(board);
    board.ranking.apply(['new', score(60)]);
    board.schedule.flushAll();
    board.ranking.apply(['e', null]);
    board.schedule.flushAll();
    viewer.collect();
    expect(viewer.fold.read(false).total).toBe(6);
    await settle(board);
    viewer.collect();
    viewer.expectExact();
  });

  it('shows the right total to whoever comes: at once in a window of his own length, soon in a shared one', async () => {
    new Viewer(board).collect();
    board.ranking.apply(['low', score(1)]);
    const alone = new Viewer(board, 2);
    alone.collect();
    alone.expectExact();
    const sharing = new Viewer(board);
    sharing.collect();
    await settle(board);
    sharing.collect();
    sharing.expectExact();
  });

  it('names the time of the newest result with each step, and none with a snapshot', async () => {
    const viewer = new Viewer(board);
    viewer.collect();
    board.ranking.apply(['d', score(60)], ['e', score(61)]);
    const times = board.hub.view.topRows(2).map((row) => row.at ?? 0);
    board.schedule.flushAll();
    expect(viewer.times).toEqual([Math.max(...times)]);
    await board.replace(2, { x: 1, y: 2 });
    expect(viewer.times).toEqual([Math.max(...times), null]);
  });

  it('is refused where 16 other lengths are watched, except for the default one and known ones', async () => {
    board.hub.view.close();
    board = await new HandBoard({ a: 50 }, 30).start();
    const viewers = Array.from({ length: 16 }, (_, index) => new Viewer(board, index + 1));
    expect(board.hub.topTopic(17)).toBeUndefined();
    expect(new Viewer(board, 5).window.topic).toBe(viewers[4]?.window.topic);
    const usual = new Viewer(board, 30);
    usual.collect();
    usual.expectExact();
    // One that everybody left makes room; the default one has taken a place as well.
    usual.window.close();
    viewers[0]?.window.close();
    expect(board.hub.topTopic(17)).toBeDefined();
    expect(board.hub.topTopic(18)).toBeUndefined();
  });
});
