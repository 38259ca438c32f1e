/** How often somebody may call: so many times in a window of time, the same window for all. */

export interface CallBudgetOptions {
  readonly calls: number;
  readonly windowMs: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export class CallBudget {
  /** Calls of the present window; forgotten with it, so memory is bounded by who called in one. */
  private readonly counts = new Map<string, number>();
  private windowEndsAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: CallBudgetOptions) {}

  /** Counts the call; 0 where it is within the budget, else the milliseconds until another one is. */
  take(caller: string): number {
    const { calls, windowMs, now } = this.options;
    const at = now();
    // A clock that was set back must not keep a window open for as long as it went back.
    if (at >= this.windowEndsAt || at < this.windowEndsAt - windowMs) {
      this.counts.clear();
      this.windowEndsAt = at + windowMs;
    }
    const count = (this.counts.get(caller) ?? 0) + 1;
    this.counts.set(caller, count);
    return count <= calls ? 0 : this.windowEndsAt - at;
  }
}
