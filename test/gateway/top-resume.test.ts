/** Coming back to a top with a position: nothing, one delta or a snapshot, and the board in each case. */

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FrameType, SubscribeStart, WindowKind } from '../../proto/frames.js';
import { unpackPoints } from '../../src/domain/packed-score.js';
import { KEPT_MS, MAX_POSITIONS } from '../../src/gateway/top-history.js';
import { untilCovered } from '../support/until-covered.js';
import { TRICKY_IDS } from '../views/support/brute-board.js';
import { holdTimers, turns } from '../views/support/view-rig.js';
import { DirectClient, HeldWindow } from './support/direct-client.js';
import { FakeFriends } from './support/fake-friends.js';
import { LAYOUT, score } from './support/gateway-rig.js';
import { HandBoard } from './support/hand-board.js';
import { settle } from './support/viewer.js';

const FRIENDS = new FakeFriends();
const POINTS = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`p${index + 1}`, 300 - 10 * index]));

function expectTop(board: HandBoard, held: HeldWindow): void {
  const rows = board.ranking.board.rows().slice(0, board.topSize);
  expect(held.fold.rows.map((row) => [row.rank, row.playerId, row.score])).toEqual(
    rows.map((row) => [row.rank, row.playerId, unpackPoints(LAYOUT, row.score)]),
  );
}

/** What is published is handed to sessions, which are flushed in their turn. */
function flush(board: HandBoard): void {
  board.schedule.flushAll();
  board.schedule.flushAll();
}

beforeEach(holdTimers);
afterEach(() => {
  vi.useRealTimers();
});

