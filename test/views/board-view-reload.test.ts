import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import type { TrackedPlayer } from '../../src/views/tracked-player.js';
import { FakeRanking, gate } from './support/fake-ranking.js';
import { holdTimers, LIST, microtasks, Recorder, standingsOf, turns, ViewRig } from './support/view-rig.js';

const ROWS = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`p${index + 1}`, 1_000 - 10 * index]));
const WATCHED = ['p5', 'nobody', 'p9'];

let ranking: FakeRanking;
let rig: ViewRig;
let recorder: Recorder;
let players: TrackedPlayer[];

async function startView(): Promise<void> {
  ranking = new FakeRanking(ROWS);
  ranking.seq = 1_000;
  rig = await ViewRig.current(ranking);
  recorder = new Recorder();
  players = await rig.view.watch(WATCHED, recorder);
}

const standings = (...ids: readonly string[]) => ids.map((id) => ranking.board.standing(id));
const rangeReads = () => ranking.reads.filter((read) => read.kind === 'range').length;

/** Everything is as the ranking has it, and the watchers still hold the objects that move. */
async function expectExact(): Promise<void> {
  await rig.settle();
  rig.expectTop(ranking.board.rows());
  expect(standingsOf(players)).toEqual(standings(...WATCHED));
  expect({ epoch: rig.view.epoch, seq: rig.view.seq }).toEqual({ epoch: ranking.epoch, seq: ranking.seq });
  expect(await rig.view.watch(WATCHED, recorder)).toEqual(players);
  const first = players[0];
  expect((await rig.view.watch(['p5'], recorder))[0]).toBe(first);
  recorder.moves.length = 0;
  ranking.apply(['p5', 77_777]);
  expect(recorder.moves).toHaveLength(1);
  expect(first?.rank).toBe(1);
  expect(rig.view.trackedCount).toBe(WATCHED.length);
}

beforeEach(async () => {
  holdTimers();
  await startView();
});
afterEach(() => {
  rig.view.close();
  vi.useRealTimers();
});

