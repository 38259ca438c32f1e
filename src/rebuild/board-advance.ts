/**
 * Whether a board comes on to where truth is by the log, or stands still below it: then the log may no longer hold what lies
 * between, and only truth brings the board on.
 */

import { countBehind, type Position } from '../domain/log-record.js';

/** `coming`: it is to be looked again. */
export type Advance = 'there' | 'coming' | 'standing';

interface Seen {
  readonly next: number;
  readonly hasMoved: boolean;
  /** When it was seen there first. */
  readonly since: number;
}

export class BoardAdvance {
  private readonly seen = new Map<string, Seen>();

  /**
   * `floor`: what a checkpoint holds cannot be taken apart again, so a board that has not come so far would count it twice.
   * `truth`: where there are records for the board; no lower than the floor.
   */
  constructor(
    private readonly floor: readonly Position[],
    private readonly truth: readonly Position[],
    private readonly standstillMs: number,
  ) {}

  /** `now`: by `performance.now()`. Each partition counts for itself: while one stands still the others may go on. */
  look(board: readonly Position[], now: number): Advance {
    const behind = this.truth.filter((position) => countBehind(board, [position]) > 0);
    const seen = behind.map((position) => this.lookAt(board, position, now));
    if (seen.some(({ since }) => now - since >= this.standstillMs)) return 'standing';
    return countBehind(board, this.floor) === 0 && seen.every(({ hasMoved }) => hasMoved) ? 'there' : 'coming';
  }

  private lookAt(board: readonly Position[], { source, partition }: Position, now: number): Seen {
    const key = `${source}/${partition}`;
    const next = board.find((one) => one.source === source && one.partition === partition)?.next ?? 0;
    const before = this.seen.get(key);
    if (before?.next === next) return before;
    const seen = { next, hasMoved: before !== undefined, since: now };
    this.seen.set(key, seen);
    return seen;
  }
}
