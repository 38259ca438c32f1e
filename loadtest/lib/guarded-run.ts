/** A run that is cut off at a signal or a time limit, and in every case closes what it opened, the last first. */

import { progress } from './report.js';

export type Close = () => void | Promise<void>;

/** `work` adds to `closers` what it opens, in the order of opening; the signal says that it is cut off. */
export async function runGuarded<Result>(
  limitMs: number,
  interrupted: AbortSignal,
  work: (signal: AbortSignal, closers: Close[]) => Promise<Result>,
): Promise<Result> {
  const signal = AbortSignal.any([interrupted, AbortSignal.timeout(limitMs)]);
  const closers: Close[] = [];
  const working = work(signal, closers);
  try {
    return await Promise.race([working, rejectionBy(signal)]);
  } finally {
    await closeAll(closers);
    // A run that was cut off may have opened one thing more before it noticed.
    await working.catch(() => undefined);
    await closeAll(closers);
  }
}

async function closeAll(closers: Close[]): Promise<void> {
  for (let close = closers.pop(); close !== undefined; close = closers.pop()) await close();
}

function rejectionBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const refuse = (): void => reject(new Error('the run was cut off: interrupted, or over its time limit'));
    if (signal.aborted) refuse();
    signal.addEventListener('abort', refuse, { once: true });
  });
}

const INTERRUPTED = new Error('interrupted');

/** Runs what a person started, until it ends or is interrupted. Answers the process's exit code; errors are told. */
export async function runFromShell(name: string, run: (interrupted: AbortSignal) => Promise<boolean>): Promise<number> {
  const interrupted = new AbortController();
  // The run takes down what it started; a second signal does not wait for that.
  const interrupt = (): void => (interrupted.signal.aborted ? process.exit(1) : interrupted.abort(INTERRUPTED));
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    return (await run(interrupted.signal)) ? 0 : 1;
  } catch (error) {
    progress(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}
