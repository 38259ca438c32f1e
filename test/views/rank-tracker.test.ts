import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RankTracker } from '../../src/views/rank-tracker.js';
import { TrackedPlayer } from '../../src/views/tracked-player.js';
import { BruteBoard, TRICKY_IDS } from './support/brute-board.js';

type Step =
  | { readonly kind: 'change'; readonly playerId: string; readonly score: number | null }
  | { readonly kind: 'track' | 'release'; readonly playerId: string }
  | { readonly kind: 'settle' | 'take' };

const playerId = fc.constantFrom(...TRICKY_IDS);
const score = fc.oneof({ weight: 5, arbitrary: fc.nat({ max: 4 }) }, { weight: 1, arbitrary: fc.constant(null) });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('change' as const), playerId, score }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('track' as const), playerId }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('release' as const), playerId }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('settle' as const, 'take' as const) }) },
);

/** A tracker beside a board that is sorted anew for each question. */
class Pair {
  readonly tracker = new RankTracker();
  readonly board = new BruteBoard();
  /** The rank that each tracked player's watchers were told of last. */
  readonly told = new Map<string, number | null>();
  /** His rank at the last settling or own change since. */
  private readonly seen = new Map<string, number | null>();
  private readonly moved = new Set<string>();
  private at = 0;

  change(id: string, value: number | null): void {
    this.at += 1;
    const change = this.board.apply(id, value, this.at);
    if (change === null) return;
    const moved = this.tracker.fold(change);
    expect(moved).toBe(this.tracker.get(id));
    if (moved === undefined) return;
    expect(moved).toMatchObject({ score: change.score, rank: change.rank, prevRank: change.rankBefore, at: change.at });
    this.told.set(id, change.rank);
    this.seen.set(id, change.rank);
    this.moved.delete(id);
  }

  track(...ids: readonly string[]): void {
    const unknown = ids.filter((id) => this.tracker.get(id) === undefined);
    const standings = unknown.map((id) => this.board.standing(id));
    this.tracker.add(standings.map((one) => new TrackedPlayer(one.playerId, one.score, one.rank)));
    for (const { playerId: id, rank } of standings) {
      this.told.set(id, rank);
      this.seen.set(id, rank);
    }
  }

  release(id: string): void {
    const player = this.tracker.get(id);
    if (player === undefined) return;
    this.tracker.release(player);
    this.forget(id);
  }

  forget(id: string): void {
    this.told.delete(id);
    this.seen.delete(id);
    this.moved.delete(id);
  }

  expectSettled(): void {
    this.noteMoves();
    this.tracker.settle();
    this.expectExact();
    // A row that is written now for another reason tells of the whole move, too.
    for (const id of this.moved) expect(this.tracker.get(id)?.prevRank).toBe(this.told.get(id));
  }

  take(): void {
    this.noteMoves();
    const moved = this.tracker.takeMoved();
    this.expectExact();
    // Whoever stands elsewhere than was told, and who was elsewhere at a settling in between.
    expect(moved.map((player) => player.playerId).sort()).toEqual([...this.moved].sort());
    for (const [id, rank] of this.told) if (this.tracker.get(id)?.rank !== rank) expect(this.moved).toContain(id);
    for (const player of moved) {
      const toldRank = this.told.get(player.playerId);
      expect(player).toBe(this.tracker.get(player.playerId));
      if (player.rank !== toldRank) expect(player.prevRank).toBe(toldRank);
      this.told.set(player.playerId, player.rank);
    }
    this.moved.clear();
  }

  /** Every call that settles the tracker comes here first. */
  private noteMoves(): void {
    for (const [id, rank] of this.seen) {
      const now = this.board.standing(id).rank;
      if (now !== rank) this.moved.add(id);
      this.seen.set(id, now);
    }
  }

  run(one: Step): void {
    if (one.kind === 'change') this.change(one.playerId, one.score);
    else if (one.kind === 'track') this.track(one.playerId);
    else if (one.kind === 'release') this.release(one.playerId);
    else if (one.kind === 'settle') this.expectSettled();
    else this.take();
  }

  private expectExact(): void {
    expect(this.tracker.size).toBe(this.told.size);
    const known = [...this.told.keys()].map((id) => this.tracker.get(id));
    const seen = known.map((player) => ({ playerId: player?.playerId, score: player?.score, rank: player?.rank }));
    const rows = new Map(this.board.rows().map((row) => [row.playerId, row]));
    expect(seen).toEqual([...this.told.keys()].map((id) => rows.get(id) ?? { playerId: id, score: null, rank: null }));
  }
}

