/**
 * Reads of players' standings beside a fold that goes on: whoever begins to watch registers first, then reads, then takes what came in
 * between with a seq above the read's.
 */

import { type ChangeSet, MAX_READ_PLAYERS, type Standing } from '../domain/change.js';
import type { ListRef } from '../domain/lists.js';
import { PATIENCE_MS, withPatience } from './patience.js';
import type { RankingReader, ReadRows } from './ranking-reader.js';
import { RecentChanges } from './recent-changes.js';
import type { TrackedPlayer } from './tracked-player.js';

/** The fold that they are brought up to. */
export interface FoldPlace {
  readonly list: ListRef;
  readonly epoch: number;
  readonly seq: number;
  /** Counts snapshots taken: what was read under an earlier one is worth nothing. */
  readonly generation: number;
  /** A read was of another history. */
  epochDiffers(): void;
  /** What to throw where the ranking does not answer. */
  notReady(): Error;
}

export class PlayerReads {
  /** One for each read under way. */
  private readonly pending = new Set<RecentChanges>();

  constructor(
    private readonly reader: Pick<RankingReader, 'readPlayers'>,
    private readonly fold: FoldPlace,
  ) {}

  /** From the fold: it has gone on by these. */
  add(set: ChangeSet): void {
    for (const recent of this.pending) recent.add(set);
  }

  /** Whoever waits for the fold to pass a seq looks again whether it still may. */
  wake(): void {
    for (const recent of this.pending) recent.wake();
  }

  /**
   * Hands `take` the players as they stand at the fold's seq, in the turn in which they were brought up to it: later they
   * would miss a change. `false` where the history was replaced while they were read, and nothing was handed over.
   */
  async read(playerIds: readonly string[], take: (players: readonly TrackedPlayer[]) => void): Promise<boolean> {
    const { fold } = this;
    const { generation, list } = fold;
    const isOver = (): boolean => fold.generation !== generation || fold.list !== list;
    const recent = new RecentChanges(list.list);
    this.pending.add(recent);
    try {
      const readings: ReadRows<Standing>[] = [];
      for (let i = 0; i < playerIds.length; i += MAX_READ_PLAYERS) {
        const reading = await this.reader.readPlayers(list, playerIds.slice(i, i + MAX_READ_PLAYERS));
        if (reading === null) throw fold.notReady();
        if (isOver()) return false;
        if (reading.epoch !== fold.epoch) {
          fold.epochDiffers();
          return false;
        }
        readings.push(reading);
      }
      const seq = Math.max(0, ...readings.map((reading) => reading.seq));
      if (fold.seq < seq) await withPatience(recent.passed(seq), PATIENCE_MS, () => fold.notReady());
      // Not passed: woken, since what was awaited will not come.
      if (isOver() || fold.seq < seq) return false;
      take(readings.flatMap((reading) => reading.rows.map((standing) => recent.bringUp(standing, reading.seq))));
      return true;
    } finally {
      this.pending.delete(recent);
    }
  }
}
