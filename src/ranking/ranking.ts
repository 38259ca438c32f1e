/**
 * The contract of a ranking: who stands where. Redis (Lua) and memory implement it; test/contract runs one suite over both.
 *
 * A tag exists only through a fill (`begin`, `load`..., `finish`): before `finish` every read answers `null`,
 * so nobody is ever shown an empty or half board.
 */

import type { ChangeSet, Entry, Standing, TagPosition } from '../domain/change.js';
import type { FillEntry } from '../domain/fill-entry.js';
import type { Position } from '../domain/log-record.js';
import type { Mark } from '../domain/marks.js';
import type { SubmitBatch, SubmitReply } from '../domain/submit.js';
import type { Tag } from '../domain/tag.js';
import type { TagDefinition } from '../domain/tag-definition.js';

export { MAX_READ_PLAYERS } from '../domain/change.js';
export type { FillEntry } from '../domain/fill-entry.js';
export { MAX_MARKS, type Mark } from '../domain/marks.js';
export type { ResultIdentity, SubmitBatch, SubmitOutcome, SubmitReply, SubmitResult } from '../domain/submit.js';

/**
 * A script blocks Redis for 2 to 3 ms at this size, for some 9 ms where the rule is `sum`; larger batches are cut by the
 * caller, who may cut those of costlier rules smaller.
 */
export const MAX_SUBMIT_RESULTS = 300;

/** Rows of a list at one (epoch, seq); `total` is how many players the list ranks. */
export interface Reading<Row> extends TagPosition {
  readonly total: number;
  readonly rows: readonly Row[];
}

export interface TagState extends TagPosition {
  readonly positions: readonly Position[];
}

/** Where a fill starts: truth's positions, read in the same transaction as the rows that `load` brings. */
export interface FillStart {
  /** Random; names this fill, so that a crashed one cannot go on beside its successor. */
  readonly jobId: string;
  readonly positions: readonly Position[];
}

export const MAX_FILL_CHUNK = 1_000;

/** For how long a tag remembers results by default, where its rule needs it: copies older than this go by truth. */
export const DEDUP_MS = 6 * 3_600_000;
/** A new tag has no memory of copies from before its birth, and clocks of game servers run ahead by as much. */
export const BIRTH_GRACE_MS = 120_000;

export interface Ranking {
  /**
   * Merges a batch by the rule of the tag's definition and appends the changes to its feed, atomically, or does nothing
   * at all. `applied`: the entry changed, which lowers it at times (`latest`, `sum` where low is first). `no-record`: it
   * stayed as it was. Safe to repeat, also for `sum`: what lies below `next` is skipped.
   *
   * Under the rule `sum` each result has an identity, and the tag remembers those of `dedupMs`: a copy is `duplicate`. One
   * achieved before that, or before the tag's birth (its `begin`) + `BIRTH_GRACE_MS`, is `late`: not merged, and its player
   * is marked with the positions after this call; so is that of a result without a score, whatever the rule. What comes for a marked player in later calls merges as ever, and aside.
   */
  submit(tag: Tag, definitionHash: string, batch: SubmitBatch): Promise<SubmitReply>;

  /** Players whose entry waits to be computed from truth, at most `MAX_MARKS` of them; none where there is no tag. */
  marks(tag: Tag): Promise<readonly Mark[]>;
  /**
   * Makes the player's entry what truth's rows below the mark's positions come to (`score`, `null`: no row), merged with
   * what came aside since, in the list and in a fill under way; takes the mark away, and appends the change if there is one,
   * with the time of this call as `at`. `superseded`: the mark is not his any more, and nothing was done.
   */
  settle(tag: Tag, mark: Mark, score: number | null): Promise<'settled' | 'superseded'>;

  /** `null` where the tag has no finished board. */
  state(tag: Tag): Promise<TagState | null>;

  /** Rows from a 1-based rank on; ranks beyond the end, and below 1, are simply not there. */
  readRange(tag: Tag, fromRank: number, count: number): Promise<Reading<Entry> | null>;
  /** The player's row with up to `above` and `below` neighbours, clamped at both ends; no rows for an unranked player. */
  readAround(tag: Tag, playerId: string, above: number, below: number): Promise<Reading<Entry> | null>;
  /** One standing per id, in the order asked, at most `MAX_READ_PLAYERS`; the caller cuts longer lists, each cut has its own seq. */
  readPlayers(tag: Tag, playerIds: readonly string[]): Promise<Reading<Standing> | null>;

  /**
   * Starts filling a tag that has no finished board; replaces an unfinished fill.
   * From now on submits under the definition's hash count from `positions` and merge into the fill by its rule.
   * `exists`: there is a finished board already.
   */
  begin(tag: Tag, definition: TagDefinition, start: FillStart): Promise<'begun' | 'exists'>;
  /**
   * Merges chunk `index` (0, 1, ...), at most `MAX_FILL_CHUNK` entries, by the rule. A repeat of the last chunk is
   * harmless, whatever the rule. `superseded`: another fill took over.
   */
  load(tag: Tag, jobId: string, index: number, entries: readonly FillEntry[]): Promise<'loaded' | 'superseded'>;
  /** Makes the filled list readable under a new epoch. `chunks` is the number of chunks that must have been loaded. */
  finish(tag: Tag, jobId: string, chunks: number): Promise<'finished' | 'superseded'>;

  /** Follows the tag's changes; see `FeedListener`. */
  follow(tag: Tag, afterSeq: number, listener: FeedListener): FeedSubscription;

  close(): Promise<void>;
}

export interface FeedListener {
  /** A change set, in order of seq, all of it above `afterSeq`. Whether it continues one's own state is the reader's check. */
  changes(set: ChangeSet): void;
  /** Where the tag stands now (`null`: no finished board): after each (re)connect and about once a second. */
  position(position: TagPosition | null): void;
}

export interface FeedSubscription {
  /** Go on from another seq: after the reader took a snapshot there. */
  restart(afterSeq: number): void;
  close(): void;
}
