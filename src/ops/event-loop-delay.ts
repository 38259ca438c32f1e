/** How late the event loop runs its timers, as a metric. */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

const RESOLUTION_MS = 10;
const NS_PER_SEC = 1e9;

export class EventLoopDelay {
  private readonly delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor(registry: Registry) {
    const delay = this.delay;
    new Gauge({
      name: 'rankcast_event_loop_delay_seconds',
      help: 'How late timers ran since the last scrape, by quantile (1 is the longest).',
      labelNames: ['quantile'],
      registers: [registry],
      collect() {
        for (const quantile of [0.5, 0.99, 1]) {
          // The monitor counts its own pause between two looks; before the first look it answers NaN or 0.
          const sec = delay.percentile(quantile * 100) / NS_PER_SEC - RESOLUTION_MS / 1_000;
          this.set({ quantile: String(quantile) }, Math.max(0, sec || 0));
        }
        delay.reset();
      },
    });
    delay.enable();
  }

  close(): void {
    this.delay.disable();
  }
}
