/** What a worker and its supervisor say to each other, and the worker's end of it. */

import type { GoawayReason } from '../../proto/frames.js';
import type { App } from '../app.js';

export interface WorkerReady {
  readonly kind: 'ready';
  /** `null` where no role serves players. */
  readonly port: number | null;
  readonly adminPort: number;
}

/** It ends, and this is the sentence why. */
export interface WorkerFailed {
  readonly kind: 'failed';
  readonly reason: string;
}

export type WorkerMessage = WorkerReady | WorkerFailed;

/** From the supervisor: stop, and tell the clients why. */
export interface StopOrder {
  readonly kind: 'stop';
  readonly reason: GoawayReason;
}

/** Aborts on the supervisor's order, and when the supervisor is gone: nobody would ever stop us then. */
export function abortOnOrder(controller: AbortController): void {
  process.on('message', (order: StopOrder) => {
    if (!controller.signal.aborted) controller.abort(order.reason);
  });
  process.on('disconnect', () => {
    if (!controller.signal.aborted) controller.abort();
  });
}

export async function sayReady({ port, adminPort }: App): Promise<void> {
  await say({ kind: 'ready', port, adminPort });
}

/** Answers whether there is a supervisor that will print it. */
export async function sayFailed(reason: string): Promise<boolean> {
  return process.connected === true && (await say({ kind: 'failed', reason }));
}

/** Answers whether it was heard; before that the process must not exit. */
async function say(message: WorkerMessage): Promise<boolean> {
  return await new Promise((resolve) => {
    if (process.send === undefined) return resolve(false);
    process.send(message, undefined, {}, (error) => resolve(error === null));
  });
}
