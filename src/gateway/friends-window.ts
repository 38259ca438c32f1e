/** A session's friends (and himself) on one list: rows without places, the client sorts them. */

import { windowCheck } from '../../proto/check.js';
import { ErrorCode, FrameType, MAX_SERVER_FRAME_BYTES } from '../../proto/frames.js';
import { compareIdBytes } from '../../proto/id-order.js';
import { assembleDelta, assembleSnapshots } from '../wire/assemble.js';
import { encodeFrame } from '../wire/encode.js';
import type { BoardHub } from './board-hub.js';
import type { FriendList, FriendLists, FriendsWatcher } from './friend-lists.js';
import { latestWins } from './latest-wins.js';
import { OwnWindow } from './own-window.js';
import { PendingPlayers } from './pending-players.js';
import { RefusedError } from './refusal.js';
import type { FriendsRequest, WindowRequest } from './window-request.js';
import { type MovingWindowOwner, newestAt, type TrackedPlayer, WindowPriority } from './windows.js';

export interface FriendsWindowOwner extends MovingWindowOwner {
  readonly friends: FriendLists;
  /** A list that may no longer be shown, or an error that may pass; throws what is worth another try. */
  cannotShow(window: FriendsWindow, error: unknown): void;
}

/** Sorting more for each session every ten seconds would cost more than it finds: the position alone is told then. */
const MAX_CHECKED_ROWS = 1_000;

export class FriendsWindow extends OwnWindow<FriendsWindowOwner> implements FriendsWatcher {
  isClosed = false;
  /** Whose players it shows. It keeps none itself: two hundred places for each window would be a third of its session. */
  private list: FriendList | null = null;
  private readonly pending = new PendingPlayers();
  /** Whom others moved; they wait for `takeMoves`. */
  private readonly moved = new PendingPlayers();
  private needsSnapshot = true;
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

  private players(): readonly TrackedPlayer[] {
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

  playerMoved(player: TrackedPlayer, at: number | null): void {
    if (at === null) {
      this.moved.add(player);
      return this.owner.moved(this);
    }
    this.moved.delete(player);
    this.pending.add(player);
    this.owner.pending(this, at);
  }

  takeMoves(): void {
    for (const player of this.moved.list()) this.pending.add(player);
    this.moved.clear();
  }

  override reset(): void {
    // Nothing before SUBSCRIBED, and that comes with the list.
    if (this.list !== null) super.reset();
  }

  invalidate(): void {
    this.forgetRows();
    this.needsSnapshot = true;
  }

  collect(frames: Uint8Array[]): void {
    // During a reload rows and position are of two histories; the reset after it shows everything anew.
    if (this.isClosed || !this.hub.view.isCurrent) return;
    this.collectBoard(frames);
    if (!this.wantsSync) return this.collectRows(frames);
    this.wantsSync = false;
    const players = this.players();
    this.takeAllMoves(players);
    this.collectRows(frames);
    frames.push(encodeFrame([FrameType.sync, this.topic, this.epoch, this.seq, this.check(players)]));
  }

  /**
   * Moves that wait for their time are in the ranks here and not at the client: they go out before the SYNC. Where everybody is
   * always being moved a SYNC that waited for such moves would never come.
   */
  private takeAllMoves(players: readonly TrackedPlayer[]): void {
    this.takeMoves();
    for (const player of players) if (player.isMoved) this.pending.add(player);
  }

  private collectRows(frames: Uint8Array[]): void {
    if (this.needsSnapshot) return this.collectSnapshot(frames);
    const changed = this.pending.list();
    if (changed.length === 0) return;
    const { view } = this.hub;
    const delta = assembleDelta({
      topic: this.topic,
      seq: view.seq,
      span: view.seq - this.seq,
      removed: [],
      placed: changed.map((player) => this.hub.encodeRow(player)),
      first: null,
      total: view.total,
      at: newestAt(changed),
    });
    // A delta has no parts.
    if (delta.byteLength > MAX_SERVER_FRAME_BYTES) return this.collectSnapshot(frames);
    if (!this.moved.isEmpty) for (const player of changed) this.moved.delete(player);
    this.pending.clear();
    this.seq = view.seq;
    frames.push(delta);
  }

  private collectSnapshot(frames: Uint8Array[]): void {
    const { view } = this.hub;
    const players = this.players();
    this.needsSnapshot = false;
    this.forgetRows();
    this.seq = view.seq;
    frames.push(
      ...assembleSnapshots({
        topic: this.topic,
        epoch: this.hub.wireEpoch,
        seq: view.seq,
        first: 1,
        total: view.total,
        entries: players.map((player) => this.hub.encodeFirstRow(player)),
        at: newestAt(players),
      }),
    );
  }

  /** A snapshot has them all. */
  private forgetRows(): void {
    this.pending.clear();
    this.moved.clear();
  }

  private check(players: readonly TrackedPlayer[]): number | null {
    if (players.length > MAX_CHECKED_ROWS) return null;
    const { hub } = this;
    const shown = players.toSorted(compareShown);
    return windowCheck(
      shown.map((player) => ({ ref: hub.refs.ofTracked(player), score: hub.points(player.score), rank: player.rank })),
    );
  }

  close(): void {
    this.isClosed = true;
    this.owner.friends.unpin(this.playerId, this);
    this.hub.remove(this);
    this.leave();
  }
}

/** The order in which clients show the rows. */
function compareShown(a: TrackedPlayer, b: TrackedPlayer): number {
  if (a.score !== null && b.score !== null) return b.score - a.score || compareIdBytes(b.playerId, a.playerId);
  if (a.score === null && b.score === null) return compareIdBytes(a.playerId, b.playerId);
  return a.score === null ? 1 : -1;
}
