/** Latencies of the measured window in an HDR histogram: microseconds inside, milliseconds outside. */

import { createHistogram } from 'node:perf_hooks';
import type { ShownRecorder } from './due-results.js';

export class Latencies implements ShownRecorder {
  private readonly histogram = createHistogram();
  private measuredFrom = Number.POSITIVE_INFINITY;

  get count(): number {
    return this.histogram.count;
  }

  /** What is due before this moment (`performance.now()`) is warm-up and not counted. */
  measureFrom(atMs: number): void {
    this.measuredFrom = atMs;
  }

  record(dueAtMs: number, doneAtMs: number): void {
    // The histogram takes whole numbers from 1.
    if (dueAtMs >= this.measuredFrom) this.histogram.record(Math.max(1, Math.round((doneAtMs - dueAtMs) * 1_000)));
  }

  /** `percent` 0 to 100; `NaN` where nothing was counted. */
  percentileMs(percent: number): number {
    return this.count === 0 ? Number.NaN : this.histogram.percentile(percent) / 1_000;
  }

  get maxMs(): number {
    return this.count === 0 ? Number.NaN : this.histogram.max / 1_000;
  }
}
