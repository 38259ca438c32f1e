/** Changes folded while a read was under way: they bring what was read at one seq up to the view's seq. */

import type { Change, ChangeSet, Standing } from '../domain/change.js';
import { TrackedPlayer } from './tracked-player.js';

export class RecentChanges {
  private readonly changes: { readonly seq: number; readonly change: Change }[] = [];
  private awaitedSeq = Number.POSITIVE_INFINITY;
  private wakeUp = (): void => {};

  /** `list`: the name of the one that is read. */
  constructor(private readonly list: string) {}

  add(set: ChangeSet): void {
    // A set is one call: what is read was read before all of it, or behind.
    for (const change of set.changes) if (change.list === this.list) this.changes.push({ seq: set.toSeq, change });
    if (set.toSeq >= this.awaitedSeq) this.wakeUp();
  }

  /** Resolves when the fold has passed `seq`, or at `wake`. */
  async passed(seq: number): Promise<void> {
    this.awaitedSeq = seq;
    await new Promise<void>((resolve) => {
      this.wakeUp = resolve;
    });
  }

  /** Nothing more will come that is worth waiting for. */
  wake(): void {
    this.wakeUp();
  }

  /** A player as he stands now, from his standing at `seq` and every change above it. */
  bringUp(standing: Standing, seq: number): TrackedPlayer {
    const player = new TrackedPlayer(standing.playerId, standing.score, standing.rank, standing.isHidden === true);
    for (const recent of this.changes) {
      if (recent.seq <= seq) continue;
      if (recent.change.playerId === player.playerId) player.applyOwnChange(recent.change);
      else player.shift(player.placesMovedBy(recent.change));
    }
    return player;
  }
}
