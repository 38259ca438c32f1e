/**
 * Shows a person how far a rebuild is: a line that is drawn over and over on a terminal, a line now and then elsewhere.
 *
 * Own lines instead of a package: those draw how much of a known total is done, and here nobody knows the total before the
 * database has read the last row.
 */

import type { FillProgress } from '../rebuild/fill-progress.js';

export interface ProgressOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const DRAWN_EVERY_MS = 100;
const TOLD_EVERY_MS = 3_000;
const BAR_CELLS = 24;
const SLIDER_CELLS = 6;
/** Back to the first column, and nothing left of what stood there. */
const CLEAR_LINE = '\r\u001b[K';

export class ProgressDisplay {
  private progress: FillProgress | null = null;
  /** Of the phase that counts records down: what the bar is full of. */
  private mostBehind = 0;
  private countedDown: FillProgress['phase'] | null = null;
  private readonly startedAt = performance.now();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly name: string,
    private readonly output: ProgressOutput,
  ) {
    const [everyMs, show] =
      output.isTTY === true ? [DRAWN_EVERY_MS, () => this.draw()] : [TOLD_EVERY_MS, () => this.tell()];
    this.timer = setInterval(show, everyMs);
  }

  readonly report = (progress: FillProgress): void => {
    this.progress = progress;
    if (!('behind' in progress)) return;
    if (progress.phase !== this.countedDown) this.mostBehind = 0;
    this.countedDown = progress.phase;
    this.mostBehind = Math.max(this.mostBehind, progress.behind);
  };

  /** Takes the drawn line away. */
  close(): void {
    clearInterval(this.timer);
    if (this.output.isTTY === true) this.output.write(CLEAR_LINE);
  }

  private draw(): void {
    if (this.progress === null) return;
    // A line that wraps could not be drawn over.
    const line = `${this.bar(this.progress)} ${this.describe(this.progress)}`.slice(0, (this.output.columns ?? 80) - 1);
    this.output.write(CLEAR_LINE + line);
  }

  private tell(): void {
    if (this.progress !== null) this.output.write(`${this.describe(this.progress)}\n`);
  }

  private describe(progress: FillProgress): string {
    switch (progress.phase) {
      case 'queued':
        return `${this.name}: another process is filling this board; waiting for it`;
      case 'advancing':
        return `${this.name}: the database adds up ${count(progress.behind)} records that are new to its checkpoint`;
      case 'catching-up':
        return `${this.name}: waiting for the board, ${count(progress.behind)} records behind the checkpoint`;
      case 'waiting':
        return (
          `${this.name}: waiting for the database, ${count(progress.behind)} records behind the board; ` +
          'a process with the role truth must be running'
        );
      case 'loading':
        return progress.entries === 0
          ? `${this.name}: the database is reading the results`
          : `${this.name}: ${count(progress.entries)} entries, ${count(progress.entries / this.seconds())} a second`;
      case 'sweeping':
        return `${this.name}: ${count(progress.entries)} entries; dropping the old board`;
      default:
        return progress satisfies never;
    }
  }

  /** Fills up while records are counted down; slides where there is no telling how much is to come. */
  private bar(progress: FillProgress): string {
    if ('behind' in progress) {
      const done = Math.round((1 - progress.behind / Math.max(this.mostBehind, 1)) * BAR_CELLS);
      return `[${'#'.repeat(done).padEnd(BAR_CELLS)}]`;
    }
    const way = BAR_CELLS - SLIDER_CELLS;
    const step = Math.floor((this.seconds() * 1_000) / DRAWN_EVERY_MS) % (2 * way);
    const before = step < way ? step : 2 * way - step;
    return `[${(' '.repeat(before) + '#'.repeat(SLIDER_CELLS)).padEnd(BAR_CELLS)}]`;
  }

  private seconds(): number {
    return (performance.now() - this.startedAt) / 1_000;
  }
}

function count(n: number): string {
  return Math.round(n).toLocaleString('en-US');
}
