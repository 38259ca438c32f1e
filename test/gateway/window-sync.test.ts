/** SYNC: at the position that it names the client's own check is the same, always; a client that is wrong is repaired. */

import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FrameType, WindowKind } from '../../proto/frames.js';
import { unpackPoints } from '../../src/domain/packed-score.js';
import type { RankTracker } from '../../src/views/rank-tracker.js';
import { TRICKY_IDS } from '../views/support/brute-board.js';
import { gate } from '../views/support/fake-ranking.js';
import { holdTimers, turns } from '../views/support/view-rig.js';
import { DirectClient, HeldWindow } from './support/direct-client.js';
import { FakeFriends } from './support/fake-friends.js';
import { LAYOUT, score } from './support/gateway-rig.js';
import { HandBoard } from './support/hand-board.js';
import { settle } from './support/viewer.js';

const KINDS = [WindowKind.top, WindowKind.me, WindowKind.friends] as const;

afterEach(() => {
  vi.useRealTimers();
});

/** One player with all his windows on a board. */
class Stage {
  readonly friends = new FakeFriends();
  readonly held = KINDS.map((kind) => new HeldWindow(kind));
  private constructor(
    readonly board: HandBoard,
    readonly client: DirectClient,
    friends: FakeFriends,
  ) {
    this.friends = friends;
  }

  static async open(
    points: Readonly<Record<string, number>>,
    friendIds: readonly string[],
    topSize = 4,
  ): Promise<Stage> {
    const board = await new HandBoard(points, topSize).start();
    const friends = new FakeFriends();
    friends.lists.set('a', friendIds);
    const stage = new Stage(board, new DirectClient(board, friends), friends);
    for (const held of stage.held) await stage.client.subscribe(held);
    return stage;
  }

  /** What is published is handed to sessions, which are flushed in their turn. */
  flush(): void {
    this.board.schedule.flushAll();
    this.board.schedule.flushAll();
  }

  sync(): void {
    this.client.sync();
    this.flush();
  }

  get syncs(): number[] {
    return this.held.map((held) => held.syncs);
  }

  expectExact(): void {
    const { ranking, topSize } = this.board;
    const [top, me, friends] = this.held;
    const points = (value: number | null) => (value === null ? null : unpackPoints(LAYOUT, value));
    expect(top?.fold.rows.map((row) => [row.playerId, row.score])).toEqual(
      ranking.board
        .rows()
        .slice(0, topSize)
        .map((row) => [row.playerId, points(row.score)]),
    );
    const own = ranking.board.standing('a');
    expect(me?.rank).toEqual({ rank: own.rank, score: points(own.score) });
    for (const row of friends?.fold.rows ?? []) {
      const standing = ranking.board.standing(row.playerId);
      expect([row.playerId, row.rank, row.score]).toEqual([row.playerId, standing.rank, points(standing.score)]);
    }
    expect(friends?.fold.rows).toHaveLength(new Set(['a', ...(this.friends.lists.get('a') ?? [])]).size);
    expect(this.client.troubles).toEqual([]);
  }
}

