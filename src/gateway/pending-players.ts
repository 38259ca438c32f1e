/** The players of a window whose rows wait to be sent, each once: nearly always one or two, while a socket is full all of them. */

import type { TrackedPlayer } from './windows.js';

/** Up to here a look at each does, without a set for every window. */
const MAX_FEW = 32;

export class PendingPlayers {
  private few: TrackedPlayer[] = [];
  private many: Set<TrackedPlayer> | null = null;

  add(player: TrackedPlayer): void {
    if (this.many !== null) this.many.add(player);
    else if (this.few.includes(player)) return;
    else if (this.few.length < MAX_FEW) this.few.push(player);
    else this.many = new Set([...this.few, player]);
  }

  clear(): void {
    this.few = [];
    this.many = null;
  }

  /** In the order they were added; valid until the next change. */
  list(): readonly TrackedPlayer[] {
    return this.many === null ? this.few : [...this.many];
  }
}
