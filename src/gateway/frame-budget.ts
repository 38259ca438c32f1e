/** How many frames a client may send: a fixed window of 10 s, refused politely above it, closed far above it. */

const FRAMES = 30;
const WINDOW_MS = 10_000;
/** This many times the budget is no mistake of a client any more. */
const FAR_OVER_FACTOR = 2;

export class FrameBudget {
  readonly frames = FRAMES;
  readonly windowMs = WINDOW_MS;
  private windowStart = Number.NEGATIVE_INFINITY;
  private taken = 0;

  /** Counts one frame at `now` (monotonic milliseconds). */
  take(now: number): 'within' | 'over' | 'far-over' {
    if (now - this.windowStart >= WINDOW_MS) {
      this.windowStart = now;
      this.taken = 0;
    }
    this.taken += 1;
    if (this.taken <= FRAMES) return 'within';
    return this.taken <= FRAMES * FAR_OVER_FACTOR ? 'over' : 'far-over';
  }
}