describe('A top that a client comes back to', () => {
  let board: HandBoard;
  let held: HeldWindow;

  beforeEach(async () => {
    board = await new HandBoard(POINTS, 20).start();
    held = new HeldWindow(WindowKind.top);
  });
  afterEach(() => board.hub.view.close());

  async function come(window = held): Promise<{ client: DirectClient; start: number; types: number[] }> {
    const client = new DirectClient(board, FRIENDS);
    const [, , , start] = await client.subscribe(window);
    expect(client.troubles).toEqual([]);
    return { client, start, types: client.types().slice(1) };
  }

  function publish(...moves: readonly [string, number][]): void {
    board.ranking.apply(...moves.map(([id, points]) => [id, score(points)] as const));
    flush(board);
  }

  async function lose(): Promise<void> {
    const { client } = await come();
    client.leave();
  }

  it('says nothing to who has missed nothing', async () => {
    await lose();
    publish(['p30', 5]);
    const { start, types } = await come();
    expect([start, types]).toEqual([SubscribeStart.current, []]);
    expectTop(board, held);
  });

  it('sends who missed several steps one delta over all of them, smaller than the snapshot', async () => {
    const other = await come(new HeldWindow(WindowKind.top));
    await lose();
    for (const points of [400, 401, 402]) publish(['p30', points]);
    publish(['p29', 395], ['p30', 250]);
    const before = other.client.socket.sent.length;
    const { client, start, types } = await come();
    expect([start, types]).toEqual([SubscribeStart.deltas, [FrameType.delta]]);
    expectTop(board, held);
    const whole = await come(new HeldWindow(WindowKind.top));
    expect(whole.types).toEqual([FrameType.snapshot]);
    expect(client.socket.sent[0]?.byteLength ?? 0).toBeLessThan(whole.client.socket.sent[0]?.byteLength ?? 0);
    // What he got fits with the steps that follow, and concerned nobody else.
    expect(other.client.socket.sent.length).toBe(before);
    publish(['p28', 500]);
    expect(client.types().at(-1)).toBe(FrameType.delta);
    for (const one of [client, other.client, whole.client]) {
      expect(one.troubles).toEqual([]);
      for (const window of one.windows.values()) expectTop(board, window);
    }
  });

  it('sends a snapshot where a delta would not be smaller', async () => {
    await lose();
    publish(...Object.keys(POINTS).map((_, index): [string, number] => [`q${index}`, 1_000 + index]));
    const { start, types } = await come();
    expect([start, types]).toEqual([SubscribeStart.snapshot, [FrameType.snapshot]]);
    expectTop(board, held);
  });

  it('joins the step to come where a change is folded and not published yet', async () => {
    const other = await come(new HeldWindow(WindowKind.top));
    await lose();
    for (const points of [400, 401]) publish(['p30', points]);
    board.ranking.apply(['p29', score(410)]);
    const { client, start } = await come();
    expect([start, held.seq]).toEqual([SubscribeStart.deltas, 2]);
    const [watching] = other.client.windows.values();
    expect(held.fold.rows).toEqual(watching?.fold.rows);
    flush(board);
    expect([held.seq, client.troubles, other.client.troubles]).toEqual([3, [], []]);
    expectTop(board, held);
  });

  it('knows the way also when nobody watched meanwhile, for a minute', async () => {
    await lose();
    publish(['p30', 400]);
    expect((await come()).start).toBe(SubscribeStart.deltas);
    expectTop(board, held);
  });

  it('forgets it when nobody came for a minute: who comes later gets a snapshot', async () => {
    await lose();
    publish(['p30', 400]);
    await vi.advanceTimersByTimeAsync(60_001);
    expect((await come()).start).toBe(SubscribeStart.snapshot);
    expectTop(board, held);
  });

  it('sends a snapshot to positions that never were: of the future, between two steps, of another epoch', async () => {
    await come(new HeldWindow(WindowKind.top));
    await lose();
    publish(['p30', 400], ['p29', 410], ['p28', 420]);
    const { epoch } = held;
    for (const [claimedEpoch, claimedSeq] of [
      [epoch, 4],
      [epoch, 2 ** 50],
      [epoch, 1],
      [((epoch ?? 0) + 1) >>> 0, 0],
      [((epoch ?? 0) + 1) >>> 0, 3],
      [null, 3],
      [epoch, null],
    ] as const) {
      [held.epoch, held.seq] = [claimedEpoch, claimedSeq];
      const { start, types, client } = await come();
      expect([start, types]).toEqual([SubscribeStart.snapshot, [FrameType.snapshot]]);
      expectTop(board, held);
      client.leave();
    }
  });

  it('sends a snapshot where the history was replaced, though the seq is the same', async () => {
    await lose();
    await board.replace(0, { x: 5, y: 4 });
    const { start } = await come();
    expect(start).toBe(SubscribeStart.snapshot);
    expectTop(board, held);
  });

  it('takes no position of the history before for one of the new', async () => {
    await come(new HeldWindow(WindowKind.top));
    for (const points of [400, 401, 402]) publish(['p30', points]);
    await board.replace(1, POINTS);
    await lose();
    expect(held.seq).toBe(1);
    for (const points of [500, 501]) publish(['p30', points]);
    expect((await come()).start).toBe(SubscribeStart.deltas);
    expectTop(board, held);
  });

  it('keeps the newest positions, all of them, and none that was left more than a minute ago', async () => {
    await come(new HeldWindow(WindowKind.top));
    const gone: HeldWindow[] = [];
    for (let points = 301; points < 301 + MAX_POSITIONS + 10; points++) {
      const window = new HeldWindow(WindowKind.top);
      (await come(window)).client.leave();
      gone.push(window);
      publish(['p30', points]);
    }
    const starts: number[] = [];
    for (const window of gone) starts.push((await come(window)).start);
    expect(starts.slice(0, 10).every((start) => start === SubscribeStart.snapshot)).toBe(true);
    expect(starts.slice(10).every((start) => start === SubscribeStart.deltas)).toBe(true);
    for (const window of gone) expectTop(board, window);

    const [late, inTime] = [new HeldWindow(WindowKind.top), new HeldWindow(WindowKind.top)];
    for (const window of [late, inTime]) {
      (await come(window)).client.leave();
      publish(['p30', 1_000 + (window === late ? 0 : 1)]);
      await vi.advanceTimersByTimeAsync(KEPT_MS / 2 + 1);
    }
    expect((await come(late)).start).toBe(SubscribeStart.snapshot);
    expect((await come(inTime)).start).toBe(SubscribeStart.deltas);
  });

  it('leaves no length out for ever that others used to watch', async () => {
    for (let limit = 1; limit <= 16; limit++) {
      const client = new DirectClient(board, FRIENDS);
      await client.subscribe(new HeldWindow(WindowKind.top), [limit]);
      client.leave();
    }
    const client = new DirectClient(board, FRIENDS);
    const window = new HeldWindow(WindowKind.top);
    await client.subscribe(window, [17]);
    expect(window.fold.rows).toHaveLength(17);
    // The longest left made room, the newest is still there.
    expect(board.hub.topTopic(16)?.topic).toBe(16);
  });
});

