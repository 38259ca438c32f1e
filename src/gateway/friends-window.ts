/** A session's friends (and himself) on one list: rows without places, the client sorts them. */

import { MAX_SERVER_FRAME_BYTES } from '../../proto/frames.js';
import { assembleDelta, assembleSnapshots } from '../wire/assemble.js';
import type { BoardHub, HubWindow } from './board-hub.js';
import { newestAt, type SessionWindow, type TrackedPlayer, WindowPriority } from './windows.js';

export class FriendsWindow implements SessionWindow, HubWindow {
  readonly priority = WindowPriority.friends;
  readonly isShared = false;
  seq = 0;
  private players: readonly TrackedPlayer[] = [];
  private readonly pending = new Set<TrackedPlayer>();
  private needsSnapshot = true;
  private showing: Promise<void> = Promise.resolve();
  isClosed = false;

  constructor(
    readonly key: string,
    readonly topic: number,
    private readonly hub: BoardHub,
    private readonly onPending: (window: FriendsWindow, newestAt: number | null) => void,
  ) {}

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

  invalidate(): void {
    this.pending.clear();
    this.needsSnapshot = true;
  }

  collect(frames: Uint8Array[]): void {
    // During a reload rows and position are of two histories; the reset after it shows everything anew.
    if (this.isClosed || !this.hub.view.isCurrent) return;
    if (this.needsSnapshot) return this.collectSnapshot(frames);
    if (this.pending.size === 0) return;
    const { view } = this.hub;
    const delta = assembleDelta({
      topic: this.topic,
      seq: view.seq,
      span: view.seq - this.seq,
      removed: [],
      placed: Array.from(this.pending, (player) => this.hub.encodeRow(player)),
      first: null,
      total: view.total,
      at: newestAt(this.pending),
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

  close(): void {
    this.isClosed = true;
    this.hub.remove(this);
    this.hub.view.unwatch(this.players, this);
  }
}
