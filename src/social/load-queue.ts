/** Lets only so many loads run at a time, so that a dropped cache can't take every database connection at once. */

export class LoadQueue {
  private readonly waiting: (() => void)[] = [];
  private free: number;

  constructor(maxRunning: number) {
    this.free = maxRunning;
  }

  /** Runs `work` when it is its turn, first come first served; its answer or error is passed on. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      // The place is handed over, not freed: nobody can slip in between.
      if (next === undefined) this.free += 1;
      else next();
    }
  }
}
