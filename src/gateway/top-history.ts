/**
 * Where a shared window stood lately, so that who comes back, or was slow, gets what he missed instead of everything.
 * The rows are shared with the present, so a position costs an array. A client can only come back to a position that was
 * published, so the newest ones are kept without a hole: with every second one gone, every second client would get a
 * snapshot. The number bounds a board that changes all the time, where far back the delta is no smaller than the snapshot
 * anyway; the age bounds a quiet one.
 */

import type { TopRow } from '../views/top-rows.js';

/** A window as it stood at one position. */
export interface Published {
  readonly rows: readonly TopRow[];
  /** As clients see it. */
  readonly epoch: number;
  readonly seq: number;
  readonly total: number;
}

/** At a board that is published every 100 ms: 13 seconds, which is several tries of a client to connect. */
export const MAX_POSITIONS = 128;
/** How long a position is kept after another was published. */
export const KEPT_MS = 60_000;

export class TopHistory {
  private readonly past: { readonly published: Published; readonly leftAt: number }[] = [];

  /** `now`: `performance.now()`, since when `published` is no longer what the window shows. */
  push(published: Published, now: number): void {
    this.past.push({ published, leftAt: now });
    this.forgetOld(now);
  }

  /** The window as it stood at `seq`, `undefined` where it never was published at it, or too long ago. */
  find(seq: number, now: number): Published | undefined {
    this.forgetOld(now);
    return this.past.find((entry) => entry.published.seq === seq)?.published;
  }

  /** There is no way from what was before to what comes now. */
  clear(): void {
    this.past.length = 0;
  }

  private forgetOld(now: number): void {
    const kept = this.past.findIndex((entry) => entry.leftAt >= now - KEPT_MS);
    const tooOld = kept === -1 ? this.past.length : kept;
    this.past.splice(0, Math.max(tooOld, this.past.length - MAX_POSITIONS));
  }
}
