/** When to draw: at once after a quiet time, else at most four times a second, and never while paused or hidden. */

const MIN_INTERVAL_MS = 250;

export class Redraw {
  #drawnAt = Number.NEGATIVE_INFINITY;
  #isPlanned = false;
  #isPaused = false;
  /** The next drawing skips what happened unseen: nothing should fly across the screen. */
  #isCalm = true;
  readonly #draw: (isCalm: boolean) => void;

  constructor(draw: (isCalm: boolean) => void) {
    this.#draw = draw;
    document.addEventListener('visibilitychange', () => this.#wake());
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    if (!isPaused) this.#wake();
  }

  request(): void {
    if (this.#isPlanned || this.#isPaused || document.hidden) return;
    this.#isPlanned = true;
    const waitMs = Math.max(0, this.#drawnAt + MIN_INTERVAL_MS - performance.now());
    setTimeout(() => requestAnimationFrame(() => this.#run()), waitMs);
  }

  #wake(): void {
    this.#isCalm = true;
    this.request();
  }

  #run(): void {
    this.#isPlanned = false;
    if (this.#isPaused) return;
    this.#drawnAt = performance.now();
    const isCalm = this.#isCalm;
    this.#isCalm = false;
    this.#draw(isCalm);
  }
}
