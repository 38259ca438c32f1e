/** Bytes of players' rows, kept for a while on the players themselves: whoever sends one soon after need not encode it again. */

import type { TrackedPlayer } from '../views/tracked-player.js';

/** Flushes for one change, and the snapshots of many who come at once, are nearer together; kept for ever they would outweigh the player. */
const KEEP_MS = 1_000;

export class KeptRows {
  private players: TrackedPlayer[] = [];

  /** The player has bytes from now on. */
  keep(player: TrackedPlayer): void {
    if (this.players.length === 0) setTimeout(() => this.forget(), KEEP_MS).unref();
    this.players.push(player);
  }

  private forget(): void {
    for (const player of this.players) player.forgetEncoded();
    this.players = [];
  }
}
