/** Who is whose friend, for the gateway and HTTP: cached lists that follow every change on every gateway. */

import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { MultiMap } from '../domain/multi-map.js';
import type { FriendList } from './friend-list.js';
import { FriendListCache, type FriendListCacheOptions } from './friend-list-cache.js';
import { FriendshipPostgres } from './friendship-postgres.js';
import type { SocialChange, SocialChangeKind } from './social-change.js';
import { SocialChanges } from './social-changes.js';

export interface FriendGraphOptions {
  /** Used for loads and writes; one of its connections is lent out from `start` to `close`. */
  readonly pool: Pool;
  readonly logger: Logger;
  /** Most friends of one player. Default `MAX_FRIENDS`, 10,000. */
  readonly maxFriends?: number;
  /** How often the newest change's number is compared when nobody notifies. Default 1,000. */
  readonly compareEveryMs?: number;
  /** Bounds of the cache; see `FriendListCacheOptions` for the defaults. */
  readonly cache?: Omit<FriendListCacheOptions, 'load'>;
}

/** A live session's interest in one list. */
export interface FriendsWatcher {
  friendsChanged(): void;
}

export class FriendGraph {
  private readonly logger: Logger;
  private readonly friendships: FriendshipPostgres;
  private readonly lists: FriendListCache;
  private readonly changes: SocialChanges;
  private readonly pins = new MultiMap<string, FriendsWatcher>();

  constructor(options: FriendGraphOptions) {
    const { pool, logger, maxFriends, compareEveryMs, cache } = options;
    this.logger = logger;
    this.friendships = new FriendshipPostgres({ pool, ...(maxFriends === undefined ? {} : { maxFriends }) });
    this.lists = new FriendListCache({ ...cache, load: (playerId) => this.friendships.listFriends(playerId) });
    this.changes = new SocialChanges({
      pool,
      logger,
      listener: { changed: (change) => this.apply(change), lost: () => this.dropAll() },
      ...(compareEveryMs === undefined ? {} : { compareEveryMs }),
    });
  }

  /** Resolves when changes of other processes are followed; call it before the first `friendsOf`. */
  start(): Promise<void> {
    return this.changes.start();
  }

  /** Stops following and gives the connection back. The pool stays open: it belongs to whoever made it. */
  close(): Promise<void> {
    return this.changes.close();
  }

  /**
   * The ids of the player's friends, in the order of their bytes; empty for a player nobody knows.
   * Rejects with `StoreUnavailableError` while PostgreSQL is away and the list is not cached.
   */
  friendsOf(playerId: string): Promise<readonly string[]> {
    return this.lists.get(playerId);
  }

  /** As `friendsOf`, as a list that is stored once however many hold it; the caller must release it. */
  holdFriendsOf(playerId: string): Promise<FriendList> {
    return this.lists.hold(playerId);
  }

  /**
   * Keeps the player's list for a live session, and tells `watcher` after each change of it, once per change;
   * `friendsOf` gives the new list from then on. Also told where changes may have been missed, so the list may be equal.
   * Pin first and read after: no change falls between. The same watcher is told once, however often it pins.
   */
  pin(playerId: string, watcher: FriendsWatcher): void {
    if (this.pins.has(playerId, watcher)) return;
    this.pins.add(playerId, watcher);
    this.lists.pin(playerId);
  }

  /** Ends it; harmless where there is no pin. */
  unpin(playerId: string, watcher: FriendsWatcher): void {
    if (this.pins.delete(playerId, watcher)) this.lists.unpin(playerId);
  }

  /**
   * Makes the two friends of each other; false where they were. Visible on this process when the promise resolves.
   * Rejects with `FriendshipRefusedError` (see its `code`) or `StoreUnavailableError`; after the latter the change may
   * have happened all the same, and trying again is safe.
   */
  add(playerId: string, friendId: string): Promise<boolean> {
    return this.write('friend-added', playerId, friendId);
  }

  /** Ends the friendship on both sides; false where there was none. Otherwise like `add`. */
  remove(playerId: string, friendId: string): Promise<boolean> {
    return this.write('friend-removed', playerId, friendId);
  }

  private async write(kind: SocialChangeKind, playerId: string, friendId: string): Promise<boolean> {
    const change = await this.friendships.change({ kind, playerId, friendId });
    if (change === null) return false;
    this.changes.tellOwn(change);
    return true;
  }

  private apply({ playerId, friendId }: SocialChange): void {
    this.lists.invalidate(playerId);
    this.lists.invalidate(friendId);
    this.callPins(playerId);
    this.callPins(friendId);
  }

  private dropAll(): void {
    this.lists.invalidateAll();
    for (const playerId of [...this.pins.keys()]) this.callPins(playerId);
  }

  private callPins(playerId: string): void {
    for (const watcher of this.pins.get(playerId)) {
      // One before it may have ended its session.
      if (!this.pins.has(playerId, watcher)) continue;
      try {
        watcher.friendsChanged();
      } catch (error) {
        this.logger.error({ err: error, playerId }, 'friend_change_callback_failed');
      }
    }
  }
}
