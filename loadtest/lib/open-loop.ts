/** The open loop: event k is due at start + k / rate whatever became of the ones before; it is never slowed by answers. */

/** As a producer with the Java client's default linger. */
const TICK_MS = 5;

export interface OpenLoopOptions {
  /** Events per second. */
  readonly rate: number;
  /** How many events in all. */
  readonly count: number;
  /** When event 0 is due, by `performance.now()`. */
  readonly startAtMs: number;
  /** Called with the events `[from, to)`, which have just become due. Must not throw. */
  readonly release: (from: number, to: number) => void;
  readonly signal: AbortSignal;
  /** Events that are due in the same tick are released together. Default 5. */
  readonly tickMs?: number;
  /** What is due after this is not released any more. */
  readonly end?: AbortSignal | undefined;
}

export function dueAtMs(startAtMs: number, rate: number, event: number): number {
  return startAtMs + (event * 1_000) / rate;
}

/** How many events have been due until `nowMs`, inclusive. */
export function countDue(startAtMs: number, rate: number, nowMs: number): number {
  let count = Math.max(0, Math.floor(((nowMs - startAtMs) * rate) / 1_000));
  // The quotient may be one off by rounding: what `dueAtMs` says decides, so none is early and none is left out.
  while (count > 0 && dueAtMs(startAtMs, rate, count - 1) > nowMs) count -= 1;
  while (dueAtMs(startAtMs, rate, count) <= nowMs) count += 1;
  return count;
}

/** Resolves when the last event has been released, or at the end that comes before it; rejects when the signal does. */
export function runOpenLoop(options: OpenLoopOptions): Promise<void> {
  const { rate, count, startAtMs, release, signal, end } = options;
  return new Promise((resolve, reject) => {
    let released = 0;
    const ticking = setInterval(() => {
      if (signal.aborted) {
        clearInterval(ticking);
        return reject(signal.reason);
      }
      const due = Math.min(count, countDue(startAtMs, rate, performance.now()));
      if (due > released) {
        const from = released;
        released = due;
        release(from, due);
      }
      if (released < count && end?.aborted !== true) return;
      clearInterval(ticking);
      resolve();
    }, options.tickMs ?? TICK_MS);
  });
}
