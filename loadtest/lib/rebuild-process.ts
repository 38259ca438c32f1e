/** `rankcast rebuild` as a person runs it: a process of its own beside the server. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { environmentWithoutSettings, MAIN, NODE_FLAGS } from './server-process.js';

export interface RebuildReport {
  readonly entries: number;
  /** As the command counts them: without the start of its process. */
  readonly seconds: number;
}

/** Rejects with what the command said where it does not end well; an abort ends the process and rejects. */
export async function runRebuildProcess(
  env: Readonly<Record<string, string>>,
  boardId: string,
  signal: AbortSignal,
): Promise<RebuildReport> {
  const child = spawn(process.execPath, [...NODE_FLAGS, MAIN, 'rebuild', '--board', boardId], {
    env: { ...environmentWithoutSettings(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  const [out, told, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  const report = code === 0 ? findReport(out) : null;
  if (report === null) throw new Error(`rankcast rebuild ended with ${code}: ${(told + out).trim().slice(-2_000)}`);
  return report;
}

/** Of the line `rebuilt board=arena season=1 entries=5 seconds=0.012 ...`, `null` where there is none. */
export function findReport(out: string): RebuildReport | null {
  const match = /^rebuilt .*\bentries=(\d+) .*\bseconds=([\d.]+)/m.exec(out);
  return match === null ? null : { entries: Number(match[1]), seconds: Number(match[2]) };
}
