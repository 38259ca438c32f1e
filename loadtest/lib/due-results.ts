/**
 * Latency by matching: the results of one player that are due to be shown, and for each window that shows him how many
 * of them it has shown so far. A frame that shows the player with x points has shown every due result of up to x points,
 * so a conflated result counts with the frame that first shows its state. Each (window, result) is looked at once.
 */

/** Results that improve their player's best, so points rise strictly. Added before they are sent. */
export class DueResults {
  private readonly points: number[] = [];
  private readonly dueAtMs: number[] = [];

  get length(): number {
    return this.points.length;
  }

  /** `dueAtMs`: `performance.now()` of the moment when the producer's send is due. */
  add(points: number, dueAtMs: number): void {
    const last = this.points.at(-1);
    if (last !== undefined && points <= last) throw new RangeError(`${points} points do not improve on ${last}`);
    this.points.push(points);
    this.dueAtMs.push(dueAtMs);
  }

  /** `undefined` past the end. */
  pointsOf(index: number): number | undefined {
    return this.points[index];
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
    for (let due = this.results.pointsOf(this.next); due !== undefined && due <= points; ) {
      recorder.record(this.results.dueAtMsOf(this.next), shownAtMs);
      this.next += 1;
      due = this.results.pointsOf(this.next);
    }
  }
}
