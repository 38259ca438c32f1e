/**
 * The contract of a ranking: who stands where. Redis (Lua) and memory implement it; test/contract runs one suite over both.
 *
 * A tag exists only through a fill (`begin`, `load`..., `finish`): before `finish` every read answers `null`,
 * so nobody is ever shown an empty or half board. A fill that replaces a board stands beside it, as another generation of
 * all lists, until `finish` shows it under a new epoch.
 *
 * "Player" stands for the subject, where a board ranks something else.
 */

import type { AroundAsk, ChangeSet, Entry, Standing, TagPosition } from '../domain/change.js';
import type { FillEntry, FillSum } from '../domain/fill-entry.js';
import type { ListRef, TagList } from '../domain/lists.js';
import type { Position } from '../domain/log-record.js';
import type { FoldedEntry, Mark } from '../domain/marks.js';
import type { OrderKey } from '../domain/order-key.js';
import type { SubmitBatch, SubmitReply } from '../domain/submit.js';
import type { Tag } from '../domain/tag.js';
import type { TagDefinition } from '../domain/tag-definition.js';
import type { TagDefinitions } from '../domain/tag-standing.js';

export { type AroundAsk, MAX_NEIGHBOUR_ROWS, MAX_READ_PLAYERS } from '../domain/change.js';
export type { FillEntry, FillSum } from '../domain/fill-entry.js';
export type { ListRef, TagList } from '../domain/lists.js';
export { type FoldedEntry, MAX_MARKS, type Mark } from '../domain/marks.js';
export type {
  PlayerOrder,
  ResultIdentity,
  ScoredResult,
  SubmitBatch,
  SubmitOutcome,
  SubmitReply,
  SubmitResult,
} from '../domain/submit.js';

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

/** Names one row of one list. */
export interface ListRow {
  readonly list: string;
  readonly playerId: string;
}

/** Some lists of what is shown, and the cursor of the next; `null` behind the last. */
export interface ListScan {
  readonly cursor: string | null;
  /** Those that rank somebody; `total` is how many. */
  readonly lists: readonly { readonly name: string; readonly total: number }[];
}

export interface TagState extends TagPosition, TagDefinitions {
  /** How far the submits are that are taken now, by what is shown or by a fill; none where none are. */
  readonly positions: readonly Position[];
}

/** Where a fill starts. */
export interface FillStart {
  /** Random; names this fill, so that a crashed one cannot go on beside its successor. */
  readonly jobId: string;
  /** Truth's positions and its hidden players, read in one transaction: where a tag without a board of this definition begins. */
  readonly positions: readonly Position[];
  readonly hidden: readonly string[];
  /** Also where there is a finished board. Default false. */
  readonly replace?: boolean;
  /** With `replace`: a board of the same definition is replaced as one of another is, and the tag begins anew. Default false. */
  readonly anew?: boolean;
}

/** `positions`: `load` is to bring what truth's rows below them come to. */
export type FillBegun =
  | { readonly kind: 'begun'; readonly positions: readonly Position[] }
  | { readonly kind: 'exists' };

/** Whose entries are to be computed anew, and lists where his row may stand although truth has no result of his there. */
export interface PlayerToMark {
  readonly playerId: string;
  readonly lists: readonly TagList[];
}

export const MAX_FILL_CHUNK = 1_000;

/** For how long a tag remembers results by default, where its rule needs it: copies older than this go by truth. */
export const DEDUP_MS = 6 * 3_600_000;
/** A new tag has no memory of copies from before its birth, and clocks of game servers run ahead by as much. */
export const BIRTH_GRACE_MS = 120_000;

export interface Ranking {
  /**
   * Merges a batch by the rule of the tag's definition into every list that each result names, and appends the changes to
   * the feed, atomically, or does nothing at all. `applied`: an entry changed, which lowers it at times (`latest`, `sum`
   * where low is first). `no-record`: all stayed as they were. Lists past their `keptUntil` are not written. Safe to repeat,
   * also for `sum`: what lies below `next` is skipped.
   *
   * Under the rule `sum` each result has an identity, and the tag remembers those of `dedupMs`: a copy is `duplicate`. One
   * achieved before that, or before the tag's birth + `BIRTH_GRACE_MS`, is `late`: not merged, and its player is marked with
   * the positions after this call; so is that of an order, whatever the rule. What comes for a marked player in later calls
   * merges as ever, and aside.
   *
   * While a fill is under way every result merges into it as well; under another definition than that of the fill nothing
   * is written (`other-definition`).
   */
  submit(tag: Tag, definitionHash: string, batch: SubmitBatch): Promise<SubmitReply>;

