/** Rows of some players on one list, without places: the client sorts them. Whose rows they are is what the windows of this kind differ in. */

import { windowCheck } from '../../proto/check.js';
import { FrameType, MAX_SERVER_FRAME_BYTES } from '../../proto/frames.js';
import { compareIdBytes } from '../../proto/id-order.js';
import { assembleDelta, assembleSnapshots, type DeltaParts } from '../wire/assemble.js';
import { encodeFrame } from '../wire/encode.js';
import { OwnWindow } from './own-window.js';
import { PendingPlayers } from './pending-players.js';
import { type MovingWindowOwner, newestAt, type TrackedPlayer } from './windows.js';

/** Sorting more for each session every ten seconds would cost more than it finds: the position alone is told then. */
const MAX_CHECKED_ROWS = 1_000;

const NO_REFS: readonly number[] = [];

export abstract class RowsWindow<Owner extends MovingWindowOwner = MovingWindowOwner> extends OwnWindow<Owner> {
  isClosed = false;
  private readonly pending = new PendingPlayers();
  /** Whom others moved; they wait for `takeMoves`. */
  private readonly moved = new PendingPlayers();
  private needsSnapshot = true;
  /** Hidden ones, whose rows the client does not have; `null`: none, as mostly. */
  private absent: Set<TrackedPlayer> | null = null;

  /** Those it shows now, all of them watched. */
  protected abstract players(): readonly TrackedPlayer[];
  /** Whether he is a row of the window now: hidden players are none, to nobody but themselves. */
  protected isShown(player: TrackedPlayer): boolean {
    return !player.isHidden;
  }

  /** Whether it knows yet whom it shows. */
  protected abstract readonly isOpen: boolean;

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
    // Nothing before SUBSCRIBED.
    if (this.isOpen) super.reset();
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
    const players = this.players().filter((player) => this.isShown(player));
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
      ...this.step(changed),
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

  /** Rows that changed, those that are there again with their tail, and the refs of those that have been hidden. */
  private step(changed: readonly TrackedPlayer[]): Pick<DeltaParts, 'removed' | 'placed'> {
    const { hub } = this;
    const hidden = changed.filter((player) => !this.isShown(player));
    const shown = hidden.length === 0 ? changed : changed.filter((player) => this.isShown(player));
    const placed = shown.map((player) =>
      this.absent?.delete(player) === true ? hub.encodeFirstRow(player) : hub.encodeRow(player),
    );
    if (hidden.length === 0) return { removed: NO_REFS, placed };
    this.absent = new Set([...(this.absent ?? []), ...hidden]);
    return { removed: hidden.map((player) => hub.refs.ofTracked(player)), placed };
  }

  private collectSnapshot(frames: Uint8Array[]): void {
    const { view } = this.hub;
    const all = this.players();
    const players = all.filter((player) => this.isShown(player));
    this.absent = players.length === all.length ? null : new Set(all.filter((player) => !this.isShown(player)));
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
}

/** The order in which clients show the rows. */
function compareShown(a: TrackedPlayer, b: TrackedPlayer): number {
  if (a.score !== null && b.score !== null) return b.score - a.score || compareIdBytes(b.playerId, a.playerId);
  if (a.score === null && b.score === null) return compareIdBytes(a.playerId, b.playerId);
  return a.score === null ? 1 : -1;
}
