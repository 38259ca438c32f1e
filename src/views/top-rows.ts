/** The head of a list, folded from changes: twice the window's size is kept, so that removals rarely need a read. */

import type { Change, Entry } from '../domain/change.js';
import { isKeyAbove } from '../domain/order-key.js';

export interface TopRow {
  readonly playerId: string;
  /** Packed score. */
  readonly score: number;
  /** Broker time of the change that put it here; `null` for rows of the starting snapshot. */
  readonly at: number | null;
}

export class TopRows {
  private rows: TopRow[] = [];
  /** Below this key rows are not known; `null` while the rows are the whole list. */
  private floor: TopRow | null = null;

  /** `size` is the largest window that is shown. */
  constructor(private readonly size: number) {}

  /** How many rows a load should read. */
  get wanted(): number {
    return 2 * this.size;
  }

  load(entries: readonly Entry[], total: number): void {
    this.rows = entries.map((entry) => ({ playerId: entry.playerId, score: entry.score, at: null }));
    this.floor = total > entries.length ? (this.rows.at(-1) ?? null) : null;
  }

  /** The first rows, in order; their ranks are 1, 2, ... */
  head(limit: number): readonly TopRow[] {
    return this.rows.slice(0, limit);
  }

  /** Removals left fewer rows than are shown while the list has more: load again. */
  get needsLoad(): boolean {
    return this.floor !== null && this.rows.length < this.size;
  }

  /** Takes one change, in order of seq; answers the smallest index that it touched, or -1. */
  fold(change: Change): number {
    let touched = -1;
    if (change.scoreBefore !== null) {
      const index = this.countAbove(change.scoreBefore, change.playerId);
      if (this.rows[index]?.playerId === change.playerId) {
        this.rows.splice(index, 1);
        touched = index;
      }
    }
    if (change.score !== null && this.isKnownRange(change.score, change.playerId)) {
      const index = this.countAbove(change.score, change.playerId);
      this.rows.splice(index, 0, { playerId: change.playerId, score: change.score, at: change.at });
      touched = touched === -1 ? index : Math.min(touched, index);
      this.trim();
    }
    return touched;
  }

  private isKnownRange(score: number, playerId: string): boolean {
    return this.floor === null || isKeyAbove(score, playerId, this.floor.score, this.floor.playerId);
  }

  private trim(): void {
    if (this.rows.length <= this.wanted) return;
    this.rows.length = this.wanted;
    this.floor = this.rows.at(-1) ?? null;
  }

  private countAbove(score: number, playerId: string): number {
    let low = 0;
    let high = this.rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const row = this.rows[middle];
      if (row !== undefined && isKeyAbove(row.score, row.playerId, score, playerId)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
