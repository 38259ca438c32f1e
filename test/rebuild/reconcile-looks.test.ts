import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Position } from '../../src/domain/log-record.js';
import { stillDiffering, waitForRanking } from '../../src/rebuild/reconcile-looks.js';
import type { ReconciledRanking, ReconciledTruth } from '../../src/rebuild/reconcile-stores.js';
import { boardSeasonOf, SEASON_LISTS } from '../support/definitions.js';

const ARENA = boardSeasonOf();
const SUSPICIOUS = [{ list: 's', playerId: 'amy' }];

function at(next: number): readonly Position[] {
  return [{ source: 'kafka:match-results', partition: 0, next }];
}

/** Both stores as a test holds them in its hands: amy's score, and what she comes to below each position. */
class Stores {
  rankingNext = 10;
  truthNext = 10;
  score = 100;
  hidden: readonly string[] = [];
  readonly folds = new Map([[10, 100]]);
  reads = 0;
  /** Runs before each read of the ranking's rows is answered. */
  duringRead: () => void = () => {};

  readonly ranking: ReconciledRanking = {
    state: async () => {
      const { hash } = ARENA.definition;
      return { definitionHash: hash, isWritten: true, writtenHash: hash, positions: at(this.rankingNext) };
    },
    readScores: async (_tag, _hash, rows) => {
      this.reads += 1;
      const scores = rows.map(() => this.score);
      this.duringRead();
      return scores;
    },
    scanLists: async () => null,
    readRange: async () => null,
    mark: async () => 'marked',
  };

  readonly truth: ReconciledTruth = {
    positions: async () => at(this.truthNext),
    hidden: async () => this.hidden,
    fold: async (_scope, _playerId, below) =>
      SEASON_LISTS.map((list) => ({ list, score: this.folds.get(below[0]?.next ?? 0) ?? null })),
  };

  async look(): Promise<readonly unknown[]> {
    return await stillDiffering(ARENA, SUSPICIOUS, this);
  }
}

let stores: Stores;
beforeEach(() => {
  vi.useFakeTimers();
  stores = new Stores();
});
afterEach(() => {
  vi.useRealTimers();
});

it('finds right who is, and does not look again', async () => {
  expect(await stores.look()).toEqual([]);
  expect(stores.reads).toBe(1);
});

it('finds differing who still is at the second look', async () => {
  stores.score = 99;
  const looking = stores.look();
  await vi.runAllTimersAsync();
  expect(await looking).toEqual(SUSPICIOUS);
  expect(stores.reads).toBe(2);
});

it('finds right who was settled between the looks', async () => {
  stores.score = 99;
  const looking = stores.look();
  await vi.advanceTimersByTimeAsync(500);
  stores.score = 100;
  await vi.runAllTimersAsync();
  expect(await looking).toEqual([]);
});

it.each([
  ['before', 100],
  ['behind', 130],
])('finds right who was read %s a result that came meanwhile', async (_when, score) => {
  stores.folds.set(12, 130);
  stores.score = score;
  stores.duringRead = () => {
    stores.rankingNext = 12;
    stores.truthNext = 12;
  };
  expect(await stores.look()).toEqual([]);
});

it('waits for the ranking where truth is ahead, and for truth where the ranking is', async () => {
  stores.truthNext = 12;
  stores.folds.set(12, 130).set(14, 150);
  const looking = stores.look();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(stores.reads).toBe(0);
  Object.assign(stores, { rankingNext: 14, score: 150 });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(stores.reads).toBe(1);
  stores.truthNext = 14;
  await vi.runAllTimersAsync();
  expect(await looking).toEqual([]);
  expect(stores.reads).toBe(1);
});

it('says who must run where truth does not come, or the ranking does not', async () => {
  stores.rankingNext = 12;
  const looking = expect(stores.look()).rejects.toThrow('a process with the role truth must be running');
  await vi.runAllTimersAsync();
  await looking;
  Object.assign(stores, { rankingNext: 10, truthNext: 12 });
  const waiting = expect(waitForRanking(ARENA, stores)).rejects.toThrow(
    'a process with the role ranking must be running',
  );
  await vi.runAllTimersAsync();
  await waiting;
});

it('does not wait for ever for a board whose season is over', async () => {
  stores.truthNext = 12;
  const season = { seasonId: '0', startsAt: Date.now() - 2_000, endsAt: Date.now() - 1_000 };
  const waiting = waitForRanking({ ...ARENA, season }, stores);
  await vi.runAllTimersAsync();
  await waiting;
});

it('takes a player for hidden who is so by now', async () => {
  stores.hidden = ['amy'];
  const looking = stores.look();
  await vi.runAllTimersAsync();
  expect(await looking).toEqual(SUSPICIOUS);
});
