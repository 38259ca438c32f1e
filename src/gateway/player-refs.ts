/**
 * Short numbers for players: a window names a player by his id once, then by his ref. A number never goes to another
 * player, so one that a client kept too long can only be unknown, not wrong.
 */

import type { TrackedPlayer } from '../views/tracked-player.js';

export class PlayerRefs {
  private last = 0;
  /** Of players who were ever in a top window: bounded by who is ranked, not by what clients ask for. */
  private readonly ofTopPlayers = new Map<string, number>();

  ofTop(playerId: string): number {
    const known = this.ofTopPlayers.get(playerId);
    if (known !== undefined) return known;
    const ref = this.next();
    this.ofTopPlayers.set(playerId, ref);
    return ref;
  }

  /** The ref goes with the tracked player, when nobody watches him any more. */
  ofTracked(player: TrackedPlayer): number {
    if (player.ref === 0) player.ref = this.next();
    return player.ref;
  }

  private next(): number {
    this.last += 1;
    return this.last;
  }
}
