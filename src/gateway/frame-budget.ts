/** What a client may send: frames and their bytes in a fixed window of 10 s, refused politely above it, closed far above it. */

const WINDOW_MS = 10_000;
/** This many times the budget is no mistake of a client any more. */
const FAR_OVER_FACTOR = 2;

export interface FrameLimits {
  /** Both in `windowMs`. */
  readonly frames: number;
  readonly bytes: number;
}

export class FrameBudget {
  private windowStart = Number.NEGATIVE_INFINITY;
  private frames = 0;
  private bytes = 0;

  constructor(readonly limits: FrameLimits) {}

  get windowMs(): number {
    return WINDOW_MS;
  }

  /** Counts one frame of so many bytes at `now` (monotonic milliseconds), also where it is not within. */
  take(now: number, bytes: number): 'within' | 'over' | 'far-over' {
    if (now - this.windowStart >= WINDOW_MS) {
      this.windowStart = now;
      this.frames = 0;
      this.bytes = 0;
    }
    this.frames += 1;
    this.bytes += bytes;
    if (this.isWithin(1)) return 'within';
    return this.isWithin(FAR_OVER_FACTOR) ? 'over' : 'far-over';
  }

  private isWithin(factor: number): boolean {
    return this.frames <= this.limits.frames * factor && this.bytes <= this.limits.bytes * factor;
  }
}
