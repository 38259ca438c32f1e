/**
 * How many rows came above keys that stand still, net, since a moment. Every key is in a gap between two of `keys`: rows of another
 * gap are above or below it whatever the key is, and are counted by gap in a Fenwick tree (P. Fenwick, 1994); only those of its
 * own gap are compared with it one by one. A change takes some 15 steps for 20,000 keys, and none where it leaves no gap.
 */

import type { Change } from '../domain/change.js';
import { isKeyAbove } from '../domain/order-key.js';

/** A key, and the moment from which on rows count for it. */
export interface CrossingMark {
  readonly gap: number;
  readonly score: number;
  readonly playerId: string;
  /** What had come to the gaps above until then. */
  readonly above: number;
  /** The last row noted in its gap until then. */
  readonly lastInGap: number;
}

const NONE = -1;

export class CrossingCounts {
  /** Net number of rows that came to each gap; gap i lies above key i. */
  readonly net: Int32Array;
  /** Rows came or left. */
  hasRows = false;
  private readonly tree: Int32Array;
  private readonly marksInGap: Int32Array;
  /** The last row noted in each gap; the one before it is in `before`. A gap without marks needs none. */
  private readonly lastInGap: Int32Array;
  private readonly before: number[] = [];
  private readonly steps: number[] = [];
  private readonly scores: number[] = [];
  private readonly ids: string[] = [];
  private comparisons = 0;

  /** The keys in order, the best first: their scores, and who has the ids. Neither may change. */
  constructor(
    private readonly keyScores: Float64Array,
    private readonly keyOwners: readonly { readonly playerId: string }[],
  ) {
    const gaps = keyScores.length + 1;
    this.net = new Int32Array(gaps);
    this.tree = new Int32Array(gaps + 1);
    this.marksInGap = new Int32Array(gaps);
    this.lastInGap = new Int32Array(gaps).fill(NONE);
  }

  /** Looks at single rows that all marks together will take, at most. */
  get maxComparisons(): number {
    return this.comparisons;
  }

  add({ playerId, scoreBefore, score }: Change): void {
    this.hasRows = true;
    const left = scoreBefore === null ? NONE : this.gapOf(scoreBefore, playerId);
    const come = score === null ? NONE : this.gapOf(score, playerId, left);
    if (left !== come) {
      if (left !== NONE) this.count(left, -1);
      if (come !== NONE) this.count(come, 1);
    }
    if (scoreBefore !== null) this.note(left, -1, scoreBefore, playerId);
    if (score !== null) this.note(come, 1, score, playerId);
  }

  /** Rows count for the key from now on. */
  mark(score: number, playerId: string): CrossingMark {
    const gap = this.gapOf(score, playerId);
    this.marksInGap[gap] = (this.marksInGap[gap] ?? 0) + 1;
    return { gap, score, playerId, above: this.countAbove(gap), lastInGap: this.lastInGap[gap] ?? NONE };
  }

  /** By how many places the marked key fell since; negative: rose. */
  placesSince({ gap, score, playerId, above, lastInGap }: CrossingMark): number {
    let places = this.countAbove(gap) - above;
    for (let row = this.lastInGap[gap] ?? NONE; row > lastInGap; row = this.before[row] ?? NONE) {
      if (isKeyAbove(this.scores[row] ?? 0, this.ids[row] ?? '', score, playerId)) places += this.steps[row] ?? 0;
    }
    return places;
  }

  private count(gap: number, step: 1 | -1): void {
    this.net[gap] = (this.net[gap] ?? 0) + step;
    for (let i = gap + 1; i < this.tree.length; i += i & -i) this.tree[i] = (this.tree[i] ?? 0) + step;
  }

  private note(gap: number, step: 1 | -1, score: number, playerId: string): void {
    const marks = this.marksInGap[gap] ?? 0;
    if (marks === 0) return;
    this.before.push(this.lastInGap[gap] ?? NONE);
    this.lastInGap[gap] = this.steps.length;
    this.steps.push(step);
    this.scores.push(score);
    this.ids.push(playerId);
    this.comparisons += marks;
  }

  /** What came to all gaps above this one. */
  private countAbove(gap: number): number {
    let sum = 0;
    for (let i = gap; i > 0; i -= i & -i) sum += this.tree[i] ?? 0;
    return sum;
  }

  /** How many keys stand above this one; one that is the same does not. `near`: a gap that may be close to it. */
  private gapOf(score: number, playerId: string, near = NONE): number {
    let low = 0;
    let high = this.keyScores.length;
    if (near !== NONE) {
      // Most rows move a little: the range is widened from there in steps that double.
      let step = 1;
      if (near < high && this.isAbove(near, score, playerId)) {
        low = near + 1;
        while (low + step <= high && this.isAbove(low + step - 1, score, playerId)) {
          low += step;
          step *= 2;
        }
        high = Math.min(high, low + step - 1);
      } else {
        high = near;
        while (high - step >= 0 && !this.isAbove(high - step, score, playerId)) {
          high -= step;
          step *= 2;
        }
        low = Math.max(low, high - step + 1);
      }
    }
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.isAbove(middle, score, playerId)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether a key stands above. */
  private isAbove(index: number, score: number, playerId: string): boolean {
    const other = this.keyScores[index] ?? 0;
    return other === score ? isKeyAbove(other, this.keyOwners[index]?.playerId ?? '', score, playerId) : other > score;
  }
}
