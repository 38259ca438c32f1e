/** Latencies of several kinds of windows that follow one another: a result counts where it is due, whenever it is shown. */

import type { ShownRecorder } from './due-results.js';
import { Latencies } from './latencies.js';

export class MeasuredWindows<Kind extends string> implements ShownRecorder {
  private readonly byKind = new Map<Kind, Latencies>();
  /** In the order of time. */
  private readonly windows: { readonly fromMs: number; readonly latencies: Latencies | null }[] = [];

  /** What is due from now on is of that kind, `null`: of none. `fromMs`: `performance.now()`. */
  begin(kind: Kind | null, fromMs: number): void {
    this.windows.push({ fromMs, latencies: kind === null ? null : this.of(kind) });
  }

  /** All windows of the kind so far. */
  of(kind: Kind): Latencies {
    const known = this.byKind.get(kind);
    if (known !== undefined) return known;
    const latencies = new Latencies();
    latencies.measureFrom(0);
    this.byKind.set(kind, latencies);
    return latencies;
  }

  record(dueAtMs: number, shownAtMs: number): void {
    const window = this.windows.findLast(({ fromMs }) => fromMs <= dueAtMs);
    window?.latencies?.record(dueAtMs, shownAtMs);
  }
}
