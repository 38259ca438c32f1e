/** What another process costs, from the Linux process files: processor time and memory. */

import { readFileSync } from 'node:fs';

/** The kernel counts processor time in these, whatever its own tick is. */
const TICKS_PER_SEC = 100;

export interface ProcessCost {
  /** User and system time since its start. */
  readonly cpuSec: number;
  readonly rssBytes: number;
}

/** `NaN` in both where the system has no such files. */
export function readProcessCost(pid: number): ProcessCost {
  try {
    return {
      cpuSec: parseCpuSec(readFileSync(`/proc/${pid}/stat`, 'utf8')),
      rssBytes: parseRssBytes(readFileSync(`/proc/${pid}/status`, 'utf8')),
    };
  } catch {
    return { cpuSec: Number.NaN, rssBytes: Number.NaN };
  }
}

/** The program's name, in brackets, may itself hold brackets and spaces: fields are counted after it. */
export function parseCpuSec(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SEC;
}

export function parseRssBytes(status: string): number {
  const kiB = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kiB === undefined ? Number.NaN : Number(kiB) * 1_024;
}
