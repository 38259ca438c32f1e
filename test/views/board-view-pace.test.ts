/** What a view tells at its own pace, and how long it keeps anybody waiting. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import { FakeRanking } from './support/fake-ranking.js';
import { holdTimers, Recorder, standingsOf, turns, ViewRig } from './support/view-rig.js';

const ROWS = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`p${index + 1}`, 1_000 - 10 * index]));

let ranking: FakeRanking;
let rig: ViewRig;

const standings = (...ids: readonly string[]) => ids.map((id) => ranking.board.standing(id));

beforeEach(async () => {
  holdTimers();
  ranking = new FakeRanking(ROWS);
  rig = await ViewRig.current(ranking);
});
afterEach(() => {
  rig.view.close();
  vi.useRealTimers();
});

describe('BoardView total', () => {
  it('is told within 700 ms after players came or left, once', async () => {
    await rig.settle();
    ranking.apply(['low', 1], ['lower', 0]);
    ranking.apply(['p20', null], ['p19', 5]);
    expect(rig.totals).toEqual([]);
    await vi.advanceTimersByTimeAsync(700);
    expect(rig.totals).toEqual([21]);
    ranking.apply(['p19', 6]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(rig.totals).toEqual([21]);
  });

  it('is told as well where it is back at what was told', async () => {
    ranking.apply(['low', 1]);
    await rig.settle();
    ranking.apply(['lower', 0]);
    ranking.apply(['low', null]);
    await rig.settle();
    expect(rig.totals).toEqual([21, 21]);
  });
});

describe('BoardView whose moves concern thousands of watchers', () => {
  const WATCHERS = 600;
  const WATCHED = ['p2', 'p3', 'p4', 'p5', 'p6'];
  let recorders: Recorder[];
  beforeEach(async () => {
    recorders = Array.from({ length: WATCHERS }, () => new Recorder());
    for (const recorder of recorders) await rig.view.watch(WATCHED, recorder);
    await rig.settle();
    for (const recorder of recorders) recorder.moves.length = 0;
  });

  const told = (): number => recorders.reduce((sum, { moves }) => sum + moves.length, 0);

  it('tells them in several turns, and a result that comes in between before the rest', async () => {
    ranking.apply(['p20', 2_000]);
    vi.advanceTimersByTime(700);
    const first = told();
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThanOrEqual(2 * WATCHERS);
    ranking.apply(['p6', 3_000]);
    expect(told()).toBe(first + WATCHERS);
    expect(recorders[0]?.moves.at(-1)).toBe('p6 7>1');
    await turns(10);
    // Everybody once: p6 himself was told with his result.
    expect(told()).toBe(WATCHED.length * WATCHERS);
    await vi.advanceTimersByTimeAsync(700);
    await turns(10);
    const { view } = rig;
    expect((await view.watch(['p5'], new Recorder()))[0]?.isMoved).toBe(false);
    for (const recorder of [recorders[0], recorders.at(-1)]) {
      expect(recorder?.standings().toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0))).toEqual(
        standings('p6', 'p2', 'p3', 'p4', 'p5'),
      );
    }
  });
});

describe('BoardView that cannot be read', () => {
  beforeEach(async () => {
    ranking.isFilled = false;
    ranking.replace(3, { p5: 4 });
    ranking.tellPosition();
    await turns();
    expect(rig.view.isCurrent).toBe(false);
  });

  it('refuses whoever waits five seconds after the reload began, however late he came', async () => {
    await vi.advanceTimersByTimeAsync(3_000);
    let answer: unknown;
    void rig.view.whenCurrent().catch((error: unknown) => {
      answer = error;
    });
    await vi.advanceTimersByTimeAsync(1_900);
    expect(answer).toBeUndefined();
    await vi.advanceTimersByTimeAsync(200);
    expect(answer).toBeInstanceOf(StoreUnavailableError);
  });

  it('refuses a late comer to a long outage at once, and serves him when it is over', async () => {
    await vi.advanceTimersByTimeAsync(5_100);
    const late = await Promise.race([
      rig.view.watch(['p5'], new Recorder()).catch((error: unknown) => error),
      turns(2).then(() => 'still waiting'),
    ]);
    expect(late).toBeInstanceOf(StoreUnavailableError);
    ranking.isFilled = true;
    await vi.advanceTimersByTimeAsync(300);
    expect(standingsOf(await rig.view.watch(['p5'], new Recorder()))).toEqual(standings('p5'));
  });

  it('is tried again four times a second for ten seconds, then every two seconds', async () => {
    const rangeReads = () => ranking.reads.filter((read) => read.kind === 'range').length;
    await vi.advanceTimersByTimeAsync(9_000);
    expect(rangeReads()).toBeGreaterThan(35);
    await vi.advanceTimersByTimeAsync(3_000);
    const before = rangeReads();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(rangeReads() - before).toBe(10);
    ranking.isFilled = true;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(rig.view.isCurrent).toBe(true);
  });
});
