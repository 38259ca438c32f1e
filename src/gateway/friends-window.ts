/** A session's friends (and himself) on one list, as the list of friends changes. */

import { ErrorCode } from '../../proto/frames.js';
import type { BoardHub } from './board-hub.js';
import type { FriendList, FriendLists, FriendsWatcher } from './friend-lists.js';
import { latestWins } from './latest-wins.js';
import { RefusedError } from './refusal.js';
import { RowsWindow } from './rows-window.js';
import type { FriendsRequest, WindowRequest } from './window-request.js';
import { type MovingWindowOwner, type TrackedPlayer, WindowPriority } from './windows.js';

export interface FriendsWindowOwner extends MovingWindowOwner {
  readonly friends: FriendLists;
  /** A list that may no longer be shown, or an error that may pass; throws what is worth another try. */
  cannotShow(window: FriendsWindow, error: unknown): void;
}

export class FriendsWindow extends RowsWindow<FriendsWindowOwner> implements FriendsWatcher {
  /** Whose players it shows. It keeps none itself: two hundred places for each window would be a third of its session. */
  private list: FriendList | null = null;
  /** The last list that is being shown, `null` where none is. */
  private showing: Promise<void> | null = null;
  /** Made at the first change: most lists have none in the time of a window. */
  private refresh: (() => void) | null = null;

  constructor(
    number: number,
    hub: BoardHub,
    owner: FriendsWindowOwner,
    private readonly playerId: string,
    private readonly request: FriendsRequest,
  ) {
    super(number, hub, owner);
  }

  get kind() {
    return 'friends' as const;
  }

  get priority(): number {
    return WindowPriority.friends;
  }

  /** The limit refuses and does not cut, so it does not make another window. */
  isFor(hub: BoardHub, request: WindowRequest): boolean {
    return this.hub === hub && request.kind === this.kind && request.includeSelf === this.request.includeSelf;
  }

  /** Begins to watch; throws RefusedError for a list that is too long, and StoreUnavailableError. */
  async open(): Promise<void> {
    this.owner.friends.pin(this.playerId, this);
    this.hub.add(this);
    await this.show();
  }

  friendsChanged(): void {
    this.refresh ??= latestWins(
      async () => {
        await this.show().catch((error: unknown) => this.owner.cannotShow(this, error));
        this.owner.pending(this, null);
      },
      () => this.isClosed,
    );
    this.refresh();
  }

  /**
   * Shows the players of the list from now on; whom it showed before keeps his row unless he is missing there.
   * One list after the other: an older one that took longer must not end up in place of a newer one.
   */
  private show(): Promise<void> {
    const before = this.showing ?? Promise.resolve();
    const shown = before.then(() => this.showList());
    const end = (): void => {
      if (this.showing === showing) this.showing = null;
    };
    const showing = shown.then(end, end);
    this.showing = showing;
    return shown;
  }

  private async showList(): Promise<void> {
    const list = await this.owner.friends.holdFriendsOf(this.playerId);
    try {
      await this.showPlayers(list);
    } catch (error) {
      list.release();
      throw error;
    }
  }

  private async showPlayers(list: FriendList): Promise<void> {
    const { limit } = this.request;
    if (list.length > limit) {
      throw new RefusedError(ErrorCode.tooLarge, `${list.length} friends do not fit the limit of ${limit}`);
    }
    const players = await this.hub.view.watch(this.idsOf(list), this);
    const kept = new Set(players);
    const gone = this.players().filter((player) => !kept.has(player));
    this.list?.release();
    this.list = list;
    if (this.isClosed) return this.leave();
    this.hub.view.unwatch(gone, this);
    this.seq = this.hub.view.seq;
    this.invalidate();
  }

  protected get isOpen(): boolean {
    return this.list !== null;
  }

  /** His own row is his own business. */
  protected override isShown(player: TrackedPlayer): boolean {
    return !player.isHidden || player.playerId === this.playerId;
  }

  protected players(): readonly TrackedPlayer[] {
    return this.list === null ? [] : this.hub.view.watched(this.idsOf(this.list));
  }

  private idsOf(list: FriendList): readonly string[] {
    const ids = list.ids();
    return this.request.includeSelf && !ids.includes(this.playerId) ? [this.playerId, ...ids] : ids;
  }

  /** Watches nobody any more. */
  private leave(): void {
    this.hub.view.unwatch(this.players(), this);
    this.list?.release();
    this.list = null;
  }

  close(): void {
    this.isClosed = true;
    this.owner.friends.unpin(this.playerId, this);
    this.hub.remove(this);
    this.leave();
  }
}
