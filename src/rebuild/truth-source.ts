/** What a fill needs of truth; src/truth has it. */

import type { BoardSeason } from '../domain/board-season.js';
import type { FillEntry } from '../domain/fill-entry.js';
import type { Position } from '../domain/log-record.js';

export interface TruthSource {
  /** `null` while another process fills the tag. */
  lock(tagName: string): Promise<TagLock | null>;
}

/** One process at a time fills a tag; the lock ends with its connection. */
export interface TagLock {
  /** How far truth is now. */
  positions(): Promise<readonly Position[]>;
  /**
   * Truth at one moment. `below`: only rows before `next` of each of these partitions count, and none of others; truth must
   * have reached them. Without it all rows count, which are those below the snapshot's own positions. One at a time.
   *
   * A checkpoint is advanced before, in steps that `steps` is told of.
   */
  snapshot(scope: BoardSeason, below?: readonly Position[], steps?: SnapshotSteps): Promise<FillSource>;
  /** Safe in every state. */
  release(): Promise<void>;
}

export interface SnapshotSteps {
  /** Before each: how many records are to be considered still. */
  readonly onStep: (behind: number) => void;
  /** Awaited between two: how long the last one took, milliseconds. */
  readonly rest: (tookMs: number) => Promise<void>;
}

export interface FillSource {
  readonly positions: readonly Position[];
  /** No later snapshot of the tag can be taken below these: that much is in its checkpoint. */
  readonly floor: readonly Position[];
  /** Who is hidden of those that the board ranks. */
  readonly hidden: readonly string[];
  /** Chunks of at most `chunkSize`, in no order; to be read once. */
  chunks(chunkSize: number): AsyncIterable<readonly FillEntry[]>;
  /** Safe in every state. */
  close(): Promise<void>;
}
