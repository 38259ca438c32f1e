/** What the server holds for those who do not read, looked at all the time from outside. */

import { setTimeout as sleep } from 'node:timers/promises';
import { readProcessCost } from '../../lib/process-cost.js';
import type { ServerProcess } from '../../lib/server-process.js';

const EVERY_MS = 250;

export interface ServerSample {
  /** `performance.now()`. */
  readonly atMs: number;
  readonly blockedSessions: number;
  /** Of all blocked sessions. */
  readonly outboxBytes: number;
  readonly conflations: number;
  readonly rssBytes: number;
}

export interface ServerPeaks {
  readonly blockedSessions: number;
  readonly outboxBytes: number;
  readonly outboxBytesPerSession: number;
  readonly rssBytes: number;
}

const NOTHING: ServerSample = { atMs: 0, blockedSessions: 0, outboxBytes: 0, conflations: 0, rssBytes: 0 };

export class ServerWatch {
  private readonly samples: ServerSample[] = [];
  private readonly stopping = new AbortController();
  private readonly ended: Promise<void>;

  constructor(private readonly server: ServerProcess) {
    this.ended = this.run();
    this.ended.catch(() => undefined);
  }

  get last(): ServerSample {
    return this.samples.at(-1) ?? NOTHING;
  }

  /** Both by `performance.now()`. */
  peaksBetween(fromMs: number, toMs: number): ServerPeaks {
    return peaksOf(this.samples.filter(({ atMs }) => atMs >= fromMs && atMs < toMs));
  }

  /** Throws where the server could not be looked at. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.ended;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const metrics = await this.server.metrics();
      this.samples.push({
        atMs: performance.now(),
        blockedSessions: metrics.sum('rankcast_blocked_sessions'),
        outboxBytes: metrics.sum('rankcast_outbox_bytes'),
        conflations: metrics.sum('rankcast_conflations_total'),
        rssBytes: readProcessCost(this.server.pid).rssBytes,
      });
      await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

export function peaksOf(samples: readonly ServerSample[]): ServerPeaks {
  const most = (of: (sample: ServerSample) => number): number => Math.max(0, ...samples.map(of));
  return {
    blockedSessions: most(({ blockedSessions }) => blockedSessions),
    outboxBytes: most(({ outboxBytes }) => outboxBytes),
    outboxBytesPerSession: most(({ outboxBytes, blockedSessions }) => outboxBytes / Math.max(1, blockedSessions)),
    rssBytes: most(({ rssBytes }) => rssBytes),
  };
}
