/**
 * Tells watchers whom others have moved, some at a turn: a change may move everybody, and results come first. Those who are
 * moved while this goes on are for the next time, or it would never end.
 */

import type { RankTracker } from './rank-tracker.js';
import type { TrackedPlayer } from './tracked-player.js';
import type { Watchers } from './watchers.js';

/** Watchers told in one turn. */
const TOLD_AT_ONCE = 1_000;

export class ToldMoves {
  /** Players of whom watchers are still to be told this time. */
  private left = 0;

  /** `isCurrent`: whether ranks may be told now; where not, what is left comes anew with the next history. */
  constructor(
    private readonly tracker: RankTracker,
    private readonly watchers: Watchers,
    private readonly isCurrent: () => boolean,
  ) {}

  /** Begins, unless the last time is still going on. */
  tell(): void {
    if (this.left > 0) return;
    this.tracker.settle();
    this.left = this.tracker.movedCount;
    this.tellSome();
  }

  private tellSome(): void {
    const players: readonly TrackedPlayer[] = this.isCurrent() ? this.tracker.takeSettled(TOLD_AT_ONCE) : [];
    for (const player of players) this.watchers.tell(player, null);
    // Some may have been released, or told with a result of theirs: then there are fewer than were counted.
    this.left = players.length === 0 ? 0 : Math.max(0, this.left - players.length);
    if (this.left > 0) setImmediate(() => this.tellSome());
  }
}
