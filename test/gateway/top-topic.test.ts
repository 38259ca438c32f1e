import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FrameType } from '../../proto/frames.js';
import { readFrames } from '../../src/client/read-frame.js';
import { TRICKY_IDS } from '../views/support/brute-board.js';
import { holdTimers, turns } from '../views/support/view-rig.js';
import { score } from './support/gateway-rig.js';
import { HandBoard } from './support/hand-board.js';
import { settle, Viewer } from './support/viewer.js';

type Step =
  | { readonly kind: 'move'; readonly moves: readonly (readonly [string, number | null])[] }
  | { readonly kind: 'join'; readonly limit: number }
  | { readonly kind: 'collect' | 'leave' | 'resync'; readonly index: number }
  | { readonly kind: 'flush' | 'turn' }
  | { readonly kind: 'replace'; readonly seq: number };

const points = fc.oneof({ weight: 4, arbitrary: fc.nat({ max: 5 }) }, { weight: 1, arbitrary: fc.constant(null) });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      moves: fc.array(fc.tuple(fc.constantFrom(...TRICKY_IDS), points), { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('join' as const), limit: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'collect' as const,
        'collect' as const,
        'collect' as const,
        'leave' as const,
        'resync' as const,
      ),
      index: fc.nat({ max: 5 }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('flush' as const, 'flush' as const, 'turn' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('replace' as const), seq: fc.nat({ max: 40 }) }) },
);

async function play(steps: readonly Step[]): Promise<void> {
  const board = await new HandBoard({ a: 3, '😀': 3, Ａ: 3, b: 1, '9': 5, '~': 0 }).start();
  const viewers: Viewer[] = [];
  const viewer = (index: number) => viewers[index % viewers.length];
  for (const one of steps) {
    if (one.kind === 'move')
      board.ranking.apply(...one.moves.map(([id, value]) => [id, value === null ? null : score(value)] as const));
    else if (one.kind === 'join') viewers.push(new Viewer(board, one.limit));
    else if (one.kind === 'collect') viewer(one.index)?.collect();
    else if (one.kind === 'resync') viewer(one.index)?.window.invalidate();
    else if (one.kind === 'flush') board.schedule.flushAll();
    else if (one.kind === 'turn') await turns(1);
    else if (one.kind === 'replace') await board.replace(one.seq, { b: 4, '😀': 2, '10': 2 });
    else if (one.kind === 'leave' && viewers.length > 0)
      viewers.splice(one.index % viewers.length, 1)[0]?.window.close();
  }
  await turns(3);
  await settle(board);
  for (const one of viewers) {
    one.collect();
    one.expectExact();
    expect(one.collect()).toEqual([]);
  }
  board.hub.view.close();
}

