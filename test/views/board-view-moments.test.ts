/** A21: nothing is lost or counted twice between a snapshot and the changes that follow it, whenever they come. */

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MemoryRanking } from '../../src/ranking/memory-ranking.js';
import type { RankingReader } from '../../src/views/ranking-reader.js';
import { eventually, SEASON, TestBoard } from '../contract/ranking-fixture.js';
import { TRICKY_IDS } from './support/brute-board.js';
import { FakeRanking, type Move } from './support/fake-ranking.js';
import { holdTimers, microtasks, Recorder, rowsOf, turns, ViewRig } from './support/view-rig.js';

/** The real ranking in memory, with a place to act at each moment of a read. */
class Hooked implements RankingReader {
  afterRead: () => void = () => {};
  afterFollow: () => void = () => {};

  constructor(private readonly ranking: MemoryRanking) {}

  readonly readRange: RankingReader['readRange'] = async (list, fromRank, count) => {
    const reading = await this.ranking.readRange(list, fromRank, count);
    this.afterRead();
    return reading;
  };

  readonly readPlayers: RankingReader['readPlayers'] = async (list, playerIds) => {
    const reading = await this.ranking.readPlayers(list, playerIds);
    this.afterRead();
    return reading;
  };

  readonly readNeighbours: RankingReader['readNeighbours'] = (list, asked) => this.ranking.readNeighbours(list, asked);

  readonly follow: RankingReader['follow'] = (list, afterSeq, listener) => {
    const subscription = this.ranking.follow(list, afterSeq, listener);
    this.afterFollow();
    return subscription;
  };
}

describe('BoardView over the ranking in memory', () => {
  let memory: MemoryRanking;
  let board: TestBoard;
  let hooked: Hooked;
  let rig: ViewRig;

  beforeEach(async () => {
    holdTimers();
    memory = new MemoryRanking();
    board = new TestBoard(memory);
    await board.fill(
      Array.from({ length: 100 }, (_, index) => ({ list: SEASON, playerId: `p${index + 1}`, score: 10_000 - index })),
    );
    hooked = new Hooked(memory);
    rig = new ViewRig(hooked, 10, board.ref());
  });

  afterEach(async () => {
    rig.view.close();
    await memory.close();
    vi.useRealTimers();
  });

  /** p5 passes p4, once; `submit` hands the change to the followers before it returns. */
  function swapOnce(): () => void {
    let isDone = false;
    return () => {
      if (isDone) return;
      isDone = true;
      void board.submit(['p5', 9_997], ['p6', 9_994]);
    };
  }

  async function expectExact(): Promise<void> {
    await eventually(() => rig.view.seq === 1, 'the change was folded');
    await rig.settle();
    rig.expectTop(await board.rows());
    expect((await board.rows()).slice(3, 5).map((row) => row.playerId)).toEqual(['p5', 'p4']);
    expect([rig.view.seq, rig.reloads]).toEqual([await board.seq(), ['start']]);
  }

  const startMoments: Record<string, () => void> = {
    'before the snapshot is read': () => {
      swapOnce()();
      rig.view.start();
    },
    'between the read and the subscription': () => {
      hooked.afterRead = swapOnce();
      rig.view.start();
    },
    'after the subscription, before anybody has the snapshot': () => {
      hooked.afterFollow = swapOnce();
      rig.view.start();
    },
    'in the turn of the subscription': () => {
      rig.view.start();
      swapOnce()();
    },
  };
  for (const [moment, start] of Object.entries(startMoments)) {
    it(`has a change that comes ${moment} once in its top`, async () => {
      start();
      await rig.view.whenCurrent();
      await expectExact();
      await board.submit(['p99', 20_000]);
      expect(rig.view.seq).toBe(2);
      rig.expectTop(await board.rows());
    });
  }

  it('has a change at any promise callback after the start once in its top', async () => {
    for (let count = 0; count < 20; count++) {
      const other = new TestBoard(memory);
      await other.fill([{ list: SEASON, playerId: 'a', score: 1 }]);
      const view = new ViewRig(hooked, 10, other.ref());
      view.view.start();
      await microtasks(count);
      void other.submit(['b', 2]);
      await eventually(() => view.view.seq === 1, 'the change was folded');
      view.expectTop(await other.rows());
      expect(view.reloads).toEqual(['start']);
      view.view.close();
    }
  });

  it('has a change at any promise callback of a watch once in the ranks', async () => {
    rig.view.start();
    await rig.view.whenCurrent();
    for (let count = 0; count < 20; count++) {
      const recorder = new Recorder();
      const watching = rig.view.watch(['p4', 'p5', 'p70'], recorder);
      await microtasks(count);
      void board.submit(['p5', 20_000 + count], [`p${71 + count}`, 15_000 + count]);
      const players = await watching;
      await rig.settle();
      const truth = rowsOf(await memory.readPlayers(board.ref(), ['p4', 'p5', 'p70']));
      expect([count, ...players.map(({ playerId, score, rank }) => ({ playerId, score, rank }))]).toEqual([
        count,
        ...truth,
      ]);
      rig.view.unwatch(players, recorder);
    }
    expect(rig.reloads).toEqual(['start']);
  });
});

