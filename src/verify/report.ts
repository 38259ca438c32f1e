/** What a run found: one line for scripts, and before it a few for people. */

import type { RunShape } from './plan.js';
import type { Mismatch } from './watcher.js';

export interface VerifyReport {
  readonly shape: RunShape;
  readonly minutes: number;
  /** Records sent, refused ones included. */
  readonly results: number;
  readonly refused: number;
  /** Frames that windows applied. */
  readonly frames: number;
  readonly quietPoints: number;
  /** Windows compared, all quiet points together. */
  readonly compared: number;
  /** Of the one quiet point at which the run ended; a run ends with the first. */
  readonly mismatches: readonly Mismatch[];
  /** Results that were taken and should not have been, or the other way round. */
  readonly misjudged: readonly string[];
  readonly rebuild: 'done' | 'skipped';
}

const SHOWN = 10;

export function isPassed({ mismatches, misjudged }: VerifyReport): boolean {
  return mismatches.length === 0 && misjudged.length === 0;
}

/** For people, a line each; none where all was right. */
export function describeFindings({ mismatches, misjudged }: VerifyReport): string[] {
  const lines = mismatches.map(({ playerId, window, place, expected, shown }) => {
    return `${JSON.stringify(playerId)}, window ${window}, ${place}: shows ${shown}; expected ${expected}`;
  });
  const all = [...misjudged, ...lines];
  return all.length <= SHOWN ? all : [...all.slice(0, SHOWN), `and ${all.length - SHOWN} more`];
}

export function summaryLine(report: VerifyReport): string {
  const { shape, minutes, results, refused, frames, quietPoints, compared, mismatches, misjudged, rebuild } = report;
  const fields = {
    verify: isPassed(report) ? 'pass' : 'fail',
    seed: shape.seed,
    clients: shape.clients,
    minutes,
    results,
    refused,
    frames,
    quiet_points: quietPoints,
    compared,
    rebuild,
    misjudged: misjudged.length,
    mismatches: mismatches.length,
  };
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}
