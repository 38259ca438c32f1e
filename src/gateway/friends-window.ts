/** A session's friends (and himself) on one list: rows without places, the client sorts them. */

import { windowCheck } from '../../proto/check.js';
import { FrameType, MAX_SERVER_FRAME_BYTES, SubscribeStart } from '../../proto/frames.js';
import { compareIdBytes } from '../../proto/id-order.js';
import { assembleDelta, assembleSnapshots } from '../wire/assemble.js';
import { encodeFrame } from '../wire/encode.js';
import type { BoardHub, HubWindow } from './board-hub.js';
import { PendingPlayers } from './pending-players.js';
import { newestAt, type SessionWindow, type TrackedPlayer, WindowPriority } from './windows.js';

/** Sorting more for each session every ten seconds would cost more than it finds: the position alone is told then. */
const MAX_CHECKED_ROWS = 1_000;

export class FriendsWindow implements SessionWindow, HubWindow {
  readonly priority = WindowPriority.friends;
  readonly isShared = false;
  seq = 0;
  private players: readonly TrackedPlayer[] = [];
  private readonly pending = new PendingPlayers();
  private needsSnapshot = true;
  private wantsSync = false;
  private showing: Promise<void> = Promise.resolve();
  isClosed = false;

  constructor(
    readonly key: string,
    readonly topic: number,
    private readonly hub: BoardHub,
    private readonly onPending: (window: FriendsWindow, newestAt: number | null) => void,
  ) {}

  get epoch(): number {
    return this.hub.wireEpoch;
  }

  /** Begins to watch; throws what `readList` throws, and StoreUnavailableError. */
  async open(readList: () => Promise<readonly string[]>): Promise<void> {
    this.hub.add(this);
    await this.show(readList);
  }

  /**
   * Shows the players of the list from now on; whom it showed before keeps his row unless he is missing there.
   * One list after the other: an older one that took longer must not end up in place of a newer one.
   */
  show(readList: () => Promise<readonly string[]>): Promise<void> {
    const shown = this.showing.then(async () => await this.showPlayers(await readList()));
    this.showing = shown.catch(() => {});
    return shown;
  }

  private async showPlayers(playerIds: readonly string[]): Promise<void> {
    const players = await this.hub.view.watch(playerIds, this);
    const kept = new Set(players);
    const gone = this.players.filter((player) => !kept.has(player));
    this.players = players;
    this.hub.view.unwatch(this.isClosed ? players : gone, this);
    this.seq = this.hub.view.seq;
    this.invalidate();
  }

  playerMoved(player: TrackedPlayer, at: number | null): void {
    this.pending.add(player);
    this.onPending(this, at);
  }

  reset(): void {
    this.invalidate();
    this.onPending(this, null);
  }

  /** Always with a snapshot: seq counts neither ranks that others moved nor the list of friends. */
  begin(): SubscribeStart {
    this.invalidate();
    return SubscribeStart.snapshot;
  }

  invalidate(): void {
    this.pending.clear();
    this.needsSnapshot = true;
  }

  sync(): void {
    this.wantsSync = true;
    this.onPending(this, null);
  }

  collect(frames: Uint8Array[]): void {
    // During a reload rows and position are of two histories; the reset after it shows everything anew.
    if (this.isClosed || !this.hub.view.isCurrent) return;
    this.collectRows(frames);
    // Moves that nobody was told of yet are in the ranks here and not at the client; they will bring the SYNC along.
    if (!this.wantsSync || this.players.some((player) => this.hub.view.hasUntoldMove(player))) return;
    this.wantsSync = false;
    frames.push(encodeFrame([FrameType.sync, this.topic, this.epoch, this.seq, this.check()]));
  }

  private collectRows(frames: Uint8Array[]): void {
    if (this.needsSnapshot) return this.collectSnapshot(frames);
    const moved = this.pending.list();
    if (moved.length === 0) return;
    const { view } = this.hub;
    const delta = assembleDelta({
      topic: this.topic,
      seq: view.seq,
      span: view.seq - this.seq,
      removed: [],
      placed: moved.map((player) => this.hub.encodeRow(player)),
      first: null,
      total: view.total,
      at: newestAt(moved),
    });
    // A delta has no parts.
    if (delta.byteLength > MAX_SERVER_FRAME_BYTES) return this.collectSnapshot(frames);
    this.pending.clear();
    this.seq = view.seq;
    frames.push(delta);
  }

  private collectSnapshot(frames: Uint8Array[]): void {
    const { view } = this.hub;
    this.needsSnapshot = false;
    this.pending.clear();
    this.seq = view.seq;
    frames.push(
      ...assembleSnapshots({
        topic: this.topic,
        epoch: this.hub.wireEpoch,
        seq: view.seq,
        first: 1,
        total: view.total,
        entries: this.players.map((player) => this.hub.encodeFirstRow(player)),
        at: newestAt(this.players),
      }),
    );
  }

  private check(): number | null {
    if (this.players.length > MAX_CHECKED_ROWS) return null;
    const { hub } = this;
    const shown = this.players.toSorted(compareShown);
    return windowCheck(
      shown.map((player) => ({ ref: hub.refs.ofTracked(player), score: hub.points(player.score), rank: player.rank })),
    );
  }

  close(): void {
    this.isClosed = true;
    this.hub.remove(this);
    this.hub.view.unwatch(this.players, this);
  }
}

/** The order in which clients show the rows. */
function compareShown(a: TrackedPlayer, b: TrackedPlayer): number {
  if (a.score !== null && b.score !== null) return b.score - a.score || compareIdBytes(b.playerId, a.playerId);
  if (a.score === null && b.score === null) return compareIdBytes(a.playerId, b.playerId);
  return a.score === null ? 1 : -1;
}