describe('RankTracker', () => {
  it('equals a sorted board after any changes, tracked and released at any moment', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 80 }), (steps) => {
        const pair = new Pair();
        for (const one of steps) pair.run(one);
        pair.take();
        pair.take();
      }),
      { numRuns: 600 },
    );
  });

  it('has a player at his own rank right at his own change, with others still unsettled', () => {
    const pair = new Pair();
    for (const [index, id] of TRICKY_IDS.entries()) pair.change(id, index % 3);
    pair.track(...TRICKY_IDS);
    pair.change('a', 5);
    pair.change('b', 6);
    pair.change('a', 7);
    expect(pair.tracker.get('a')?.rank).toBe(1);
    pair.change('é', 9);
    pair.change('a', 8);
    expect(pair.tracker.get('a')?.rank).toBe(2);
    pair.change('b', 10);
    pair.expectSettled();
    expect(pair.tracker.get('a')?.rank).toBe(3);
  });

  it('ranks equal scores by id bytes: an emoji above a full-width letter', () => {
    const pair = new Pair();
    for (const id of ['Ａ', 'a', 'z']) pair.change(id, 3);
    pair.track('Ａ', 'a', 'z');
    pair.change('😀', 3);
    pair.take();
    expect(['Ａ', 'z', 'a'].map((id) => pair.tracker.get(id)?.rank)).toEqual([2, 3, 4]);
  });

  it('tells nobody whose rank went away and came back within a tick', () => {
    const pair = new Pair();
    pair.change('a', 3);
    pair.track('a');
    pair.change('b', 4);
    pair.change('b', 2);
    expect(pair.tracker.takeMoved()).toEqual([]);
  });

  it('tells of a rank that came back after a settling: somebody may have been shown the one in between', () => {
    const pair = new Pair();
    pair.change('a', 3);
    pair.track('a');
    pair.change('b', 4);
    pair.tracker.settle();
    expect(pair.tracker.get('a')?.rank).toBe(2);
    pair.change('b', 2);
    expect(pair.tracker.takeMoved()).toMatchObject([{ playerId: 'a', rank: 1 }]);
  });

  it('names the rank that was told last where several settlings lie between', () => {
    const pair = new Pair();
    pair.change('a', 1);
    pair.track('a');
    for (const id of ['b', 'é', '9']) {
      pair.change(id, 4);
      pair.tracker.settle();
    }
    expect(pair.tracker.takeMoved()).toMatchObject([{ playerId: 'a', rank: 4, prevRank: 1 }]);
  });

  it('says nothing about players who were released', () => {
    const pair = new Pair();
    pair.change('a', 1);
    pair.track('a');
    pair.change('b', 4);
    pair.release('a');
    pair.change('é', 5);
    pair.take();
    expect(pair.tracker.size).toBe(0);
  });

  it('tracks a player anew who was released while his changes were unsettled', () => {
    const pair = new Pair();
    for (const id of ['a', 'b', 'é']) pair.change(id, 2);
    pair.track('a', 'b');
    pair.change('a', 4);
    pair.release('a');
    pair.change('b', 5);
    pair.track('a');
    pair.change('é', 9);
    pair.take();
  });

  it('gives back everybody at clear and starts empty', () => {
    const pair = new Pair();
    pair.change('a', 1);
    pair.track('a', 'b');
    pair.change('b', 4);
    expect(pair.tracker.clear().map((player) => player.playerId)).toEqual(['a', 'b']);
    expect(pair.tracker.size).toBe(0);
    for (const id of ['a', 'b']) pair.forget(id);
    pair.take();
    pair.track('b');
    pair.change('a', 9);
    pair.take();
  });

  it('keeps thousands exact through a tick of thousands of changes, and one who joins them', () => {
    const board = new BruteBoard();
    const tracker = new RankTracker();
    const ids = Array.from({ length: 3_000 }, (_, index) => `p${index}`);
    for (const [index, id] of ids.entries()) board.scores.set(id, (index * 7_919) % 500);
    const ranks = () => new Map(board.rows().map((row) => [row.playerId, row.rank]));
    const before = ranks();
    const track = (id: string, rank: number | undefined) =>
      new TrackedPlayer(id, board.scores.get(id) ?? null, rank ?? null);
    tracker.add(ids.slice(0, 1_500).map((id) => track(id, before.get(id))));
    for (let i = 0; i < 2_500; i++) {
      const playerId = ids[1_500 + ((i * 31) % 1_499)] ?? '';
      const scoreBefore = board.scores.get(playerId) ?? null;
      const next = (i * i * 37) % 499;
      board.scores.set(playerId, next);
      const moves = { playerId, scoreBefore, rankBefore: null, score: next, rank: null };
      tracker.fold({ list: 's', at: i, label: null, ...moves });
      // Untouched by the loop; one among so many is sorted in at the next settling only.
      if (i === 1_200) tracker.add([track('p2999', ranks().get('p2999'))]);
    }
    const moved = tracker.takeMoved();
    const after = ranks();
    const tracked = [...ids.slice(0, 1_500), 'p2999'];
    expect(tracked.map((id) => tracker.get(id)?.rank)).toEqual(tracked.map((id) => after.get(id)));
    expect(moved.length).toBeGreaterThan(1_000);
  });

  it('leaves those who are tracked already where they are when others join, until they are told', () => {
    const pair = new Pair();
    pair.change('a', 1);
    pair.track('a');
    pair.change('b', 4);
    pair.track('b');
    expect([pair.tracker.get('a')?.rank, pair.tracker.get('b')?.rank]).toEqual([1, 1]);
    pair.change('é', 5);
    expect(pair.tracker.takeMoved()).toMatchObject([
      { playerId: 'a', rank: 3, prevRank: 1 },
      { playerId: 'b', rank: 2, prevRank: 1 },
    ]);
  });

  it('ends a tick early where thousands of newcomers would have to be compared with it', () => {
    const board = new BruteBoard();
    const tracker = new RankTracker();
    const ids = Array.from({ length: 4_000 }, (_, index) => `p${index}`);
    for (const [index, id] of ids.entries()) board.scores.set(id, 10_000 - index);
    tracker.add(ids.map((id, index) => new TrackedPlayer(id, 10_000 - index, index + 1)));
    const join = (count: number) => {
      const change = board.apply(`new${count}`, 20_000 + count, count);
      if (change !== null) tracker.fold(change);
    };
    for (let count = 1; count <= 50; count++) join(count);
    expect(tracker.get('p7')?.rank).toBe(8);
    join(51);
    expect(tracker.get('p7')?.rank).toBe(58);
    tracker.settle();
    expect(tracker.get('p7')).toMatchObject(board.standing('p7'));
    expect(tracker.takeMoved()).toHaveLength(4_000);
  });
});
