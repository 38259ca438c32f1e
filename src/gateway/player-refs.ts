/** Short numbers for players on one board: the wire names a player by his id once per window, then by his ref. */

export class PlayerRefs {
  private readonly refs = new Map<string, number>();

  /** The player's ref, valid within an epoch; given out at first use and never to another player. */
  of(playerId: string): number {
    const known = this.refs.get(playerId);
    if (known !== undefined) return known;
    const ref = this.refs.size + 1;
    this.refs.set(playerId, ref);
    return ref;
  }
}
