/** Waits until every client shows what it should, or until it is too late for that. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Truth } from './truth.js';
import type { Mismatch, Watcher } from './watcher.js';

export interface QuietOptions {
  readonly watchers: readonly Watcher[];
  readonly truth: Truth;
  /** How long the server may take for what it was sent. */
  readonly withinMs: number;
  readonly signal: AbortSignal;
}

const LOOK_EVERY_MS = 100;
/** What is right must stay right: a frame that comes after it could spoil it. */
const STEADY_MS = 500;

/** What still differs at the end; none where all windows were right, all at once and for half a second. */
export async function compareAtRest({ watchers, truth, withinMs, signal }: QuietOptions): Promise<Mismatch[]> {
  for (const watcher of watchers) watcher.attend();
  const deadlineAt = performance.now() + withinMs;
  let rightSince: number | null = null;
  for (;;) {
    const wrong = watchers.flatMap((watcher) => watcher.mismatches(truth));
    const now = performance.now();
    if (wrong.length > 0) {
      rightSince = null;
      if (now > deadlineAt) return wrong;
    } else {
      rightSince ??= now;
      if (now - rightSince >= STEADY_MS) return [];
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}
