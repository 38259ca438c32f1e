/** What a virtual machine's host took from it: a frame that is late because nobody ran says nothing of the server. */

import { readFileSync } from 'node:fs';

/** Ticks of all cores since the start, of Linux's `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal. */
export interface MachineTime {
  readonly total: number;
  readonly stolen: number;
}

const STEAL_FIELD = 7;

export function readMachineTime(): MachineTime {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
  const ticks = line
    .trim()
    .split(/\s+/)
    .slice(1, STEAL_FIELD + 2)
    .map(Number);
  return { total: ticks.reduce((sum, one) => sum + one, 0), stolen: ticks[STEAL_FIELD] ?? 0 };
}

/** Percent of the machine's time between two readings. */
export function stolenPercent(before: MachineTime, after: MachineTime): number {
  return (100 * (after.stolen - before.stolen)) / Math.max(1, after.total - before.total);
}
