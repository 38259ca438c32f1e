/** Friend lists that a test changes by hand. */

import type { FriendLists } from '../../../src/gateway/subscriptions.js';

export class FakeFriends implements FriendLists {
  readonly lists = new Map<string, readonly string[]>();
  /** Runs between taking the list and answering it. */
  afterRead: () => void | Promise<void> = () => {};
  private readonly pins = new Map<string, Set<() => void>>();

  get pinCount(): number {
    return [...this.pins.values()].reduce((count, pins) => count + pins.size, 0);
  }

  async friendsOf(playerId: string): Promise<readonly string[]> {
    const list = this.lists.get(playerId) ?? [];
    await this.afterRead();
    return list;
  }

  pin(playerId: string, onChange: () => void): () => void {
    const pins = this.pins.get(playerId) ?? new Set();
    this.pins.set(playerId, pins.add(onChange));
    return () => {
      pins.delete(onChange);
    };
  }

  change(playerId: string, friends: readonly string[]): void {
    this.lists.set(playerId, friends);
    for (const onChange of this.pins.get(playerId) ?? []) onChange();
  }
}
