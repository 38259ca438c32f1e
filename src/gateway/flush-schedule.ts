/**
 * When what is pending goes out: a quiet target at the end of this event-loop turn, a hot one when its tick is over,
 * each target on a phase of its own, since its ticks run from its own flushes. Each flush spends a tick, and hot is who has
 * spent some in advance: two changes within a tick are chance, one a tick for long is a stream. (The generic cell rate
 * algorithm of ATM Forum's traffic management specification.)
 */

export interface FlushTarget {
  /** Until when the ticks of its flushes last, `performance.now()`. The schedule sets it. */
  spentUntil: number;
  /** When the next flush is due, `performance.now()`; infinite where none is. The schedule sets it. */
  scheduledFor: number;
  /** How many ticks it waits while it is hot: 1, or more for what may lag. */
  readonly ticks: number;
  /** How many flushes it may have in one tick before it is hot, at least 1. */
  readonly burst: number;
  /** What it has may wait for the others: it gets its turn behind them. */
  readonly isPatient: boolean;
  flush(): void;
  /** `flush` threw: go on from a state that needs nothing of it. */
  failed(): void;
}

/** Ticks end on multiples of this, so that targets share timers. */
const SLOT_MS = 2;
/** How long one turn may be busy with flushes. */
const SLICE_MS = 8;
/** And behind them with those of patient targets: who is marked meanwhile does not wait for many of these. */
const PATIENT_SLICE_MS = 2;

/** The time between two flushes of a hot target. */
export interface Pace {
  readonly tickMs: number;
}

export class FlushSchedule {
  private readonly dueNow: FlushTarget[] = [];
  private readonly duePatient: FlushTarget[] = [];
  private readonly slots = new Map<number, FlushTarget[]>();
  private isTurnScheduled = false;
  /** `performance.now()` when this turn was scheduled: near enough for whoever is marked until it comes. */
  private turnAt = 0;

  /** `onError` is told what a flush threw; the other targets are flushed all the same. */
  constructor(
    private readonly pace: Pace,
    private readonly onError: (error: unknown) => void,
  ) {}

  /**
   * Flushes the target once, soon; calling again before that can only make it sooner. `delayMs`: what is pending is not
   * urgent and may wait so long for something that is.
   */
  mark(target: FlushTarget, delayMs = 0): void {
    const now = this.isTurnScheduled ? this.turnAt : performance.now();
    const tick = this.tickOf(target);
    // A tick at most, also where ticks were longer when they were spent.
    const dueOwn = Math.min(target.spentUntil - (target.burst - 1) * tick, now + tick);
    const due = Math.max(dueOwn, now + delayMs);
    if (due >= target.scheduledFor) return;
    target.scheduledFor = due;
    if (due > now) return this.scheduleAt(due, target);
    this.addDue(target);
    this.scheduleTurn();
  }

  /** For the stop: flushes whatever waits, due or not, and what that makes wait for others. */
  finish(): void {
    while (this.dueNow.length > 0 || this.duePatient.length > 0 || this.slots.size > 0) {
      const due = [...this.dueNow.splice(0), ...this.duePatient.splice(0)];
      const targets = [...due, ...[...this.slots.values()].flat()];
      this.slots.clear();
      for (const target of targets) {
        if (target.scheduledFor === Number.POSITIVE_INFINITY) continue;
        target.scheduledFor = 0;
        this.flush(target, performance.now());
      }
    }
  }

  private addDue(target: FlushTarget): void {
    if (target.isPatient) this.duePatient.push(target);
    else this.dueNow.push(target);
  }

  private scheduleTurn(): void {
    if (this.isTurnScheduled) return;
    this.isTurnScheduled = true;
    this.turnAt = performance.now();
    setImmediate(() => {
      this.isTurnScheduled = false;
      this.runDue();
    });
  }

  private runDue(): void {
    this.runSome(this.dueNow, SLICE_MS);
    this.runSome(this.duePatient, PATIENT_SLICE_MS);
    if (this.dueNow.length > 0 || this.duePatient.length > 0) this.scheduleTurn();
  }

  /**
   * The list may grow while it runs: a shared window hands its frame to sessions that are flushed in the same turn. A long
   * one is cut: ten thousand snapshots at once must not keep results and other sockets waiting.
   */
  private runSome(due: FlushTarget[], sliceMs: number): void {
    if (due.length === 0) return;
    const startedAt = performance.now();
    let now = startedAt;
    let done = 0;
    for (const target of due) {
      this.flush(target, now);
      done += 1;
      now = performance.now();
      if (now - startedAt > sliceMs) break;
    }
    due.splice(0, done);
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
    const targets = this.slots.get(slot) ?? [];
    this.slots.delete(slot);
    for (const target of targets) this.addDue(target);
    // Not here: timers that are late come one after the other, without a turn of the loop between them.
    this.scheduleTurn();
  }

  private tickOf({ ticks }: FlushTarget): number {
    return this.pace.tickMs * ticks;
  }

  /** `now`: `performance.now()`. */
  private flush(target: FlushTarget, now: number): void {
    // An entry from before it was flushed for something more urgent. Timers come up to a millisecond early.
    if (target.scheduledFor > now + SLOT_MS) return;
    target.scheduledFor = Number.POSITIVE_INFINITY;
    const tick = this.tickOf(target);
    target.spentUntil = Math.max(now, Math.min(target.spentUntil, now + (target.burst - 1) * tick)) + tick;
    try {
      target.flush();
    } catch (error) {
      this.onError(error);
      target.failed();
    }
  }
}
