/** Who is a friend of whom, as the run made it: friendship goes both ways. */

export class FriendGraph {
  private readonly friends = new Map<string, Set<string>>();

  set(a: string, b: string, areFriends: boolean): void {
    for (const [one, other] of [
      [a, b],
      [b, a],
    ] as const) {
      const known = this.friends.get(one) ?? new Set();
      if (areFriends) known.add(other);
      else known.delete(other);
      this.friends.set(one, known);
    }
  }

  friendsOf(playerId: string): ReadonlySet<string> {
    return this.friends.get(playerId) ?? new Set();
  }
}
