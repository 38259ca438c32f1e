/** A session's subscription to a shared top window: all it keeps is where its client stands. */

import { SubscribeStart } from '../../proto/frames.js';
import type { TopSubscriber, TopTopic } from './top-topic.js';
import { type SessionWindow, WindowPriority } from './windows.js';

export class TopWindow implements SessionWindow, TopSubscriber {
  readonly priority = WindowPriority.top;
  readonly isShared = true;
  /** The seq that the client reached with what was collected, `null` where only a snapshot can follow. */
  private shownSeq: number | null = null;
  private hasBegun = false;
  private wantsSync = false;

  /** `onPending`: something waits to be collected. */
  constructor(
    readonly key: string,
    private readonly shared: TopTopic,
    private readonly onPending: (window: TopWindow, newestAt: number | null) => void,
  ) {
    shared.add(this);
  }

  get topic(): number {
    return this.shared.topic;
  }

  get epoch(): number {
    return this.shared.epoch;
  }

  get seq(): number {
    return this.shared.seq;
  }

  stepped(at: number | null): void {
    this.onPending(this, at);
  }

  reset(): void {
    this.invalidate();
    this.onPending(this, null);
  }

  begin(epoch: number | null, seq: number | null): SubscribeStart {
    // Asked again on the same socket, by who names another position than what he was sent: that may reach him before the
    // answer does, or another of his subscriptions. A delta holds the steps from one position and no other.
    const isElsewhere = this.hasBegun && seq !== this.shownSeq;
    this.hasBegun = true;
    const start = isElsewhere ? SubscribeStart.snapshot : this.shared.startFrom(epoch, seq);
    this.shownSeq = start === SubscribeStart.snapshot ? null : seq;
    return start;
  }

  invalidate(): void {
    this.shownSeq = null;
  }

  sync(): void {
    this.wantsSync = true;
    this.onPending(this, null);
  }

  collect(frames: Uint8Array[]): void {
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
