/** A board of many players in a Redis of the bench's own, filled from here; who plays next is Zipf. */

import { addToSum, EMPTY_SUM } from '../../src/domain/fill-entry.js';
import type { TagList } from '../../src/domain/lists.js';
import type { Tag } from '../../src/domain/tag.js';
import { MAX_FILL_CHUNK, type SubmitResult } from '../../src/ranking/ranking.js';
import type { RedisRanking } from '../../src/ranking/redis-ranking.js';
import { progress } from '../lib/report.js';
import { seededRandom, zipfChoice } from '../lib/zipf.js';

export const TAG: Tag = { boardId: 'bench', seasonId: '1' };
export const DEFINITION = 'bench';
/** A best board of 21 bits of points, as the built-in one. */
const MERGE = { rule: 'best', timeSpan: 2 ** 32, maxTotal: 2_097_151, isLow: false } as const;
const TIME_UNITS = 2 ** 32;
const MAX_STEP = 50;

/** Knows each player's best, so that the wanted share of results improves it. */
export class BenchLoad {
  private readonly best: Float64Array;
  private readonly random: () => number;
  private readonly choose: () => number;
  private clock = 0;
  private made = 0;
  private improved = 0;

  constructor(
    readonly players: number,
    seed: number,
    readonly lists: readonly TagList[],
    /** Share of the results that improve their player's best. */
    private readonly improve: number,
  ) {
    this.random = seededRandom(seed);
    this.choose = zipfChoice(players, this.random);
    this.best = Float64Array.from({ length: players }, () => Math.floor(this.random() * 100_000));
  }

  idOf(index: number): string {
    return `player-${index}`;
  }

  scoreOf(index: number): number {
    return (this.best[index] ?? 0) * TIME_UNITS + TIME_UNITS - 1;
  }

  make(offset: number): SubmitResult {
    const index = this.choose();
    const best = this.best[index] ?? 0;
    this.clock += 1;
    this.made += 1;
    let points = Math.floor(this.random() * best);
    if (this.random() < this.improve) {
      points = best + 1 + Math.floor(this.random() * MAX_STEP);
      this.best[index] = points;
      this.improved += 1;
    }
    return {
      playerId: this.idOf(index),
      score: points * TIME_UNITS + TIME_UNITS - 1 - this.clock,
      lists: this.lists,
      offset,
      at: Date.now(),
    };
  }

  improvedRatio(): number {
    return this.improved / this.made;
  }
}

export async function fillBoard(ranking: RedisRanking, load: BenchLoad): Promise<void> {
  const [list] = load.lists;
  if (list === undefined) throw new RangeError('a load has one list at least');
  await ranking.begin(TAG, { hash: DEFINITION, merge: MERGE }, { jobId: 'bench', positions: [], hidden: [] });
  let chunk = 0;
  let sum = EMPTY_SUM;
  for (let from = 0; from < load.players; from += MAX_FILL_CHUNK) {
    const count = Math.min(MAX_FILL_CHUNK, load.players - from);
    const entries = Array.from({ length: count }, (_, i) => ({
      list,
      playerId: load.idOf(from + i),
      score: load.scoreOf(from + i),
    }));
    await ranking.load(TAG, 'bench', chunk, entries);
    sum = addToSum(sum, entries);
    chunk += 1;
    if (chunk % 100 === 0) progress(`filled ${from + count} of ${load.players} players`);
  }
  await ranking.finish(TAG, 'bench', chunk, sum);
}
