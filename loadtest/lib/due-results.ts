/**
 * Latency by matching: the results of one player that are due to be shown, and for each window that shows him how many
 * of them it has shown so far. A frame that shows the player with x points has shown every due result of up to x points,
 * so a conflated result counts with the frame that first shows its state. Each (window, result) is looked at once.
 *
 * Where points may fall (rule latest), a frame has shown the result that led to exactly these points, and those before it.
 */

/** Results that change their player's points, with the points after each. Added before they are sent. */
export class DueResults {
  private readonly points: number[] = [];
  private readonly dueAtMs: number[] = [];

  /** `isRising`: points only ever rise. */
  constructor(private readonly isRising = true) {}

  get length(): number {
    return this.points.length;
  }

  /** `dueAtMs`: `performance.now()` of the moment when the producer's send is due. */
  add(points: number, dueAtMs: number): void {
    const last = this.points.at(-1);
    if (this.isRising && last !== undefined && points <= last) {
      throw new RangeError(`${points} points do not improve on ${last}`);
    }
    this.points.push(points);
    this.dueAtMs.push(dueAtMs);
  }

  /** One past the last result that a frame with these points shows, looking from `from` on; `from` where it shows none. */
  shownUntil(from: number, points: number): number {
    let until = from;
    if (this.isRising) {
      while ((this.points[until] ?? Number.POSITIVE_INFINITY) <= points) until += 1;
      return until;
    }
    const found = this.points.indexOf(points, from);
    return found === -1 ? from : found + 1;
  }

  dueAtMsOf(index: number): number {
    return this.dueAtMs[index] ?? Number.NaN;
  }
}

/** Takes the moments, both by `performance.now()`. */
export interface ShownRecorder {
  record(dueAtMs: number, shownAtMs: number): void;
}

/** How far one window has shown one player's results. */
export class ShownCursor {
  private next = 0;

  constructor(private readonly results: DueResults) {}

  /** How many due results the window has never shown. */
  get unshown(): number {
    return this.results.length - this.next;
  }

  /** A frame showed the player with these points. */
  show(points: number, shownAtMs: number, recorder: ShownRecorder): void {
    const until = this.results.shownUntil(this.next, points);
    for (; this.next < until; this.next++) recorder.record(this.results.dueAtMsOf(this.next), shownAtMs);
  }
}
