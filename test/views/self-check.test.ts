/** Ranks that are counted, compared with the ranking's own now and then. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeRanking, gate } from './support/fake-ranking.js';
import { holdTimers, Recorder, turns, ViewRig } from './support/view-rig.js';

const IDS = ['a', 'b', 'c', 'd', 'e'];

let ranking: FakeRanking;
let rig: ViewRig;

beforeEach(async () => {
  holdTimers();
  ranking = new FakeRanking({ a: 50, b: 40, c: 30, d: 20, e: 10, f: 35, g: 25 });
  rig = await ViewRig.current(ranking);
  await rig.view.watch(IDS, new Recorder());
  rig.view.settleRanks();
});
afterEach(() => {
  rig.view.close();
  vi.useRealTimers();
});

describe('a look at the ranks of watched players', () => {
  it('finds nothing wrong, also where others move them before, during and after the read', async () => {
    ranking.apply(['f', 60], ['g', 45], ['c', 41]);
    const reading = gate();
    ranking.beforeRead = () => reading.passed;
    const looking = rig.view.countWrong(50);
    ranking.apply(['g', 5], ['b', 70]);
    reading.open();
    await turns();
    ranking.apply(['f', 1]);
    expect(await looking).toBe(0);
    expect(rig.reloads).toEqual(['start']);
  });

  it('finds a rank that drifted, tells, and reads everything anew', async () => {
    const [b] = await rig.view.watch(['b'], new Recorder());
    if (b === undefined) throw new Error('one was asked for');
    b.rank = 7;
    expect(await rig.view.countWrong(50)).toBeGreaterThan(0);
    await turns();
    expect(rig.reloads).toEqual(['start', 'wrong']);
    expect(b.rank).toBe(2);
    expect(await rig.view.countWrong(50)).toBe(0);
  });

  it('asks nothing while nobody is watched, and while the view is read anew', async () => {
    const other = await ViewRig.current(ranking);
    const before = ranking.reads.length;
    expect(await other.view.countWrong(50)).toBe(0);
    other.view.close();
    ranking.isFilled = false;
    ranking.replace(3, { a: 1 });
    ranking.tellPosition();
    await turns();
    const during = ranking.reads.filter(({ kind }) => kind === 'players').length;
    expect(await rig.view.countWrong(50)).toBe(0);
    expect(ranking.reads.filter(({ kind }) => kind === 'players').length).toBe(during);
    expect(during).toBe(ranking.reads.slice(0, before).filter(({ kind }) => kind === 'players').length);
  });
});
