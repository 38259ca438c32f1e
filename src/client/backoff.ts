/** How long to wait before the next try: full jitter, so that clients of a lost server do not come back together. */

import { CloseCode } from '../../proto/close-codes.js';

const FIRST_MS = 500;
/** In no second of it more than a tenth of those come whom one server told to go. */
const FIRST_AFTER_STOP_MS = 15_000;
const MAX_MS = 20_000;

/** The server said that there are too many of us. */
const TOO_MANY_WAIT_MS = 10_000;

/** Service restart and try again later: RFC 6455's registry, sent by proxies. */
const SERVICE_RESTART = 1_012;
const TRY_AGAIN_LATER = 1_013;
/** The server, or a proxy before it, says that it goes: all of its clients hear it in the same moment. */
const STOPPED: ReadonlySet<number> = new Set([
  CloseCode.goingAway,
  SERVICE_RESTART,
  TRY_AGAIN_LATER,
  CloseCode.draining,
]);

export class Backoff {
  private tries = 0;
  private readonly random: () => number;

  constructor(random: () => number) {
    this.random = random;
  }

  /**
   * Milliseconds, anywhere from 0 to 500 first, the upper end doubling with each call up to 20 s; at least up to 15 s
   * after a close whose `code` says that the server goes, and 10 s longer after one that says "too many".
   */
  next(code: number | null = null): number {
    const leastMs = code !== null && STOPPED.has(code) ? FIRST_AFTER_STOP_MS : FIRST_MS;
    const ceilingMs = Math.min(MAX_MS, Math.max(leastMs, FIRST_MS * 2 ** this.tries));
    this.tries = Math.min(this.tries + 1, 16);
    const leadMs = code === CloseCode.tooMany ? TOO_MANY_WAIT_MS : 0;
    return leadMs + Math.floor(this.random() * ceilingMs);
  }

  reset(): void {
    this.tries = 0;
  }
}
