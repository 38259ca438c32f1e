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
   */
  snapshot(scope: BoardSeason, below?: readonly Position[]): Promise<FillSource>;
  /** Safe in every state. */
  release(): Promise<void>;
}

export interface FillSource {
  readonly positions: readonly Position[];
  /** Players that are hidden. */
  readonly hidden: readonly string[];
  /** Chunks of at most `chunkSize`, in no order; to be read once. */
  chunks(chunkSize: number): AsyncIterable<readonly FillEntry[]>;
  /** Safe in every state. */
  close(): Promise<void>;
}