describe('SYNC', () => {
  it('tells of each window where it stands, and a check that the client computes as well', async () => {
    holdTimers();
    const stage = await Stage.open({ a: 10, b: 20, c: 30, d: 5, e: 1 }, ['b', 'nobody', 'd']);
    stage.board.ranking.apply(['d', score(25)]);
    stage.flush();
    stage.sync();
    expect(stage.syncs).toEqual([1, 1, 1]);
    // The rank that 'd' moved is told of later, at the same position.
    await settle(stage.board);
    stage.sync();
    expect(stage.syncs).toEqual([2, 2, 2]);
    stage.expectExact();
  });

  it('comes every 10 s at most, to clients that check it only, with what else leaves', async () => {
    holdTimers();
    const stage = await Stage.open({ a: 10, b: 20 }, ['b']);
    const now = performance.now();
    for (let ms = 0; ms <= 30_000; ms += 1_000) {
      stage.client.subscriptions.tick(now + ms);
      stage.flush();
    }
    for (const count of stage.syncs) expect(count).toBeOneOf([2, 3]);
    const sent = stage.client.socket.sent.length;
    stage.board.ranking.apply(['a', score(50)]);
    stage.client.subscriptions.tick(now + 50_000);
    stage.client.flush();
    expect(stage.client.socket.sent.length).toBe(sent + 1);
    stage.client.subscriptions.canSync = false;
    const before = stage.syncs;
    stage.client.subscriptions.tick(now + 90_000);
    stage.flush();
    expect(stage.syncs).toEqual(before);
  });

  it('is one frame for all who watch a top', async () => {
    holdTimers();
    const { board } = await Stage.open({ a: 10, b: 20 }, ['b']);
    const topic = board.hub.topTopic(4);
    expect(topic?.sync()).toBe(topic?.sync());
    const before = topic?.sync();
    board.ranking.apply(['a', score(50)]);
    board.schedule.flushAll();
    expect(topic?.sync()).not.toBe(before);
  });

  it('waits while the socket is full and while the view is read anew', async () => {
    holdTimers();
    const stage = await Stage.open({ a: 10, b: 20 }, ['b']);
    stage.client.socket.answer = 'queued';
    stage.board.ranking.apply(['a', score(50)]);
    stage.flush();
    expect(stage.client.outbox.isBlocked).toBe(true);
    stage.sync();
    stage.client.drain();
    expect(stage.syncs).toEqual([0, 0, 0]);

    const reading = gate();
    stage.board.ranking.beforeRead = () => reading.passed;
    stage.board.ranking.applyLost(['b', score(60)]);
    stage.board.ranking.apply(['b', score(70)]);
    expect(stage.board.hub.view.isCurrent).toBe(false);
    stage.sync();
    // The top is what was published before; the others would be of two histories.
    expect(stage.syncs).toEqual([1, 0, 0]);
    reading.open();
    await turns();
    stage.flush();
    expect(stage.syncs).toEqual([1, 1, 1]);
    stage.expectExact();
  });

  it('brings along ranks that nobody was told of yet, and comes also where everybody is always being moved', async () => {
    holdTimers();
    const stage = await Stage.open({ a: 10, b: 8, c: 1 }, ['b']);
    stage.client.sync();
    stage.flush();
    for (let round = 1; round <= 5; round++) {
      for (let i = 0; i < 20; i++) stage.board.ranking.apply([`other${(round * 20 + i) % 30}`, score(5 + (i % 10))]);
      stage.flush();
      // As the view does in the middle of its pace where it has counted enough; nobody is told of it yet.
      (stage.board.hub.view as unknown as { readonly tracker: RankTracker }).tracker.settle();
      stage.client.frames.length = 0;
      stage.sync();
      expect(stage.client.types().filter((type) => type === FrameType.sync)).toHaveLength(3);
      expect(stage.client.types()).toContain(FrameType.rank);
    }
    expect(stage.client.troubles).toEqual([]);
    expect(stage.syncs).toEqual([6, 6, 6]);
    await settle(stage.board);
    stage.sync();
    stage.expectExact();
  });

  it('has a client that shows something else ask for the whole window, and ends there', async () => {
    holdTimers();
    const stage = await Stage.open({ a: 10, b: 20, c: 30, d: 5 }, ['b', 'd']);
    const [top, me, friends] = stage.held;
    if (top === undefined || me === undefined || friends === undefined) throw new Error('three windows');
    stage.client.repairs = true;
    for (const spoil of [
      () => {
        top.fold.rows = top.fold.rows.toReversed();
        me.rank = { rank: 77, score: 10 };
        friends.fold.rows = friends.fold.rows.slice(1);
      },
      () => {
        top.fold.rows = top.fold.rows.map((row) => ({ ...row, score: 1 }));
        me.rank = { rank: 3, score: 11 };
        friends.fold.rows = friends.fold.rows.map((row) => ({ ...row, rank: 1 }));
      },
      () => {
        for (const held of stage.held) held.seq = (held.seq ?? 0) + 1;
      },
    ]) {
      spoil();
      stage.client.frames.length = 0;
      stage.sync();
      stage.flush();
      expect(
        stage.client
          .types()
          .filter((type) => type !== FrameType.sync)
          .toSorted(),
      ).toEqual([FrameType.snapshot, FrameType.snapshot, FrameType.rank]);
      stage.expectExact();
    }
    stage.client.frames.length = 0;
    stage.sync();
    expect(stage.client.types()).toEqual([FrameType.rank, FrameType.delta, FrameType.sync].map(() => FrameType.sync));
  });

  it('names the position alone where a friends window is too long to be sorted every ten seconds', async () => {
    holdTimers();
    const stage = await Stage.open(
      { a: 10 },
      Array.from({ length: 1_001 }, (_, index) => `f${index}`),
    );
    stage.sync();
    const checks = stage.client.frames.flatMap((frame) => (frame[0] === FrameType.sync ? [frame[4] === null] : []));
    expect(checks).toEqual([false, true, false]);
    expect(stage.client.troubles).toEqual([]);
  });

  it('agrees with the client after any changes, blocked or not, told or not', async () => {
    holdTimers();
    let syncs = 0;
    const points = fc.oneof({ weight: 5, arbitrary: fc.nat({ max: 9 }) }, { weight: 1, arbitrary: fc.constant(null) });
    const id = fc.constantFrom('a', ...TRICKY_IDS);
    const step = fc.oneof(
      { weight: 8, arbitrary: fc.array(fc.tuple(id, points), { minLength: 1, maxLength: 3 }) },
      { weight: 1, arbitrary: fc.uniqueArray(id, { maxLength: 5 }).map((list) => ({ list })) },
      {
        weight: 12,
        arbitrary: fc.constantFrom(
          ...(['flush', 'flush', 'sync', 'sync', 'turn', 'settle', 'full', 'drain', 'again', 'replace'] as const),
        ),
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }), async (steps) => {
        const stage = await Stage.open({ a: 3, '😀': 3, Ａ: 3, b: 1, '9': 5, '~': 0 }, ['😀', 'Ａ', 'b', '10']);
        const { client, board } = stage;
        for (const one of steps) {
          if (one === 'flush') stage.flush();
          else if (one === 'sync') client.sync();
          else if (one === 'turn') await turns(2);
          else if (one === 'settle') await settle(board);
          else if (one === 'full') client.socket.answer = 'queued';
          else if (one === 'drain') client.drain();
          else if (one === 'replace') await board.replace(3, { b: 4, '😀': 2, '10': 2, a: 2 });
          else if (one === 'again') {
            for (const held of stage.held) if (!client.outbox.isBlocked) await client.subscribe(held);
          } else if ('list' in one) stage.friends.change('a', one.list);
          else board.ranking.apply(...one.map(([who, value]) => [who, value === null ? null : score(value)] as const));
        }
        await turns(3);
        await settle(board);
        client.drain();
        stage.sync();
        stage.expectExact();
        for (const count of stage.syncs) syncs += count;
        board.hub.view.close();
      }),
      { numRuns: 300 },
    );
    expect(syncs).toBeGreaterThan(1_000);
  });
});
