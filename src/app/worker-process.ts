/** One worker: a fork of this program, from its start to its end. */

import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GoawayReason } from '../../proto/frames.js';
import { StartRefusedError } from '../domain/errors.js';
import type { StopOrder, WorkerMessage, WorkerReady } from './worker-link.js';

/** The internal subcommand. */
export const WORKER_COMMAND = 'worker';
/** A server that waits for its stores, or fills a large board, may take long; one that hangs must not hold a restart. */
const READY_WITHIN_MS = 120_000;

export interface WorkerOptions {
  readonly name: string;
  /** The compiled main.js. */
  readonly program: string;
  /** The settings of the supervisor, with what is this worker's own. */
  readonly env: NodeJS.ProcessEnv;
  /** How long it may take to stop before it is killed, milliseconds. */
  readonly stopWithinMs: number;
}

export interface WorkerEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export class WorkerProcess {
  private readonly child: ChildProcess;
  private readonly readiness: Promise<WorkerReady>;
  /** Resolves when it has ended, however. */
  readonly ended: Promise<WorkerEnd>;

  constructor(private readonly options: WorkerOptions) {
    const { program, env } = options;
    this.child = fork(program, [WORKER_COMMAND], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.ended = new Promise((resolve) => {
      this.child.once('exit', (code, signal) => resolve({ code, signal }));
      this.child.once('error', () => resolve({ code: null, signal: null }));
    });
    this.readiness = this.waitForReady();
    // Whoever asks hears of it; it may be over before anybody does.
    this.readiness.catch(() => {});
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Resolves with its ports; throws `StartRefusedError` with its own sentence where it ends before. */
  ready(): Promise<WorkerReady> {
    return this.readiness;
  }

  /** Resolves with its end. */
  async stop(reason: GoawayReason): Promise<WorkerEnd> {
    const order: StopOrder = { kind: 'stop', reason };
    // Where it cannot be told it is at its end already.
    if (this.child.connected) this.child.send(order, () => {});
    const late = setTimeout(() => this.kill(), this.options.stopWithinMs);
    try {
      return await this.ended;
    } finally {
      clearTimeout(late);
    }
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  private async waitForReady(): Promise<WorkerReady> {
    const { name } = this.options;
    const waiting = new AbortController();
    let sentence: string | null = null;
    const ready = new Promise<WorkerReady>((resolve) => {
      this.child.on('message', (message: WorkerMessage) => {
        if (message.kind === 'ready') resolve(message);
        else sentence = message.reason;
      });
    });
    const late = sleep(READY_WITHIN_MS, null, { signal: waiting.signal, ref: false }).catch(() => null);
    try {
      const first = await Promise.race([ready, this.ended, late]);
      if (first !== null && 'kind' in first) return first;
      this.kill();
      const end = first === null ? `was not ready in ${READY_WITHIN_MS / 1_000} s` : describeEnd(first);
      throw new StartRefusedError(`worker "${name}": ${sentence ?? `it ${end} while starting`}`);
    } finally {
      waiting.abort();
    }
  }
}

export function describeEnd({ code, signal }: WorkerEnd): string {
  if (signal !== null) return `was ended by ${signal}`;
  return code === null ? 'could not be run' : `ended with exit code ${code}`;
}