interface Step {
  readonly kind:
    | 'move'
    | 'elsewhere'
    | 'both'
    | 'watch'
    | 'unwatch'
    | 'hold'
    | 'feed'
    | 'lose'
    | 'replace'
    | 'wait'
    | 'turn';
  readonly moves: readonly Move[];
  readonly who: readonly string[];
  readonly count: number;
}

const playerId = fc.constantFrom(...TRICKY_IDS);
const move: fc.Arbitrary<Move> = fc.tuple(
  playerId,
  fc.oneof({ weight: 5, arbitrary: fc.nat({ max: 5 }) }, { weight: 1, arbitrary: fc.constant(null) }),
);
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    { weight: 8, arbitrary: fc.constant('move' as const) },
    { weight: 4, arbitrary: fc.constantFrom('elsewhere' as const, 'both' as const) },
    { weight: 6, arbitrary: fc.constant('watch' as const) },
    { weight: 2, arbitrary: fc.constantFrom('unwatch' as const, 'hold' as const, 'feed' as const, 'wait' as const) },
    { weight: 1, arbitrary: fc.constantFrom('lose' as const, 'replace' as const, 'turn' as const) },
  ),
  moves: fc.array(move, { minLength: 1, maxLength: 4 }),
  who: fc.uniqueArray(playerId, { minLength: 1, maxLength: 4 }),
  count: fc.nat({ max: 12 }),
});

/** Watches come and go, answers take their time, entries are late or lost, histories are replaced. */
async function play(steps: readonly Step[]): Promise<void> {
  const ranking = new FakeRanking({ a: 3, '😀': 3, Ａ: 3, b: 1, '9': 5, '~': 0 });
  const rig = new ViewRig(ranking, 2);
  const watches: Promise<() => void>[] = [];
  const recorders = new Set<Recorder>();
  let delay = 0;
  ranking.beforeRead = () => microtasks(delay);
  ranking.afterRead = () => microtasks(delay * 2);
  rig.view.start();
  for (const { kind, moves, who, count } of steps) {
    if (kind === 'move') ranking.apply(...moves);
    else if (kind === 'elsewhere') ranking.applyElsewhere(...moves);
    else if (kind === 'both') ranking.applyInBoth(...moves);
    else if (kind === 'hold') ranking.isFeeding = false;
    else if (kind === 'lose') ranking.applyLost(...moves);
    else if (kind === 'replace')
      ranking.replace(count, Object.fromEntries(moves.map(([id, score]) => [id, score ?? 1])));
    else if (kind === 'wait') await microtasks(count);
    else if (kind === 'turn') await turns(1);
    else if (kind === 'unwatch') void watches.shift()?.then((unwatch) => unwatch());
    else if (kind === 'watch') {
      delay = count;
      const recorder = new Recorder();
      watches.push(
        rig.view.watch(who, recorder).then((players) => {
          recorder.note(players);
          recorders.add(recorder);
          return () => {
            rig.view.unwatch(players, recorder);
            recorders.delete(recorder);
          };
        }),
      );
    } else {
      ranking.isFeeding = true;
      ranking.catchUp();
    }
  }
  ranking.isFeeding = true;
  ranking.catchUp();
  // Two looks at one position, after those that the last changes still step between, and every retry lie within.
  for (let i = 0; i < 5; i++) {
    ranking.tellPosition();
    await vi.advanceTimersByTimeAsync(600);
  }
  let servedCount = 0;
  for (const watch of watches) void watch.then(() => servedCount++);
  await turns(3);
  expect(servedCount).toBe(watches.length);
  await vi.advanceTimersByTimeAsync(750);
  expect({ epoch: rig.view.epoch, seq: rig.view.seq }).toEqual({ epoch: ranking.epoch, seq: ranking.seq });
  rig.expectTop(ranking.board.rows());
  const watched = new Set<string>();
  for (const recorder of recorders) {
    for (const [player, known] of recorder.known) {
      watched.add(player.playerId);
      const { playerId: id, score, rank } = player;
      expect({ playerId: id, score, rank }).toEqual(standing(ranking, id));
      // A reset shows everything anew; without one, what the watcher was told is the state.
      if (rig.reloads.length === 1) expect(known).toEqual(standing(ranking, id));
    }
  }
  expect(rig.view.trackedCount).toBe(watched.size);
  expect(rig.shortTops).toBe(0);
  rig.view.close();
}

function standing(ranking: FakeRanking, id: string) {
  const row = ranking.board.standing(id);
  return { playerId: id, score: row.score, rank: row.rank };
}

describe('BoardView', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('ends exact for every watcher, whatever the order of answers, changes, losses and replacements', async () => {
    holdTimers();
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), play), { numRuns: 150 });
  });
});
