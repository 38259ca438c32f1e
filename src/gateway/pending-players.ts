/** The players of a window whose rows wait to be sent, each once: nearly always one or two, while a socket is full all of them. */

import type { TrackedPlayer } from './windows.js';

/** Up to here a look at each does, without a set for every window. */
const MAX_FEW = 32;
const NOBODY: readonly TrackedPlayer[] = [];

export class PendingPlayers {
  /** Made anew for each flush: what is left of an array that was emptied is larger than one of a player or two. */
  private few: TrackedPlayer[] | null = null;
  private many: Set<TrackedPlayer> | null = null;

  add(player: TrackedPlayer): void {
    if (this.many !== null) this.many.add(player);
    else if (this.few === null) this.few = [player];
    else if (this.few.includes(player)) return;
    else if (this.few.length < MAX_FEW) this.few.push(player);
    else this.many = new Set([...this.few, player]);
  }

  delete(player: TrackedPlayer): void {
    if (this.many !== null) this.many.delete(player);
    else if (this.few?.includes(player)) this.few = this.few.filter((one) => one !== player);
  }

  get isEmpty(): boolean {
    return this.many === null ? this.few === null || this.few.length === 0 : this.many.size === 0;
  }

  clear(): void {
    this.few = null;
    this.many = null;
  }

  /** In the order they were added; valid until the next change. */
  list(): readonly TrackedPlayer[] {
    return this.many === null ? (this.few ?? NOBODY) : [...this.many];
  }
}
