import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import { FakeRanking, gate } from './support/fake-ranking.js';
import { holdTimers, LIST, microtasks, Recorder, standingsOf, turns, ViewRig } from './support/view-rig.js';

const ROWS = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`p${index + 1}`, 1_000 - 10 * index]));

let ranking: FakeRanking;
let rig: ViewRig;

async function startView(): Promise<void> {
  ranking = new FakeRanking(ROWS);
  rig = await ViewRig.current(ranking);
}

const standings = (...ids: readonly string[]) => ids.map((id) => ranking.board.standing(id));

beforeEach(async () => {
  holdTimers();
  await startView();
});
afterEach(() => {
  rig.view.close();
  vi.useRealTimers();
});

describe('BoardView top', () => {
  it('follows joins, improvements, falls and removals', () => {
    ranking.apply(['new', 2_000], ['p2', 3_000]);
    ranking.apply(['p1', 5], ['p2', null]);
    rig.expectTop(ranking.board.rows());
    expect(rig.view.seq).toBe(4);
    expect(rig.topLengths).toEqual([3, 3]);
  });

  it('says nothing about changes below the largest window', () => {
    ranking.apply(['p20', 815], ['low', 1]);
    expect(rig.topLengths).toEqual([]);
    expect(rig.view.total).toBe(21);
  });

  it('reads more rows when removals have used up its reserve, and never shows fewer than there are', async () => {
    for (const id of ['p1', 'p2', 'p3', 'p4', 'p5', 'p6']) {
      ranking.apply([id, null]);
      await turns();
      rig.expectTop(ranking.board.rows());
    }
    expect(rig.reloads).toEqual(['start', 'refill']);
    expect(new Set(rig.topLengths)).toEqual(new Set([3]));
  });
});

describe('BoardView beside other lists of its tag', () => {
  it('moves on in seq with a change of another list, and in nothing else', async () => {
    const recorder = new Recorder();
    const players = await rig.view.watch(['p5', 'new'], recorder);
    ranking.applyElsewhere(['p5', 9_000], ['new', 9_001], ['p1', 3]);
    ranking.applyElsewhere(['p5', null]);
    await rig.settle();
    expect(rig.view.seq).toBe(4);
    rig.expectTop(ranking.board.rows());
    expect(standingsOf(players)).toEqual(standings('p5', 'new'));
    expect([rig.topLengths, rig.totals, recorder.moves, rig.reloads]).toEqual([[], [], [], ['start']]);
  });

  it('takes its own changes out of a set that holds those of other lists, too', async () => {
    const recorder = new Recorder();
    const players = await rig.view.watch(['p5', 'new'], recorder);
    ranking.applyInBoth(['p5', 995], ['new', 2_000], ['p1', 3]);
    await rig.settle();
    expect(rig.view.seq).toBe(6);
    rig.expectTop(ranking.board.rows());
    expect(standingsOf(players)).toEqual(standings('p5', 'new'));
    expect(rig.reloads).toEqual(['start']);
  });

  it('brings an answer up past the changes of another list', async () => {
    ranking.afterRead = () => ranking.applyInBoth(['p12', 2_000], ['p9', 2_001], ['p7', null]);
    const players = await rig.view.watch(['p9', 'p7', 'p5'], new Recorder());
    expect(standingsOf(players)).toEqual(standings('p9', 'p7', 'p5'));
    ranking.afterRead = () => ranking.applyElsewhere(['p13', 5], ['p12', null], ['p9', null]);
    expect(standingsOf(await rig.view.watch(['p13'], new Recorder()))).toEqual(standings('p13'));
  });

  it('reads and follows the list that it is given', async () => {
    const list = { ...LIST, definitionHash: 'other', list: 'w:2026-W42' };
    const calls = [vi.spyOn(ranking, 'readRange'), vi.spyOn(ranking, 'readPlayers'), vi.spyOn(ranking, 'follow')].map(
      ({ mock }) => mock.calls,
    );
    const other = new ViewRig(ranking, 3, list);
    other.view.start();
    await other.view.watch(['p5'], new Recorder());
    expect(calls.map(([first]) => first?.[0])).toEqual([list, list, list]);
    other.view.close();
  });
});

