/** What windows of friends need of the friend graph. */

/** One player's friends, stored once for all who hold them. */
export interface FriendList {
  readonly length: number;
  ids(): readonly string[];
  /** Gives it up, once. */
  release(): void;
}

export interface FriendsWatcher {
  friendsChanged(): void;
}

export interface FriendLists {
  /** The list as it is now; the caller must release it. */
  holdFriendsOf(playerId: string): Promise<FriendList>;
  /** Keeps the list at hand and tells the watcher of each change until `unpin`. */
  pin(playerId: string, watcher: FriendsWatcher): void;
  unpin(playerId: string, watcher: FriendsWatcher): void;
}
