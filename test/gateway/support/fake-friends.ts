/** Friend lists that a test changes by hand. */

import type { FriendList, FriendLists, FriendsWatcher } from '../../../src/gateway/friend-lists.js';

export class FakeFriends implements FriendLists {
  readonly lists = new Map<string, readonly string[]>();
  /** Runs between taking the list and answering it. */
  afterRead: () => void | Promise<void> = () => {};
  private readonly pins = new Map<string, Set<FriendsWatcher>>();
  /** Lists that somebody still has to release. */
  heldCount = 0;

  get pinCount(): number {
    return [...this.pins.values()].reduce((count, pins) => count + pins.size, 0);
  }

  async friendsOf(playerId: string): Promise<readonly string[]> {
    const list = this.lists.get(playerId) ?? [];
    await this.afterRead();
    return list;
  }

  async holdFriendsOf(playerId: string): Promise<FriendList> {
    const ids = await this.friendsOf(playerId);
    this.heldCount += 1;
    return {
      length: ids.length,
      ids: () => ids,
      release: () => {
        this.heldCount -= 1;
      },
    };
  }

  pin(playerId: string, watcher: FriendsWatcher): void {
    const pins = this.pins.get(playerId) ?? new Set();
    this.pins.set(playerId, pins.add(watcher));
  }

  unpin(playerId: string, watcher: FriendsWatcher): void {
    this.pins.get(playerId)?.delete(watcher);
  }

  change(playerId: string, friends: readonly string[]): void {
    this.lists.set(playerId, friends);
    for (const watcher of this.pins.get(playerId) ?? []) watcher.friendsChanged();
  }
}
