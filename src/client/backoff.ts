/** How long to wait before the next try: full jitter, so that clients of a lost server do not come back together. */

const FIRST_MS = 500;
const MAX_MS = 20_000;

export class Backoff {
  private tries = 0;
  private readonly random: () => number;

  constructor(random: () => number) {
    this.random = random;
  }

  /** Milliseconds, anywhere from 0 to 500 first, the upper end doubling with each call up to 20 s. */
  next(): number {
    const ceilingMs = Math.min(MAX_MS, FIRST_MS * 2 ** this.tries);
    this.tries = Math.min(this.tries + 1, 16);
    return Math.floor(this.random() * ceilingMs);
  }

  reset(): void {
    this.tries = 0;
  }
}
