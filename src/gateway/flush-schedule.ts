/**
 * When what is pending goes out: a quiet target at the end of this event-loop turn, a hot one when its tick is over,
 * each target on a phase of its own, since its tick runs from its own last flush.
 */

export interface FlushTarget {
  /** `performance.now()` of the last flush; the schedule sets it. */
  lastFlushAt: number;
  isScheduled: boolean;
  flush(): void;
}

/** Ticks end on multiples of this, so that targets share timers. */
const SLOT_MS = 2;
/** How far the tick grows while the process cannot keep up. */
const MAX_TICK_FACTOR = 8;
/** A timer that is this late tells of a saturated event loop. */
const LATE_MS = 10;

export class FlushSchedule {
  private readonly dueNow: FlushTarget[] = [];
  private readonly slots = new Map<number, FlushTarget[]>();
  private isTurnScheduled = false;
  private factor = 1;

  /** `tickMs`: the least time between two flushes of a hot target; grows by itself up to 8 times under load. */
  constructor(private readonly tickMs: number) {}

  get currentTickMs(): number {
    return this.tickMs * this.factor;
  }

  /** Flushes the target once, soon; calling again before that changes nothing. */
  mark(target: FlushTarget): void {
    if (target.isScheduled) return;
    target.isScheduled = true;
    const due = target.lastFlushAt + this.currentTickMs;
    if (due <= performance.now()) this.scheduleThisTurn(target);
    else this.scheduleAt(due, target);
  }

  /** Flushes the target in this turn, hot or not: it has waited elsewhere already. */
  markNow(target: FlushTarget): void {
    if (target.isScheduled) return;
    target.isScheduled = true;
    this.scheduleThisTurn(target);
  }

  private scheduleThisTurn(target: FlushTarget): void {
    this.dueNow.push(target);
    if (this.isTurnScheduled) return;
    this.isTurnScheduled = true;
    setImmediate(() => {
      this.isTurnScheduled = false;
      this.run(this.dueNow);
      this.dueNow.length = 0;
    });
  }

  private scheduleAt(due: number, target: FlushTarget): void {
    const slot = Math.ceil(due / SLOT_MS);
    const waiting = this.slots.get(slot);
    if (waiting !== undefined) {
      waiting.push(target);
      return;
    }
    this.slots.set(slot, [target]);
    setTimeout(() => this.runSlot(slot), slot * SLOT_MS - performance.now());
  }

  private runSlot(slot: number): void {
    const isLate = performance.now() - slot * SLOT_MS > LATE_MS;
    this.factor = isLate ? Math.min(this.factor * 1.25, MAX_TICK_FACTOR) : Math.max(this.factor * 0.98, 1);
    const targets = this.slots.get(slot) ?? [];
    this.slots.delete(slot);
    this.run(targets);
  }

  /** The list may grow while it runs: a shared window hands its frame to sessions that are flushed in the same turn. */
  private run(targets: readonly FlushTarget[]): void {
    for (let i = 0; i < targets.length; i++) {
      const target = targets[i];
      if (target === undefined) continue;
      target.isScheduled = false;
      target.lastFlushAt = performance.now();
      target.flush();
    }
  }
}
