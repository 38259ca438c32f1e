/** Scores at which rows came or left since somebody looked, so that many windows can ask at once whether something happened in them. */

import type { Change } from '../domain/change.js';

export class TouchedScores {
  private scores: number[] = [];
  private readers = 0;

  /** Notes are taken while somebody reads them. */
  open(): void {
    this.readers += 1;
  }

  close(): void {
    this.readers -= 1;
    if (this.readers === 0) this.scores = [];
  }

  add({ scoreBefore, score }: Change): void {
    if (this.readers === 0) return;
    if (scoreBefore !== null) this.scores.push(scoreBefore);
    if (score !== null) this.scores.push(score);
  }

  /** Those since the last call. */
  take(): SortedScores {
    const sorted = Float64Array.from(this.scores).sort();
    this.scores = [];
    return new SortedScores(sorted);
  }
}

export class SortedScores {
  constructor(private readonly sorted: Float64Array) {}

  /** Whether one lies between the two, or is one of them. */
  hasWithin(lowest: number, highest: number): boolean {
    let low = 0;
    let high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.sorted[middle] ?? 0) < lowest) low = middle + 1;
      else high = middle;
    }
    return (this.sorted[low] ?? Number.NaN) <= highest;
  }
}
