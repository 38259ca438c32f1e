/** A clock that moves only when a test says so. */

export class FakeClock {
  nowMs = 1_800_000_000_000;
  private lastId = 0;
  private readonly timers = new Map<number, { readonly dueAt: number; readonly run: () => void }>();

  readonly now = (): number => this.nowMs;

  readonly setTimeout = (run: () => void, delayMs: number): unknown => {
    this.lastId += 1;
    this.timers.set(this.lastId, { dueAt: this.nowMs + delayMs, run });
    return this.lastId;
  };

  readonly clearTimeout = (timer: unknown): void => void this.timers.delete(timer as number);

  get timerCount(): number {
    return this.timers.size;
  }

  /** Runs what falls due on the way, each at its own moment, and lets promises settle after each. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.nowMs + byMs;
    await settled();
    for (let next = this.nextDue(untilMs); next !== undefined; next = this.nextDue(untilMs)) {
      const [id, timer] = next;
      this.timers.delete(id);
      this.nowMs = timer.dueAt;
      timer.run();
      await settled();
    }
    this.nowMs = untilMs;
  }

  private nextDue(untilMs: number) {
    const due = [...this.timers].filter(([, timer]) => timer.dueAt <= untilMs);
    return due.sort(([, a], [, b]) => a.dueAt - b.dueAt)[0];
  }
}

/** All promises that can settle have. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
