/** What a feed knows about one assigned partition. */

import type { Gap } from './gap.js';

export class Lane {
  /** The first offset not yet considered; unknown until the consumer was asked. */
  next: number | undefined;
  /** Why nothing may be offered now; the partition is paused while there is a reason. */
  readonly holds = new Set<string>();
  /** Consecutive failures of the consumer. */
  failures = 0;
  /** When the consumer last took something, epoch milliseconds. */
  fedAt = 0;
  gap: Gap | undefined;
  /** Up to here the log has lost records that the consumer does not go without; 0: none. */
  lostTo = 0;
  /** Its end is being compared with the consumer's position. */
  isCheckingEnd = false;
  /** First offset that the log still holds, as last seen. */
  low = 0;
  /** One past the last offset of the log, as last seen. */
  end: number | undefined;
  isRetired = false;
  private turns = 0;
  private tail: Promise<void>;

  /** `before` is the lane of an earlier assignment: its last call must be over before this one's first. */
  constructor(
    readonly partition: number,
    before?: Lane,
  ) {
    this.tail = before?.settled() ?? Promise.resolve();
  }

  get isBusy(): boolean {
    return this.turns > 0;
  }

  settled(): Promise<void> {
    return this.tail;
  }

  /** Runs after everything queued before it, so that a consumer sees one call per partition at a time. `work` must not reject. */
  inTurn(work: () => Promise<void>): Promise<void> {
    this.turns += 1;
    this.tail = this.tail.then(work).finally(() => {
      this.turns -= 1;
    });
    return this.tail;
  }
}
