/** Time as the SDK uses it, so that tests can hand in their own. */

import type { ClientOptions } from './api.js';

export interface Clock {
  /** Epoch milliseconds: a jump after sleep shows, and that is wanted. */
  now(): number;
  /** One-shot. The answer stops it; stopping twice, or after it ran, does nothing. */
  after(delayMs: number, run: () => void): () => void;
}

export function clockOf(options: ClientOptions): Clock {
  const start = options.setTimeout ?? ((run: () => void, delayMs: number): unknown => setTimeout(run, delayMs));
  const stop = options.clearTimeout ?? ((timer: unknown) => clearTimeout(timer as ReturnType<typeof setTimeout>));
  return {
    now: options.now ?? Date.now,
    after(delayMs, run) {
      const timer = start(run, delayMs);
      return () => stop(timer);
    },
  };
}