describe('BoardView reload', () => {
  const causes: Record<string, () => void> = {
    gap: () => {
      ranking.applyLost(['p9', 5_000], ['p1', null]);
      ranking.apply(['p2', 6_000]);
    },
    epoch: () => {
      ranking.replace(1_000, { p5: 4, p9: 6, p2: 5, x: 9, y: 1 });
      ranking.apply(['z', 7]);
    },
    behind: () => {
      ranking.applyLost(['p9', 5_000]);
      ranking.seq = 12;
      ranking.tellPosition();
    },
    stuck: () => {
      ranking.applyLost(['p9', 5_000]);
      ranking.tellPosition();
      ranking.tellPosition();
    },
  };
  for (const [cause, happen] of Object.entries(causes)) {
    it(`takes one fresh snapshot at ${cause}: the same player objects, exact, one reset`, async () => {
      happen();
      await turns();
      expect(rig.reloads).toEqual(['start', cause]);
      expect(rig.resets).toHaveLength(2);
      expect(rangeReads()).toBe(2);
      await expectExact();
    });
  }

  it('notices another epoch by position alone, and a seq below its own under it', async () => {
    ranking.replace(3, { p5: 4, p9: 6 });
    ranking.tellPosition();
    await turns();
    expect(rig.reloads).toEqual(['start', 'epoch']);
    expect(rig.resets).toEqual([ranking.epoch - 1, ranking.epoch]);
    await expectExact();
  });

  it('does not know how players got to where a new history has them', async () => {
    ranking.apply(['p5', 2_000]);
    expect(players[0]).toMatchObject({ prevRank: 5, rank: 1 });
    ranking.replace(3, { p5: 4, p9: 6 });
    ranking.tellPosition();
    await turns();
    expect(players[0]).toMatchObject({ prevRank: null, at: null, rank: 2, encoded: null, encodedFirst: null });
  });

  it('takes being ahead once, and ahead with steps in between, for normal', async () => {
    ranking.isFeeding = false;
    for (let step = 0; step < 3; step++) {
      ranking.apply([`p${10 + step}`, 2_000 + step]);
      ranking.tellPosition();
      ranking.catchUp();
    }
    ranking.tellPosition();
    ranking.tellPosition();
    await turns();
    expect(rig.reloads).toEqual(['start']);
  });

  it('ignores changes that it has folded already', async () => {
    ranking.apply(['p9', 5_000]);
    ranking.follow(LIST, 1_000, { changes: () => {}, position: () => {} });
    await turns();
    expect(rig.reloads).toEqual(['start']);
    await expectExact();
  });

  it('keeps what it shows while there is no board, until there is a new one', async () => {
    ranking.isFilled = false;
    ranking.tellPosition(null);
    await turns();
    expect(rig.reloads).toEqual(['start']);
    expect(rig.view.topRows(3)).toHaveLength(3);
    expect(rig.view.isCurrent).toBe(true);
    ranking.isFilled = true;
    ranking.replace(3, { p5: 4, p9: 6, p2: 5 });
    ranking.tellPosition();
    await turns();
    await expectExact();
  });

  it('needs one snapshot only, however many changes come in while it is on its way', async () => {
    const held = gate();
    ranking.afterRead = () => held.passed;
    ranking.applyLost(['p9', 5_000]);
    for (let i = 0; i < 10; i++) {
      ranking.apply(['p2', 6_000 + i]);
      await turns(1);
    }
    ranking.afterRead = () => {};
    held.open();
    await turns();
    ranking.catchUp();
    await turns();
    expect([rig.reloads, rangeReads(), rig.resets.length]).toEqual([['start', 'gap'], 2, 2]);
    await expectExact();
  });

  it('starts over when the history is replaced once more during the snapshot', async () => {
    const held = gate();
    ranking.afterRead = ({ kind }) => (kind === 'players' ? held.passed : undefined);
    ranking.replace(3, { p5: 4, p9: 6, p2: 5 });
    ranking.tellPosition();
    await turns();
    ranking.replace(2, { p5: 8, p9: 1, p2: 5, p3: 5 });
    ranking.afterRead = () => {};
    held.open();
    ranking.apply(['q', 77]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(rig.resets).toHaveLength(2);
    await expectExact();
  });

  it('does not wait out its patience where the history that it reads is replaced or loses its end', async () => {
    for (const spoil of [() => ranking.replace(2, ROWS), () => ranking.applyLost(['p9', 4_000])]) {
      // The players are read at a seq that the feed will not bring any more.
      ranking.afterRead = ({ kind }) => {
        if (kind === 'range') ranking.applyLost(['p1', 5_000 + ranking.seq]);
        else spoil();
        ranking.afterRead = kind === 'range' ? ranking.afterRead : () => {};
      };
      ranking.replace(3, { p5: 4, p9: 6, p2: 5 });
      ranking.tellPosition();
      await turns();
      expect(rig.view.isCurrent).toBe(false);
      for (let looks = 0; looks < 2; looks++) {
        ranking.tellPosition();
        await turns();
      }
      await vi.advanceTimersByTimeAsync(300);
      expect(rig.view.isCurrent).toBe(true);
      await expectExact();
    }
  });

  it('tries again until the store answers, and tells nobody before', async () => {
    ranking.beforeRead = () => {
      throw new StoreUnavailableError('redis is away');
    };
    ranking.applyLost(['p9', 5_000]);
    ranking.apply(['p2', 6_000]);
    await vi.advanceTimersByTimeAsync(3_000);
    expect([rig.view.isCurrent, rig.resets.length, rig.view.topRows(1)[0]?.playerId]).toEqual([false, 1, 'p1']);
    ranking.beforeRead = () => {};
    await vi.advanceTimersByTimeAsync(300);
    expect([rig.view.isCurrent, rig.resets.length]).toEqual([true, 2]);
    await expectExact();
  });

  it('says nothing of single moves between the new snapshot and the reset', async () => {
    const held = gate();
    ranking.afterRead = ({ kind }) => (kind === 'players' ? held.passed : undefined);
    ranking.replace(3, ROWS);
    ranking.tellPosition();
    await turns();
    ranking.apply(['p5', 9_000], ['p7', 9_001]);
    expect([recorder.moves, rig.topLengths]).toEqual([[], []]);
    held.open();
    await turns();
    expect(rig.resets).toHaveLength(2);
    await expectExact();
  });

  it('finishes a watch that was reading when the history was replaced', async () => {
    const held = gate();
    ranking.afterRead = ({ playerIds }) => (playerIds.includes('p7') ? held.passed : undefined);
    const watching = rig.view.watch(['p7', 'p5'], recorder);
    await turns();
    ranking.replace(3, { p5: 4, p9: 6, p7: 5 });
    ranking.tellPosition();
    await turns();
    ranking.apply(['p1', 6]);
    held.open();
    const found = await watching;
    await rig.settle();
    expect(standingsOf(found)).toEqual(standings('p7', 'p5'));
    expect(found[1]).toBe(players[0]);
    expect([rig.reloads, rig.resets.length]).toEqual([['start', 'epoch'], 2]);
    rig.view.unwatch(found.slice(0, 1), recorder);
    await expectExact();
  });

  it('learns of a new epoch from the answer to a watch', async () => {
    ranking.replace(3, { p5: 4, p9: 6, p7: 5 });
    const [seventh] = await rig.view.watch(['p7'], recorder);
    expect(seventh).toMatchObject({ score: 5, rank: 2 });
    if (seventh !== undefined) rig.view.unwatch([seventh], recorder);
    expect([rig.reloads, rangeReads(), rig.resets.length]).toEqual([['start', 'epoch'], 2, 2]);
    await expectExact();
  });

  it('keeps one object of a player whichever promise callback of a watch a reload falls between', async () => {
    for (let count = 0; count < 25; count++) {
      await startView();
      const other = new Recorder();
      const watching = rig.view.watch(['p5', 'p7'], other);
      await microtasks(count);
      ranking.replace(3, { p5: 4, p9: 6, p7: 5 });
      ranking.tellPosition();
      const found = await watching;
      await turns();
      expect([count, found[0] === players[0]]).toEqual([count, true]);
      ranking.apply(['p5', 10], ['p7', 11]);
      expect([count, other.moves.length]).toEqual([count, 2]);
      await rig.settle();
      expect([count, ...standingsOf(found)]).toEqual([count, ...standings('p5', 'p7')]);
      rig.view.close();
    }
  });

  it('loads again whichever promise callback of a load the need for it falls between', async () => {
    for (let count = 0; count < 25; count++) {
      ranking = new FakeRanking(ROWS);
      const other = new ViewRig(ranking, 2);
      other.view.start();
      await microtasks(count);
      // All four rows that were loaded fall far below those that are known.
      ranking.apply(['p1', 3], ['p2', 2], ['p3', 1], ['p4', 0]);
      await turns();
      await vi.advanceTimersByTimeAsync(300);
      expect([count, other.view.topRows(2).length]).toEqual([count, 2]);
      other.expectTop(ranking.board.rows());
      other.view.close();
    }
  });

  it('forgets players whose last watcher left during the reload', async () => {
    const held = gate();
    ranking.afterRead = () => held.passed;
    ranking.replace(3, { p5: 4, p9: 6 });
    ranking.tellPosition();
    await turns();
    rig.view.unwatch(players, recorder);
    held.open();
    await turns();
    expect(rig.view.trackedCount).toBe(0);
  });
});
