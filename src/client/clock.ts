/** Time as the SDK uses it, so that tests can hand in their own. */

import type { ClientOptions } from './api.js';

/** Platforms run a timer that is set for longer at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface Clock {
  /** Epoch milliseconds: a jump after sleep shows, and that is wanted. */
  now(): number;
  /** One-shot, however long. The answer stops it; stopping twice, or after it ran, does nothing. */
  after(delayMs: number, run: () => void): () => void;
}

export function clockOf(options: ClientOptions): Clock {
  const start = options.setTimeout ?? ((run: () => void, delayMs: number): unknown => setTimeout(run, delayMs));
  const stop = options.clearTimeout ?? ((timer: unknown) => clearTimeout(timer as ReturnType<typeof setTimeout>));
  return {
    now: options.now ?? Date.now,
    after(delayMs, run) {
      let timer: unknown;
      const wait = (leftMs: number): void => {
        const isLast = leftMs <= LONGEST_TIMER_MS;
        timer = isLast ? start(run, leftMs) : start(() => wait(leftMs - LONGEST_TIMER_MS), LONGEST_TIMER_MS);
      };
      wait(delayMs);
      return () => stop(timer);
    },
  };
}
