/** A session's subscription to a shared top window: all it keeps is where its client stands. */

import { SubscribeStart } from '../../proto/frames.js';
import type { BoardHub } from './board-hub.js';
import type { RefusedError } from './refusal.js';
import type { TopSubscriber, TopTopic } from './top-topic.js';
import type { WindowRequest } from './window-request.js';
import { type SessionWindow, type WindowOwner, WindowPriority } from './windows.js';

export class TopWindow implements SessionWindow, TopSubscriber {
  syncAt = 0;
  /** The seq that the client reached with what was collected, `null` where only a snapshot can follow. */
  private shownSeq: number | null = null;
  private hasBegun = false;
  private wantsSync = false;
  /** Of the hub, as it was described to the client last. */
  private describedVersion = 0;

  constructor(
    readonly hub: BoardHub,
    private readonly shared: TopTopic,
    private readonly owner: WindowOwner,
  ) {
    shared.add(this);
  }

  get topic(): number {
    return this.shared.topic;
  }

  get kind() {
    return 'top' as const;
  }

  get priority(): number {
    return WindowPriority.top;
  }

  get isShared(): boolean {
    return true;
  }

  isFor(hub: BoardHub, request: WindowRequest): boolean {
    return this.hub === hub && request.kind === this.kind && request.limit === this.shared.limit;
  }

  get epoch(): number {
    return this.shared.epoch;
  }

  get seq(): number {
    return this.shared.seq;
  }

  stepped(at: number | null): void {
    this.owner.pending(this, at);
  }

  reset(): void {
    this.invalidate();
    this.owner.pending(this, null);
  }

  begin(epoch: number | null, seq: number | null): SubscribeStart {
    // Asked again on the same socket, by who names another position than what he was sent: that may reach him before the
    // answer does, or another of his subscriptions. A delta holds the steps from one position and no other.
    const isElsewhere = this.hasBegun && seq !== this.shownSeq;
    this.hasBegun = true;
    this.describedVersion = this.hub.version;
    const start = isElsewhere ? SubscribeStart.snapshot : this.shared.startFrom(epoch, seq);
    this.shownSeq = start === SubscribeStart.snapshot ? null : seq;
    return start;
  }

  invalidate(): void {
    this.shownSeq = null;
  }

  sync(): void {
    this.wantsSync = true;
    this.owner.pending(this, null);
  }

  ended(why: RefusedError): void {
    this.owner.ended(this, why);
  }

  collect(frames: Uint8Array[]): void {
    if (this.describedVersion !== this.hub.version) {
      // The snapshot of the other list comes with it, and not before it.
      if (!this.hub.view.isCurrent) return;
      this.describedVersion = this.hub.version;
      frames.push(this.hub.boardFrame(this.topic));
    }
    frames.push(...this.shared.framesFrom(this.shownSeq));
    this.shownSeq = this.shared.seq;
    if (!this.wantsSync) return;
    this.wantsSync = false;
    frames.push(this.shared.sync());
  }

  close(): void {
    this.shared.remove(this);
  }
}
