/** A session's own rank: on his own result at once, and when others move him. */

import { windowCheck } from '../../proto/check.js';
import { FrameType, SubscribeStart } from '../../proto/frames.js';
import { encodeFrame } from '../wire/encode.js';
import type { BoardHub, HubWindow } from './board-hub.js';
import { type SessionWindow, type TrackedPlayer, WindowPriority } from './windows.js';

export class MeWindow implements SessionWindow, HubWindow {
  readonly priority = WindowPriority.me;
  readonly isShared = false;
  seq = 0;
  private player: TrackedPlayer | undefined;
  private isPending = true;
  private wantsSync = false;

  constructor(
    readonly key: string,
    readonly topic: number,
    private readonly hub: BoardHub,
    private readonly onPending: (window: MeWindow, newestAt: number | null) => void,
  ) {
    hub.add(this);
  }

  get epoch(): number {
    return this.hub.wireEpoch;
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

  /** Always with a RANK: seq does not count a rank that others moved, so an equal one does not tell that he has it. */
  begin(): SubscribeStart {
    this.invalidate();
    return SubscribeStart.snapshot;
  }

  invalidate(): void {
    this.isPending = true;
  }

  sync(): void {
    this.wantsSync = true;
    this.onPending(this, null);
  }

  collect(frames: Uint8Array[]): void {
    const { player, hub } = this;
    // During a reload rank and position are of two histories; the reset after it shows the rank anew.
    if (player === undefined || !hub.view.isCurrent) return;
    if (this.isPending) frames.push(this.rankFrame(player));
    this.isPending = false;
    // A move that nobody was told of yet is in his rank here and not at the client; its RANK will bring the SYNC along.
    if (!this.wantsSync || hub.view.hasUntoldMove(player)) return;
    this.wantsSync = false;
    frames.push(this.syncFrame(player));
  }

  private rankFrame({ rank, prevRank, score, at }: TrackedPlayer): Uint8Array {
    const { hub } = this;
    this.seq = hub.view.seq;
    return encodeFrame([
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
    ]);
  }

  private syncFrame({ rank, score }: TrackedPlayer): Uint8Array {
    const check = windowCheck([{ ref: 0, score: this.hub.points(score), rank }]);
    return encodeFrame([FrameType.sync, this.topic, this.epoch, this.seq, check]);
  }

  close(): void {
    this.hub.remove(this);
    if (this.player !== undefined) this.hub.view.unwatch([this.player], this);
  }
}
