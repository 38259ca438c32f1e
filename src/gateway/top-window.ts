/** A session's subscription to a shared top window. */

import type { TopSubscriber, TopTopic } from './top-topic.js';
import { type SessionWindow, WindowPriority } from './windows.js';

/** Steps that may wait for a hot session's tick; more are cheaper as one snapshot. */
const MAX_WAITING_STEPS = 8;

export class TopWindow implements SessionWindow, TopSubscriber {
  readonly priority = WindowPriority.top;
  readonly isShared = true;
  private steps: Uint8Array[] = [];
  private needsSnapshot = true;

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

  get seq(): number {
    return this.shared.seq;
  }

  step(delta: Uint8Array, at: number | null): void {
    if (!this.needsSnapshot) {
      this.steps.push(delta);
      if (this.steps.length > MAX_WAITING_STEPS) this.invalidate();
    }
    this.onPending(this, at);
  }

  reset(): void {
    this.invalidate();
    this.onPending(this, null);
  }

  invalidate(): void {
    this.steps = [];
    this.needsSnapshot = true;
  }

  /** The client is where the shared window is: no snapshot. */
  markCurrent(): void {
    this.needsSnapshot = false;
  }

  collect(frames: Uint8Array[]): void {
    if (this.needsSnapshot) frames.push(...this.shared.snapshot());
    else frames.push(...this.steps);
    this.steps = [];
    this.needsSnapshot = false;
  }

  close(): void {
    this.shared.remove(this);
  }
}
