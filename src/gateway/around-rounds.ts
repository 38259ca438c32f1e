/**
 * The windows around players of one list: twice a second and a bit those are read anew in which rows came or left, together, and the
 * others are moved with their players' ranks. A window is read between rounds only for its own player's result.
 */

import { type AroundAsk, type Entry, MAX_NEIGHBOUR_ROWS, rowsAsked } from '../domain/change.js';
import type { BoardView } from '../views/board-view.js';
import type { SortedScores } from '../views/touched-scores.js';

/** The promise to the client is half a second. */
const ROUND_MS = 400;

export interface AroundReader {
  readonly ask: AroundAsk;
  /** To be read: what it shows may be wrong, or nothing. `show` ends it. */
  isStale: boolean;
  /** Whether what it shows may have changed. */
  isTouched(touched: SortedScores): boolean;
  /** Rows as of a seq. */
  show(rows: readonly Entry[], total: number, seq: number): void;
  /** Nothing came or left in it: its place is its player's. */
  follow(): void;
}

export class AroundRounds {
  private readonly readers = new Set<AroundReader>();
  private timer: NodeJS.Timeout | undefined;
  /** Reads under way. */
  private reading = 0;
  private isSoon = false;

  constructor(
    private readonly view: BoardView,
    private readonly onError: (error: unknown) => void,
  ) {}

  add(reader: AroundReader): void {
    if (this.readers.size === 0) this.begin();
    this.readers.add(reader);
  }

  remove(reader: AroundReader): void {
    if (this.readers.delete(reader) && this.readers.size === 0) this.end();
  }

  /** Those that want it are read in a moment, together. */
  readSoon(): void {
    if (this.isSoon) return;
    this.isSoon = true;
    setImmediate(() => {
      this.isSoon = false;
      void this.read([...this.readers].filter((reader) => reader.isStale));
    });
  }

  private begin(): void {
    this.view.touched.open();
    this.timer = setInterval(() => this.round(), ROUND_MS).unref();
  }

  private end(): void {
    clearInterval(this.timer);
    this.view.touched.close();
  }

  private round(): void {
    // What was touched meanwhile waits for the next round.
    if (this.reading > 0 || !this.view.isCurrent) return;
    const touched = this.view.touched.take();
    this.view.settleRanks();
    const stale: AroundReader[] = [];
    for (const reader of this.readers) {
      reader.isStale ||= reader.isTouched(touched);
      if (reader.isStale) stale.push(reader);
      else reader.follow();
    }
    void this.read(stale);
  }

  /** One call after the other, each of as many windows as a call may have. */
  private async read(readers: readonly AroundReader[]): Promise<void> {
    this.reading += 1;
    try {
      for (const some of inCalls(readers)) {
        const reading = await this.view.readNeighbours(some.map(({ ask }) => ask));
        // Another history: each window is told of it.
        if (reading === null) return;
        some.forEach((reader, index) => {
          if (this.readers.has(reader)) reader.show(reading.rows[index] ?? [], reading.total, reading.seq);
        });
      }
    } catch (error) {
      // They stay as they are, and are read by the next round.
      this.onError(error);
    } finally {
      this.reading -= 1;
    }
  }
}

function inCalls(readers: readonly AroundReader[]): readonly (readonly AroundReader[])[] {
  const calls: AroundReader[][] = [];
  let left = 0;
  for (const reader of readers) {
    const rows = rowsAsked([reader.ask]);
    if (rows > left) {
      calls.push([]);
      left = MAX_NEIGHBOUR_ROWS;
    }
    calls.at(-1)?.push(reader);
    left -= rows;
  }
  return calls;
}