type Step =
  | { readonly kind: 'move'; readonly moves: readonly (readonly [string, number | null])[] }
  | { readonly kind: 'drop' | 'back' | 'full' | 'drain' | 'again'; readonly who: number }
  | { readonly kind: 'flush' | 'turn' | 'settle' | 'minute' | 'replace' };

const points = fc.oneof({ weight: 5, arbitrary: fc.nat({ max: 9 }) }, { weight: 1, arbitrary: fc.constant(null) });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      moves: fc.array(fc.tuple(fc.constantFrom(...TRICKY_IDS), points), { minLength: 1, maxLength: 2 }),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'drop' as const,
        'back' as const,
        'back' as const,
        'full' as const,
        'drain' as const,
        'again' as const,
      ),
      who: fc.nat({ max: 2 }),
    }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('flush' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('turn' as const, 'settle' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('minute' as const, 'replace' as const) }) },
);

describe('Clients of a top that lose their sockets at any moment', () => {
  it('end equal to the board, whichever way they came back', async () => {
    const starts = new Map<number, number>();
    const play = async (steps: readonly Step[]): Promise<void> => {
      const board = await new HandBoard({ ...POINTS, a: 3, '😀': 3, Ａ: 3, b: 1, '9': 5, '~': 0 }, 34).start();
      const windows = [0, 1, 2].map(() => new HeldWindow(WindowKind.top));
      const clients: (DirectClient | null)[] = [null, null, null];
      const back = async (who: number): Promise<void> => {
        const window = windows[who];
        if (window === undefined || clients[who] !== null) return;
        const client = new DirectClient(board, FRIENDS);
        clients[who] = client;
        const hadPosition = window.epoch !== null;
        const [, , , start] = await client.subscribe(window);
        if (hadPosition) starts.set(start, (starts.get(start) ?? 0) + 1);
      };
      for (const who of [0, 1, 2]) await back(who);
      for (const one of steps) {
        const client = 'who' in one ? clients[one.who] : null;
        if (one.kind === 'move')
          board.ranking.apply(...one.moves.map(([id, value]) => [id, value === null ? null : score(value)] as const));
        else if (one.kind === 'flush') flush(board);
        else if (one.kind === 'turn') await turns(1);
        else if (one.kind === 'settle') await settle(board);
        else if (one.kind === 'minute') await vi.advanceTimersByTimeAsync(61_000);
        else if (one.kind === 'replace') await board.replace(3, { b: 4, '😀': 2, '10': 2 });
        else if (one.kind === 'back') await back(one.who);
        else if (one.kind === 'drop') {
          expect(client?.troubles ?? []).toEqual([]);
          client?.leave();
          clients[one.who] = null;
        } else if (one.kind === 'full' && client) client.socket.answer = 'queued';
        else if (one.kind === 'drain') client?.drain();
        else if (one.kind === 'again' && client?.outbox.isBlocked === false) {
          const window = windows[one.who];
          if (window !== undefined) await client.subscribe(window);
        }
      }
      await turns(3);
      await settle(board);
      for (const who of [0, 1, 2]) {
        await back(who);
        clients[who]?.drain();
        clients[who]?.sync();
      }
      flush(board);
      for (const [who, window] of windows.entries()) {
        expectTop(board, window);
        expect([clients[who]?.troubles, window.syncs]).toEqual([[], 1]);
      }
      board.hub.view.close();
    };
    const least = 10;
    const counts = (): number[] => Object.values(SubscribeStart).map((start) => starts.get(start) ?? 0);
    const histories = fc.array(step, { minLength: 1, maxLength: 40, size: 'max' });
    await untilCovered(
      () => fc.assert(fc.asyncProperty(histories, play), { numRuns: 150 }),
      () => counts().every((count) => count > least),
    );
    for (const count of counts()) expect(count).toBeGreaterThan(least);
  });
});