  /** Players whose entries wait to be computed from truth, at most `MAX_MARKS` of them; none where there is no tag. */
  marks(tag: Tag): Promise<readonly Mark[]>;
  /**
   * Marks players with the positions as they are, as an order `recompute` of a submit does, at most `MAX_MARKS` at once.
   * `no-board`, `other-definition`: nothing was done, as in `submit`.
   */
  mark(
    tag: Tag,
    definitionHash: string,
    players: readonly PlayerToMark[],
  ): Promise<'marked' | 'no-board' | 'other-definition'>;
  /**
   * Makes the player's entry in each list what truth's rows below the mark's positions come to there (`folded`; a list that
   * is missing: no row), merged with what came aside since, in the board and in a fill under way. Concerned are the lists of
   * `folded`, of the mark and of what came aside. A hidden player gets no row. Takes the mark away, and appends the changes,
   * with the time of this call as `at`. `superseded`: the mark is not his any more, or the tag is written under another
   * definition, and nothing was done.
   */
  settle(
    tag: Tag,
    definitionHash: string,
    mark: Mark,
    folded: readonly FoldedEntry[],
  ): Promise<'settled' | 'superseded'>;

  /** `null` where the tag has no finished board. */
  state(tag: Tag): Promise<TagState | null>;

  /**
   * Reads of one list: `null` where the tag has no finished board of that definition; a list that was never written, or is
   * past its `keptUntil`, is empty.
   */
  /** Rows from a 1-based rank on; ranks beyond the end, and below 1, are simply not there. */
  readRange(list: ListRef, fromRank: number, count: number): Promise<Reading<Entry> | null>;
  /** Rows right below an order key, whether or not a row is there; `count` is at least 1. Who reads on below his last row meets no row twice. */
  readBelow(list: ListRef, key: OrderKey, count: number): Promise<Reading<Entry> | null>;
  /** The player's row with up to `above` and `below` neighbours, clamped at both ends; no rows for an unranked player. */
  readAround(list: ListRef, playerId: string, above: number, below: number): Promise<Reading<Entry> | null>;
  /** The same for several players at one seq, each a row of the answer in the order asked; `MAX_NEIGHBOUR_ROWS` in all. */
  readNeighbours(list: ListRef, asked: readonly AroundAsk[]): Promise<Reading<readonly Entry[]> | null>;
  /** One standing per id, in the order asked, at most `MAX_READ_PLAYERS`; the caller cuts longer lists, each cut has its own seq. */
  readPlayers(list: ListRef, playerIds: readonly string[]): Promise<Reading<Standing> | null>;

  /**
   * Reads over all lists, for whoever compares them with truth; `null` as of one list. Packed scores in the order asked, at
   * most `MAX_READ_PLAYERS`; `null` where there is no such row.
   */
  readScores(tag: Tag, definitionHash: string, rows: readonly ListRow[]): Promise<readonly (number | null)[] | null>;
  /** Scans from cursor '0' on. A list that is there all the time comes once or more, one that comes or goes meanwhile may not. */
  scanLists(tag: Tag, definitionHash: string, cursor: string): Promise<ListScan | null>;

  /**
   * Starts filling a tag; replaces an unfinished fill. From now on submits under the definition's hash merge into the fill.
   *
   * Where the tag has a finished board: `exists`, unless the start says `replace`. Then a board of the same definition goes
   * on, shown and written, and `positions` are its own. A board of another definition, or where the start says `anew` any
   * board, stays shown to readers of its definition, and is written no more. There, and where there is no board, the tag
   * begins anew: its positions and hidden players are those of the start, its birth is now, and it has no marks.
   */
  begin(tag: Tag, definition: TagDefinition, start: FillStart): Promise<FillBegun>;
  /**
   * Merges chunk `index` (0, 1, ...), at most `MAX_FILL_CHUNK` entries, by the rule; leaves out players that are hidden, and
   * those settled since `begin`, whose entries were written whole. A repeat of the last chunk is harmless, whatever the
   * rule. `superseded`: another fill took over.
   */
  load(tag: Tag, jobId: string, index: number, entries: readonly FillEntry[]): Promise<'loaded' | 'superseded'>;
  /**
   * Shows what was filled, under a new epoch; what was shown before is dropped by `sweep`. `chunks` must have been loaded, and
   * all that came in them must agree with `sum`; throws a retryable error otherwise: begin again.
   */
  finish(tag: Tag, jobId: string, chunks: number, sum: FillSum): Promise<'finished' | 'superseded'>;
  /** Gives a fill up, so that submits no longer pay for it; harmless where it is not under way. */
  abandon(tag: Tag, jobId: string): Promise<void>;
  /** Drops some lists of generations that are neither shown nor filled; answers whether more are left. */
  sweep(tag: Tag): Promise<boolean>;

  /** Follows the changes of a tag, of all its lists; see `FeedListener`. `list` says under which definition. */
  follow(list: ListRef, afterSeq: number, listener: FeedListener): FeedSubscription;

  close(): Promise<void>;
}

export interface FeedListener {
  /** A change set, in order of seq, all of it above `afterSeq`. Whether it continues one's own state is the reader's check. */
  changes(set: ChangeSet): void;
  /** Where the tag stands now (`null`: no finished board of that definition): after each (re)connect and about once a second. */
  position(position: TagPosition | null): void;
}

export interface FeedSubscription {
  /** Go on from another seq: after the reader took a snapshot there. */
  restart(afterSeq: number): void;
  close(): void;
}
