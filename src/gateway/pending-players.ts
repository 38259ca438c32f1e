/** The players of a window whose rows wait to be sent, each once: nearly always one or two, while a socket is full all of them. */

import type { TrackedPlayer } from './windows.js';

/** Up to here a look at each is faster than a hash, and takes a tenth of the memory. */
const MAX_FEW = 32;

export class PendingPlayers {
  private readonly few: TrackedPlayer[] = [];
  private many: Set<TrackedPlayer> | null = null;

  get size(): number {
    return this.many?.size ?? this.few.length;
  }

  add(player: TrackedPlayer): void {
    if (this.many !== null) this.many.add(player);
    else if (this.few.includes(player)) return;
    else if (this.few.length < MAX_FEW) this.few.push(player);
    else this.many = new Set([...this.few, player]);
  }

  clear(): void {
    // Kept: the next change needs it again, and a new one each time is work for the collector.
    this.few.length = 0;
    this.many = null;
  }

  /** In the order they were added; valid until the next change. */
  list(): readonly TrackedPlayer[] {
    return this.many === null ? this.few : [...this.many];
  }
}
