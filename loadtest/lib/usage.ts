/** What the measured window cost: processor time of generator and server, memory, and the traffic. */

import { readProcessCost } from './process-cost.js';
import type { Traffic } from './viewer.js';

/** A reading at one moment; two of them make a `Usage`. */
export interface UsageReading {
  readonly atMs: number;
  readonly generatorCpuSec: number;
  readonly serverCpuSec: number;
  readonly serverRssBytes: number;
  readonly frames: number;
  readonly messages: number;
  readonly bytes: number;
}

export interface Usage {
  readonly seconds: number;
  /** 1 is one core all the time. */
  readonly generatorCpuRatio: number;
  /** `NaN` where the system does not tell. */
  readonly serverCpuRatio: number;
  readonly serverRssBytes: number;
  readonly frames: number;
  readonly messages: number;
  readonly bytes: number;
}

export function readUsage(serverPid: number, traffic: Traffic): UsageReading {
  const { user, system } = process.cpuUsage();
  const server = readProcessCost(serverPid);
  const { frames, messages, bytes } = traffic;
  return {
    atMs: performance.now(),
    generatorCpuSec: (user + system) / 1e6,
    serverCpuSec: server.cpuSec,
    serverRssBytes: server.rssBytes,
    frames,
    messages,
    bytes,
  };
}

export function usageBetween(from: UsageReading, to: UsageReading): Usage {
  const seconds = (to.atMs - from.atMs) / 1_000;
  return {
    seconds,
    generatorCpuRatio: (to.generatorCpuSec - from.generatorCpuSec) / seconds,
    serverCpuRatio: (to.serverCpuSec - from.serverCpuSec) / seconds,
    serverRssBytes: to.serverRssBytes,
    frames: to.frames - from.frames,
    messages: to.messages - from.messages,
    bytes: to.bytes - from.bytes,
  };
}
