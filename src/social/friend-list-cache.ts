/** The cache of friend lists: bounded for everybody, kept for live sessions, and never older than its last invalidation. */

import { LRUCache } from 'lru-cache';
import { FriendList } from './friend-list.js';
import { IdInterner } from './id-interner.js';
import { LoadQueue } from './load-queue.js';

export interface FriendListCacheOptions {
  /** Reads a list from the store. Called once for all who ask for the same player meanwhile. */
  readonly load: (playerId: string) => Promise<readonly string[]>;
  /** Most unpinned lists. Default 500,000. */
  readonly maxLists?: number;
  /** Most friends in all unpinned lists together; an empty list counts 1. Default 20 million. */
  readonly maxFriends?: number;
  /** How long an unpinned list is believed. Default 5 minutes. */
  readonly ttlMs?: number;
  /** Most loads at the same time. Default 8. */
  readonly maxLoads?: number;
  /** A clock in milliseconds that never goes back, above 0. Default `performance.now`. */
  readonly now?: () => number;
}

interface PinnedList {
  pins: number;
  list: FriendList | null;
}

/** Cleared by an invalidation: what the load brings may be older, and is asked for again. */
interface LoadState {
  isCurrent: boolean;
}

interface RunningLoad {
  readonly state: LoadState;
  readonly ids: Promise<readonly string[]>;
}

export class FriendListCache {
  private readonly loadFromStore: FriendListCacheOptions['load'];
  private readonly maxFriends: number;
  private readonly interner = new IdInterner();
  private readonly lists: LRUCache<string, FriendList>;
  private readonly pinned = new Map<string, PinnedList>();
  private readonly loads = new Map<string, RunningLoad>();
  private readonly queue: LoadQueue;

  constructor(options: FriendListCacheOptions) {
    this.loadFromStore = options.load;
    this.maxFriends = options.maxFriends ?? 20_000_000;
    this.queue = new LoadQueue(options.maxLoads ?? 8);
    this.lists = new LRUCache({
      max: options.maxLists ?? 500_000,
      maxSize: this.maxFriends,
      ttl: options.ttlMs ?? 300_000,
      // Otherwise each look would set a timer to spare the next one a call of the clock.
      ttlResolution: 0,
      perf: { now: options.now ?? (() => performance.now()) },
      sizeCalculation: sizeOf,
      dispose: (list) => list.release(),
    });
  }

  /** How full the cache is: lists and friends are those under the bounds, ids those of pinned lists as well. */
  get size() {
    return {
      lists: this.lists.size,
      pinnedLists: this.pinned.size,
      friends: this.lists.calculatedSize,
      distinctIds: this.interner.size,
    };
  }

  /**
   * The player's friends as they are now or were at a moment after the last invalidation.
   * Rejects with the error of `load`; the next call loads again.
   */
  async get(playerId: string): Promise<readonly string[]> {
    const kept = this.kept(playerId);
    if (kept !== undefined) return kept.ids();
    return (this.loads.get(playerId) ?? this.startLoad(playerId)).ids;
  }

  /** As `get`: the cache's own list where it keeps one. The caller must release it. */
  async hold(playerId: string): Promise<FriendList> {
    const kept = this.kept(playerId);
    if (kept !== undefined) return kept.hold();
    const ids = await this.get(playerId);
    return this.kept(playerId)?.hold() ?? new FriendList(this.interner, ids);
  }

  private kept(playerId: string): FriendList | undefined {
    return this.pinned.get(playerId)?.list ?? this.lists.get(playerId);
  }

  /** Keeps the player's list outside of eviction and time limit, until `unpin` was called as often. */
  pin(playerId: string): void {
    const pinned = this.pinned.get(playerId) ?? this.firstPin(playerId);
    pinned.pins += 1;
  }

  unpin(playerId: string): void {
    const pinned = this.pinned.get(playerId);
    if (pinned === undefined) return;
    pinned.pins -= 1;
    if (pinned.pins === 0) this.lastUnpin(playerId, pinned);
  }

  /** The player's list has changed: whoever asks from now on gets the new one, also from a load that runs already. */
  invalidate(playerId: string): void {
    const running = this.loads.get(playerId);
    if (running !== undefined) running.state.isCurrent = false;
    this.lists.delete(playerId);
    const pinned = this.pinned.get(playerId);
    if (pinned !== undefined) this.dropPinned(pinned);
  }

  /** Every list may have changed. Pins stay. */
  invalidateAll(): void {
    for (const running of this.loads.values()) running.state.isCurrent = false;
    this.lists.clear();
    for (const pinned of this.pinned.values()) this.dropPinned(pinned);
  }

  private startLoad(playerId: string): RunningLoad {
    const state: LoadState = { isCurrent: true };
    const running: RunningLoad = { state, ids: this.load(playerId, state) };
    this.loads.set(playerId, running);
    return running;
  }

  private async load(playerId: string, state: LoadState): Promise<readonly string[]> {
    try {
      for (;;) {
        const ids = await this.queue.run(() => {
          // A load only lacks what changes after its start.
          state.isCurrent = true;
          return this.loadFromStore(playerId);
        });
        if (!state.isCurrent) continue;
        this.keep(playerId, new FriendList(this.interner, ids));
        return ids;
      }
    } finally {
      this.loads.delete(playerId);
    }
  }

  private keep(playerId: string, list: FriendList): void {
    const pinned = this.pinned.get(playerId);
    if (pinned !== undefined) {
      this.dropPinned(pinned);
      pinned.list = list;
    } else if (sizeOf(list) <= this.maxFriends) {
      this.lists.set(playerId, list);
    } else {
      // lru-cache would not take it, and would not say so through `dispose`.
      list.release();
    }
  }

  private firstPin(playerId: string): PinnedList {
    // Held again before the delete, whose `dispose` releases the cache's own hold.
    const list = this.lists.get(playerId)?.hold() ?? null;
    this.lists.delete(playerId);
    const pinned: PinnedList = { pins: 0, list };
    this.pinned.set(playerId, pinned);
    return pinned;
  }

  private lastUnpin(playerId: string, pinned: PinnedList): void {
    this.pinned.delete(playerId);
    if (pinned.list !== null) this.keep(playerId, pinned.list);
  }

  private dropPinned(pinned: PinnedList): void {
    pinned.list?.release();
    pinned.list = null;
  }
}

function sizeOf(list: FriendList): number {
  return Math.max(1, list.length);
}