describe('BoardView watch', () => {
  it('answers in the order asked, unranked players included', async () => {
    const players = await rig.view.watch(['p9', 'nobody', 'p1'], new Recorder());
    expect(standingsOf(players)).toEqual(standings('p9', 'nobody', 'p1'));
    expect(rig.view.trackedCount).toBe(3);
  });

  it('brings up an answer that is behind the fold', async () => {
    ranking.afterRead = () => ranking.apply(['p12', 2_000], ['p4', 1], ['p9', 2_001], ['p7', null]);
    const players = await rig.view.watch(['p9', 'p7', 'p5', 'p4'], new Recorder());
    expect(standingsOf(players)).toEqual(standings('p9', 'p7', 'p5', 'p4'));
  });

  it('lets an answer that is ahead of the fold wait for it', async () => {
    ranking.isFeeding = false;
    ranking.apply(['p12', 2_000], ['p5', 1_999]);
    let isDone = false;
    const watching = rig.view.watch(['p5', 'p6'], new Recorder()).finally(() => {
      isDone = true;
    });
    await turns();
    expect([isDone, rig.view.seq]).toEqual([false, 0]);
    ranking.apply(['p13', 3_000]);
    ranking.isFeeding = true;
    ranking.catchUp();
    expect(standingsOf(await watching)).toEqual(standings('p5', 'p6'));
  });

  it('gives up on a fold that never reaches the answer, and keeps nothing of it', async () => {
    ranking.isFeeding = false;
    ranking.apply(['p12', 2_000]);
    const watching = rig.view.watch(['p5'], new Recorder());
    const refused = expect(watching).rejects.toBeInstanceOf(StoreUnavailableError);
    await vi.advanceTimersByTimeAsync(4_900);
    expect(rig.view.trackedCount).toBe(0);
    await vi.advanceTimersByTimeAsync(200);
    await refused;
    expect(rig.view.trackedCount).toBe(0);
  });

  it('is exact whichever promise callback a change falls between', async () => {
    for (let count = 0; count < 25; count++) {
      await startView();
      const recorder = new Recorder();
      const watching = rig.view.watch(['p5', 'p6', 'p8'], recorder);
      await microtasks(count);
      ranking.apply(['p12', 2_000], ['p6', 2_001], ['p2', 950]);
      const players = await watching;
      recorder.note(players);
      await rig.settle();
      expect([count, ...standingsOf(players)]).toEqual([count, ...standings('p5', 'p6', 'p8')]);
      rig.view.close();
    }
  });

  it('tells an own change at once and moves by others within half a second', async () => {
    const recorder = new Recorder();
    recorder.note(await rig.view.watch(['p5', 'p9'], recorder));
    ranking.apply(['p9', 995]);
    expect(recorder.moves).toEqual(['p9 9>2']);
    await vi.advanceTimersByTimeAsync(700);
    expect(recorder.moves).toEqual(['p9 9>2', 'p5 5>6']);
    expect(recorder.standings()).toEqual(standings('p5', 'p9'));
    await vi.advanceTimersByTimeAsync(2_000);
    expect(recorder.moves).toHaveLength(2);
  });

  it('reads a player once for all who watch him, and forgets him after the last', async () => {
    const [first, second] = [new Recorder(), new Recorder()];
    const mine = await rig.view.watch(['p5'], first);
    const reads = ranking.reads.length;
    const yours = await rig.view.watch(['p5'], second);
    expect(yours[0]).toBe(mine[0]);
    expect(ranking.reads.length).toBe(reads);
    rig.view.unwatch(mine, first);
    ranking.apply(['p5', 5_000]);
    expect([first.moves, second.moves]).toEqual([[], ['p5 5>1']]);
    rig.view.unwatch(yours, second);
    expect(rig.view.trackedCount).toBe(0);
    ranking.apply(['p5', 6_000]);
    expect(second.moves).toHaveLength(1);
  });

  it('makes one player of two watches that read him at the same time', async () => {
    const [first, second] = [new Recorder(), new Recorder()];
    const [mine, yours] = await Promise.all([rig.view.watch(['p5'], first), rig.view.watch(['p6', 'p5'], second)]);
    expect(yours[1]).toBe(mine[0]);
    ranking.apply(['p5', 5_000]);
    expect([first.moves, second.moves]).toEqual([['p5 5>1'], ['p5 5>1']]);
    expect(rig.view.trackedCount).toBe(2);
  });

  it('finds a player again whom somebody else let go during the read', async () => {
    const [first, second] = [new Recorder(), new Recorder()];
    const mine = await rig.view.watch(['p5'], first);
    const held = gate();
    ranking.afterRead = () => held.passed;
    const watching = rig.view.watch(['p5', 'p6'], second);
    await turns();
    rig.view.unwatch(mine, first);
    ranking.apply(['p9', 2_000]);
    ranking.afterRead = () => {};
    held.open();
    expect(standingsOf(await watching)).toEqual(standings('p5', 'p6'));
    expect(rig.view.trackedCount).toBe(2);
  });

  it('reads 2,500 players in chunks, each brought up from its own seq', async () => {
    const many = Object.fromEntries(Array.from({ length: 2_600 }, (_, index) => [`m${index}`, 10_000 - index]));
    rig.view.close();
    ranking = new FakeRanking(many);
    rig = await ViewRig.current(ranking);
    let chunk = 0;
    ranking.afterRead = () => {
      chunk += 1;
      ranking.apply([`m${2_590 + chunk}`, 20_000 + chunk], [`m${chunk * 800}`, 30_000 + chunk]);
    };
    const ids = Array.from({ length: 2_500 }, (_, index) => `m${index}`);
    const players = await rig.view.watch(ids, new Recorder());
    expect(ranking.reads.filter((read) => read.kind === 'players').map((read) => read.playerIds.length)).toEqual([
      1_000, 1_000, 500,
    ]);
    const rows = new Map(ranking.board.rows().map((row) => [row.playerId, row]));
    expect(standingsOf(players)).toEqual(ids.map((id) => rows.get(id)));
  });

  it('throws what the store throws, also from a later chunk, and keeps nothing', async () => {
    const ids = Array.from({ length: 2_500 }, (_, index) => `q${index}`);
    ranking.beforeRead = ({ playerIds }) => {
      if (playerIds.includes('q1500')) throw new StoreUnavailableError('redis is away');
    };
    await expect(rig.view.watch(ids, new Recorder())).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(rig.view.trackedCount).toBe(0);
    ranking.beforeRead = () => {};
    expect(await rig.view.watch(ids, new Recorder())).toHaveLength(2_500);
  });

  it('keeps nothing of a watch that had to read twice and failed the second time', async () => {
    const [first, second] = [new Recorder(), new Recorder()];
    const mine = await rig.view.watch(['p5'], first);
    const held = gate();
    ranking.afterRead = () => held.passed;
    const watching = rig.view.watch(['p5', 'p6'], second);
    const refused = expect(watching).rejects.toBeInstanceOf(StoreUnavailableError);
    await turns();
    rig.view.unwatch(mine, first);
    ranking.beforeRead = () => {
      throw new StoreUnavailableError('redis is away');
    };
    held.open();
    await refused;
    expect(rig.view.trackedCount).toBe(0);
  });

  it('is refused where the board has gone', async () => {
    ranking.isFilled = false;
    await expect(rig.view.watch(['p5'], new Recorder())).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(rig.view.trackedCount).toBe(0);
  });

  it('waits for the first snapshot, and is refused after five seconds without one', async () => {
    rig.view.close();
    ranking = new FakeRanking(ROWS);
    ranking.isFilled = false;
    rig = new ViewRig(ranking);
    rig.view.start();
    const refused = expect(rig.view.watch(['p5'], new Recorder())).rejects.toBeInstanceOf(StoreUnavailableError);
    await vi.advanceTimersByTimeAsync(5_100);
    await refused;
    ranking.isFilled = true;
    await vi.advanceTimersByTimeAsync(300);
    expect(standingsOf(await rig.view.watch(['p5'], new Recorder()))).toEqual(standings('p5'));
    expect(rig.resets).toEqual([ranking.epoch]);
  });

  it('leaves the feed when it is closed', () => {
    expect(ranking.followerCount).toBe(1);
    rig.view.close();
    expect(ranking.followerCount).toBe(0);
    ranking.apply(['p9', 5_000]);
    expect(rig.topLengths).toEqual([]);
  });

  it('tells the time of a result with the move of its own player, and none with moves by others', async () => {
    const recorder = new Recorder();
    const [, ninth] = await rig.view.watch(['p5', 'p9'], recorder);
    ranking.apply(['p9', 995]);
    expect([recorder.moves, recorder.times]).toEqual([['p9 9>2'], [ninth?.at]]);
    expect(ninth?.at).toBe(1_700_000_000_001);
    ranking.apply(['p12', 2_000]);
    await rig.settle();
    expect(recorder.moves.slice(1).toSorted()).toEqual(['p5 5>7', 'p9 2>3']);
    expect(recorder.times.slice(1)).toEqual([null, null]);
  });

  it('answers a known player as he was settled last, and tells the newcomer the rest soon', async () => {
    const [first, second] = [new Recorder(), new Recorder()];
    await rig.view.watch(['p5'], first);
    ranking.apply(['p12', 2_000], ['p13', 2_001]);
    second.note(await rig.view.watch(['p5', 'p6'], second));
    expect(second.standings().map((one) => one.rank)).toEqual([5, 8]);
    await rig.settle();
    expect(first.moves).toEqual(['p5 5>7']);
    expect(second.moves).toEqual(['p5 5>7']);
    expect(second.standings()).toEqual(standings('p5', 'p6'));
  });
});
