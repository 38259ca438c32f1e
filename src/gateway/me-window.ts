/** A session's own rank: on his own result at once, and when others move him. */

import { windowCheck } from '../../proto/check.js';
import { FrameType } from '../../proto/frames.js';
import { encodeFrame } from '../wire/encode.js';
import type { BoardHub } from './board-hub.js';
import { OwnWindow } from './own-window.js';
import type { WindowRequest } from './window-request.js';
import { type MovingWindowOwner, type TrackedPlayer, WindowPriority } from './windows.js';

export class MeWindow extends OwnWindow {
  private player: TrackedPlayer | undefined;
  private isPending = true;
  /** Others moved him since; that waits for `takeMoves`. */
  private hasMoved = false;
  /** As it was sent last. */
  private tier: string | null = null;

  constructor(number: number, hub: BoardHub, owner: MovingWindowOwner) {
    super(number, hub, owner);
    hub.add(this);
  }

  get kind() {
    return 'me' as const;
  }

  get priority(): number {
    return WindowPriority.me;
  }

  isFor(hub: BoardHub, { kind }: WindowRequest): boolean {
    return this.hub === hub && kind === this.kind;
  }

  /** Begins to watch; throws StoreUnavailableError. */
  async open(playerId: string): Promise<void> {
    [this.player] = await this.hub.view.watch([playerId], this);
    this.seq = this.hub.view.seq;
  }

  playerMoved(_player: TrackedPlayer, at: number | null): void {
    this.hasMoved = at === null;
    if (this.hasMoved) return this.owner.moved(this);
    this.isPending = true;
    this.owner.pending(this, at);
  }

  override tiersMoved(): void {
    if (this.player === undefined || this.hub.tierOf(this.player) === this.tier) return;
    this.hasMoved = true;
    this.owner.moved(this);
  }

  takeMoves(): void {
    if (this.hasMoved) this.invalidate();
  }

  invalidate(): void {
    this.isPending = true;
    this.hasMoved = false;
  }

  collect(frames: Uint8Array[]): void {
    const { player, hub } = this;
    // During a reload rank and position are of two histories; the reset after it shows the rank anew.
    if (player === undefined || !hub.view.isCurrent) return;
    this.collectBoard(frames);
    // A move that waits for its time is in his rank here and not at the client: it goes out before the SYNC. Where everybody
    // is always being moved a SYNC that waited for such moves would never come.
    if (this.wantsSync && (this.hasMoved || player.isMoved)) this.isPending = true;
    if (this.isPending) {
      frames.push(this.rankFrame(player));
      this.hasMoved = false;
    }
    this.isPending = false;
    if (!this.wantsSync) return;
    this.wantsSync = false;
    frames.push(this.syncFrame(player));
  }

  private rankFrame(player: TrackedPlayer): Uint8Array {
    const { hub } = this;
    const { rank, prevRank, score, at } = player;
    this.seq = hub.view.seq;
    this.tier = hub.tierOf(player);
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
      this.tier,
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
