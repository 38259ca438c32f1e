/**
 * The windows around players of one list: twice a second and a bit those are read anew in which rows came or left, together, and the
 * others are moved with their players' ranks. Between rounds a window is read only for its own player's result.
 */

import { type AroundAsk, type Entry, MAX_NEIGHBOUR_ROWS, rowsAsked } from '../domain/change.js';
import type { BoardView } from '../views/board-view.js';
import type { SortedScores } from '../views/touched-scores.js';

/**
 * The promise to the client is half a second: what is left after a round is for the reads, which go one after the other and so spread
 * what they bring, and for those that only moved.
 */
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
  /** Whose players have results that no read has. */
  private readonly urgent = new Set<AroundReader>();
  private timer: NodeJS.Timeout | undefined;
  private isRoundRead = false;
  private isUrgentRead = false;

  constructor(
    private readonly view: BoardView,
    private readonly onError: (error: unknown) => void,
  ) {}

  add(reader: AroundReader): void {
    if (this.readers.size === 0) this.begin();
    this.readers.add(reader);
  }

  remove(reader: AroundReader): void {
    this.urgent.delete(reader);
    if (this.readers.delete(reader) && this.readers.size === 0) this.end();
  }

  /** Read in a moment, with the others that want it until then: there is one such read at a time, and it waits for no round. */
  readSoon(reader: AroundReader): void {
    this.urgent.add(reader);
    if (this.isUrgentRead) return;
    this.isUrgentRead = true;
    setImmediate(() => void this.readUrgent());
  }

  private async readUrgent(): Promise<void> {
    while (this.urgent.size > 0) {
      const readers = [...this.urgent];
      this.urgent.clear();
      await this.read(readers);
    }
    this.isUrgentRead = false;
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
    if (this.isRoundRead || !this.view.isCurrent) return;
    const touched = this.view.touched.take();
    this.view.settleRanks();
    const stale: AroundReader[] = [];
    for (const reader of this.readers) {
      reader.isStale ||= reader.isTouched(touched);
      if (reader.isStale) stale.push(reader);
      else reader.follow();
    }
    void this.readRound(stale);
  }

  private async readRound(readers: readonly AroundReader[]): Promise<void> {
    this.isRoundRead = true;
    await this.read(readers);
    this.isRoundRead = false;
  }

  /** One call after the other, each of as many windows as a call may have; never rejects. */
  private async read(readers: readonly AroundReader[]): Promise<void> {
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
      // By the next round. An older read may have come in meanwhile and have taken them for right.
      for (const reader of readers) reader.isStale = true;
      this.onError(error);
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
