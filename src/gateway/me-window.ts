/** A session's own rank: on his own result at once, and when others move him. */

import { FrameType } from '../../proto/frames.js';
import { encodeFrame } from '../wire/encode.js';
import type { BoardHub, HubWindow } from './board-hub.js';
import { type SessionWindow, type TrackedPlayer, WindowPriority } from './windows.js';

export class MeWindow implements SessionWindow, HubWindow {
  readonly priority = WindowPriority.me;
  readonly isShared = false;
  seq = 0;
  private player: TrackedPlayer | undefined;
  private isPending = true;

  constructor(
    readonly key: string,
    readonly topic: number,
    private readonly hub: BoardHub,
    private readonly onPending: (window: MeWindow, newestAt: number | null) => void,
  ) {
    hub.add(this);
  }

  /** Begins to watch; throws StoreUnavailableError. */
  async open(playerId: string): Promise<void> {
    [this.player] = await this.hub.view.watch([playerId], this);
    this.seq = this.hub.view.seq;
  }

  playerMoved(_player: TrackedPlayer, at: number | null): void {
    this.isPending = true;
    this.onPending(this, at);
  }

  reset(): void {
    this.invalidate();
    this.onPending(this, null);
  }

  invalidate(): void {
    this.isPending = true;
  }

  collect(frames: Uint8Array[]): void {
    // During a reload rank and position are of two histories; the reset after it shows the rank anew.
    if (!this.isPending || this.player === undefined || !this.hub.view.isCurrent) return;
    this.isPending = false;
    const { hub, player } = this;
    this.seq = hub.view.seq;
    const { rank, prevRank, score, at } = player;
    frames.push(
      encodeFrame([
        FrameType.rank,
        this.topic,
        this.seq,
        rank,
        prevRank,
        hub.points(score),
        hub.view.total,
        null,
        null,
        at ?? Date.now(),
        hub.wireEpoch,
      ]),
    );
  }

  close(): void {
    this.hub.remove(this);
    if (this.player !== undefined) this.hub.view.unwatch([this.player], this);
  }
}
