/** The example client in Python as a process: what it prints, line by line, and its summary at the end. */

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { isOnPath } from '../stack/child-process.js';
import { installPackages } from '../stack/debian.js';

export const PYTHON_FOLDER = fileURLToPath(new URL('../../proto/examples/python', import.meta.url));

/** A command on the path. */
export async function python(): Promise<string> {
  if (!isOnPath('python3')) await installPackages(['python3'], 'Install Python 3.11 or newer as python3.');
  return 'python3';
}

/** Rank, player and points; of the own place the player is `null`. */
export type PythonRow = readonly [rank: number | null, playerId: string | null, score: number | null];

export interface PythonSummary {
  readonly frames: number;
  readonly resyncs: number;
  readonly syncPassed: number;
  readonly syncFailed: number;
  readonly moves: number;
  readonly closes: readonly number[];
  readonly errors: readonly unknown[];
  /** Why it gave up, `null` where it did not. */
  readonly stopped: unknown;
}

type Line =
  | { readonly window: string; readonly rows: readonly PythonRow[] }
  | { readonly sync: string; readonly passed: boolean }
  | { readonly summary: PythonSummary };

export class PythonClient {
  private readonly lines: Line[] = [];
  private readonly complaints: string[] = [];
  private readonly ended: Promise<void>;

  private constructor(private readonly child: ChildProcess) {
    const { stdout, stderr } = child;
    if (stdout === null || stderr === null) throw new Error('the child has no output');
    createInterface({ input: stdout }).on('line', (line) => this.lines.push(JSON.parse(line) as Line));
    createInterface({ input: stderr }).on('line', (line) => this.complaints.push(line));
    this.ended = new Promise((resolve) => child.once('close', () => resolve()));
  }

  static async start(args: readonly string[]): Promise<PythonClient> {
    const child = spawn(await python(), ['-B', 'client.py', '--checks', ...args], {
      cwd: PYTHON_FOLDER,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new PythonClient(child);
  }

  /** What a window shows: that of its last line. */
  rows(window: string): readonly PythonRow[] | null {
    const line = this.lines.findLast((found) => 'window' in found && found.window === window);
    return line !== undefined && 'rows' in line ? line.rows : null;
  }

  /** Whether the server's SYNC has confirmed what the window shows now. */
  isConfirmed(window: string): boolean {
    const changedAt = this.lines.findLastIndex((line) => 'window' in line && line.window === window);
    return this.lines.slice(changedAt).some((line) => 'sync' in line && line.sync === window && line.passed);
  }

  /** What it wrote about errors. */
  complaint(): string {
    return this.complaints.join('\n');
  }

  /** SIGTERM, and the summary that it ends with. */
  async stop(): Promise<PythonSummary> {
    this.child.kill('SIGTERM');
    await this.ended;
    const last = this.lines.at(-1);
    if (last === undefined || !('summary' in last)) throw new Error(`no summary at the end:\n${this.complaint()}`);
    return last.summary;
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}
