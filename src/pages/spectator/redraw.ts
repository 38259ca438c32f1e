/** When to draw: at once after a quiet time, else at most four times a second, and never while paused or hidden. */

const MIN_INTERVAL_MS = 250;

export class Redraw {
  private drawnAt = Number.NEGATIVE_INFINITY;
  private isPlanned = false;
  private isHeld = false;
  /** The next drawing skips what happened unseen: nothing should fly across the screen. */
  private isCalm = true;
  private readonly draw: (isCalm: boolean) => void;

  constructor(draw: (isCalm: boolean) => void) {
    this.draw = draw;
    document.addEventListener('visibilitychange', () => this.wake());
  }

  pause(isPaused: boolean): void {
    this.isHeld = isPaused;
    if (!isPaused) this.wake();
  }

  request(): void {
    if (this.isPlanned || this.isHeld || document.hidden) return;
    this.isPlanned = true;
    const waitMs = Math.max(0, this.drawnAt + MIN_INTERVAL_MS - performance.now());
    setTimeout(() => requestAnimationFrame(() => this.run()), waitMs);
  }

  private wake(): void {
    this.isCalm = true;
    this.request();
  }

  private run(): void {
    this.isPlanned = false;
    if (this.isHeld) return;
    this.drawnAt = performance.now();
    const isCalm = this.isCalm;
    this.isCalm = false;
    this.draw(isCalm);
  }
}