describe('TopTopic', () => {
  let board: HandBoard;

  beforeEach(async () => {
    holdTimers();
    board = await new HandBoard({ a: 50, b: 40, c: 30, d: 20, e: 10 }).start();
  });
  afterEach(() => {
    board.hub.view.close();
    vi.useRealTimers();
  });

  it('equals the board for everybody, whenever he joined, collected, fell behind or asked again', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 50 }), play), { numRuns: 500 });
  });

  it('hands the very same bytes to all who are in step, and one snapshot to all who are not', () => {
    const viewers = [new Viewer(board), new Viewer(board), new Viewer(board)];
    const [first, second, third] = viewers.map((viewer) => viewer.collect());
    expect(second?.[0]).toBe(first?.[0]);
    expect(third?.[0]).toBe(first?.[0]);
    board.ranking.apply(['d', score(60)]);
    board.schedule.flushAll();
    expect(viewers.map((viewer) => viewer.pendingCount)).toEqual([1, 1, 1]);
    const late = new Viewer(board);
    const deltas = viewers.map((viewer) => viewer.collect());
    expect(deltas.every((frames) => frames.length === 1 && frames[0] === deltas[0]?.[0])).toBe(true);
    const [snapshot] = late.collect();
    expect(snapshot).not.toBe(first?.[0]);
    expect(new Viewer(board).collect()[0]).toBe(snapshot);
    for (const viewer of [...viewers, late]) viewer.expectExact();
  });

  it('serves a viewer who joins between a change and its step by the same step', () => {
    new Viewer(board).collect();
    board.ranking.apply(['d', score(60)]);
    const late = new Viewer(board);
    late.collect();
    expect(late.window.seq).toBe(0);
    board.schedule.flushAll();
    expect(late.collect()).toHaveLength(1);
    late.expectExact();
  });

  it('names only rows that changed, with the tail where the ref is new', () => {
    const viewer = new Viewer(board);
    viewer.collect();
    board.ranking.apply(['b', score(55)], ['e', score(45)]);
    board.schedule.flushAll();
    const [bytes] = viewer.collect();
    const [delta] = readFrames(bytes ?? new Uint8Array());
    const at = board.ranking.board.scores.size;
    const [, topic, seq, span, removed, placed, first, total] = delta?.[0] === FrameType.delta ? delta : [];
    expect([topic, seq, span, removed, first, total]).toEqual([viewer.window.topic, 2, 2, [3], null, at]);
    expect(placed).toEqual([
      [0, 2, 55],
      [2, expect.any(Number), 45, null, 'e', null],
    ]);
  });

  it('publishes nothing where nothing of the window changed', () => {
    const viewer = new Viewer(board, 1);
    viewer.collect();
    board.ranking.apply(['c', score(45)]);
    board.schedule.flushAll();
    expect([viewer.pendingCount, viewer.collect()]).toEqual([0, []]);
  });

  it('merges what happened between two flushes into one step', () => {
    const viewer = new Viewer(board);
    viewer.collect();
    for (let value = 60; value < 100; value++) board.ranking.apply(['d', score(value)]);
    board.schedule.flushAll();
    expect(viewer.collect()).toHaveLength(1);
    expect([viewer.pendingCount, viewer.fold.position?.seq]).toEqual([1, 40]);
    viewer.expectExact();
  });

  it('gives one snapshot in place of many steps to a viewer who does not collect', () => {
    const viewer = new Viewer(board);
    viewer.collect();
    for (let value = 60; value < 160; value++) {
      board.ranking.apply(['d', score(value)]);
      board.schedule.flushAll();
    }
    expect(viewer.collect()).toHaveLength(1);
    viewer.expectExact();
  });

  it('sends a step too large for one frame as a snapshot in parts', async () => {
    board.hub.view.close();
    const ids = Array.from({ length: 1_200 }, (_, index) => `${'long-id-'.repeat(6)}${index}`);
    board = await new HandBoard(Object.fromEntries(ids.slice(0, 600).map((id, index) => [id, index])), 600).start();
    const viewer = new Viewer(board);
    viewer.collect();
    board.ranking.apply(...ids.slice(600).map((id, index) => [id, score(1_000 + index)] as const));
    board.schedule.flushAll();
    expect(viewer.collect().length).toBeGreaterThan(1);
    viewer.expectExact();
  });

  it('keeps its number for a minute when everybody had left, then gives a new one, and goes on serving it', async () => {
    const [first, second] = [new Viewer(board), new Viewer(board)];
    expect(second.window.topic).toBe(first.window.topic);
    first.window.close();
    second.window.close();
    const back = new Viewer(board);
    expect(back.window.topic).toBe(first.window.topic);
    // Who came back stays, whatever was to become of the window.
    await vi.advanceTimersByTimeAsync(61_000);
    expect(new Viewer(board).window.topic).toBe(first.window.topic);
    board.hub.topTopic(back.limit);
    back.window.close();
    back.window.close();
  });

  it('is another one when nobody had watched it for a minute', async () => {
    const first = new Viewer(board);
    first.window.close();
    await vi.advanceTimersByTimeAsync(60_001);
    const third = new Viewer(board);
    third.collect();
    // Closing twice must not take the window away from those who came later.
    first.window.close();
    expect(third.window.topic).not.toBe(first.window.topic);
    board.ranking.apply(['d', score(60)]);
    board.schedule.flushAll();
    third.collect();
    third.expectExact();
  });

  it('publishes no step between two histories', async () => {
    const viewer = new Viewer(board);
    viewer.collect();
    for (let value = 60; value < 80; value++) board.ranking.apply(['d', score(value)]);
    let isOver = false;
    board.ranking.afterRead = async () => {
      while (!isOver) {
        board.schedule.flushAll();
        await turns(1);
      }
    };
    const replacing = board.replace(2, { x: 1, y: 2 });
    await turns(5);
    expect(viewer.collect()).toEqual([]);
    isOver = true;
    await replacing;
    await turns(5);
    board.schedule.flushAll();
    expect(viewer.collect()).toHaveLength(1);
    viewer.expectExact();
  });
});
