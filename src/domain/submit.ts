/** What a ranking is asked to apply, and what it answers. */

import type { TagList } from './lists.js';

/** What tells the copies of a result apart from other results, where the rule would count a copy. */
export interface ResultIdentity {
  /** 64 bits of a hash of (match, player), signed, as decimal text. */
  readonly hash: string;
  /** When the match ended, epoch milliseconds: copies are remembered by its hour. */
  readonly achievedAt: number;
}

/** One accepted result as the ranking needs it. */
export interface ScoredResult {
  /** The subject: a player, or who else the board ranks. */
  readonly playerId: string;
  /** Packed score. */
  readonly score: number;
  /** Where it counts, one list at least. Results that count in the same lists share one array where they can: it is cheaper. */
  readonly lists: readonly TagList[];
  /** Its offset in the batch's partition. */
  readonly offset: number;
  /** Broker time, epoch milliseconds. */
  readonly at: number;
  /** Needed where the tag's rule is `sum`. */
  readonly identity?: ResultIdentity;
}

/**
 * What is to be done with a player, in the order of the log. Each of them marks him: his entries are computed anew from truth.
 *
 * | order | |
 * | --- | --- |
 * | recompute | nothing else |
 * | correct | the changes that come of it are labelled `correction` |
 * | hide | takes his rows out of the lists named, labelled `hide`; from now on no call writes him anywhere |
 * | unhide | ends that; the changes that come of it are labelled `hide` |
 */
export interface PlayerOrder {
  readonly order: 'recompute' | 'correct' | 'hide' | 'unhide';
  readonly playerId: string;
  /** Lists where his row may stand although truth has no result of his there; for `hide` also those to take him out of at once. */
  readonly lists: readonly TagList[];
  readonly offset: number;
  readonly at: number;
}

export type SubmitResult = ScoredResult | PlayerOrder;

/** The accepted results and orders of `[from, to)` of one partition for one tag, at most `MAX_SUBMIT_RESULTS`, by offset; one record may make several orders. */
export interface SubmitBatch {
  readonly source: string;
  readonly partition: number;
  /** The `next` that this caller was last answered for (tag, source, partition). */
  readonly from: number;
  /** One past the last offset considered, also where it held nothing for this tag. */
  readonly to: number;
  readonly results: readonly SubmitResult[];
}

/**
 * `skipped`: its offset lies below the tag's `next`; it was considered by an earlier call.
 * `duplicate`: a copy of a result that the tag remembers; only the rule `sum` needs to know.
 * `applied`: an entry changed in one of its lists, `no-record`: in none.
 * `marked`: an order; its player is marked (see domain/marks.ts).
 * `hidden`: its player is hidden, and it was not merged: truth has it when he is shown again.
 * `late`: too old for the tag to remember its copies, so it marks its player as well.
 */
export type SubmitOutcome = 'applied' | 'no-record' | 'skipped' | 'duplicate' | 'late' | 'marked' | 'hidden';

export type SubmitReply =
  | {
      readonly kind: 'done';
      readonly next: number;
      readonly outcomes: readonly SubmitOutcome[];
      /** False while a fill is not finished: where nobody is filling (any more), somebody has to. */
      readonly isReadable: boolean;
    }
  /** `from` lies above the tag's `next`: nothing was written; read again from `next`. */
  | { readonly kind: 'behind'; readonly next: number }
  /** The tag has never been filled, or its store was lost: nothing was written; a fill is needed. */
  | { readonly kind: 'no-board' }
  /** The tag was filled under another definition (see `definitionHash`): nothing was written. */
  | { readonly kind: 'other-definition' };
