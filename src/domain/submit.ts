/** What a ranking is asked to apply, and what it answers. */

/** What tells the copies of a result apart from other results, where the rule would count a copy. */
export interface ResultIdentity {
  /** 64 bits of a hash of (match, player), signed, as decimal text. */
  readonly hash: string;
  /** When the match ended, epoch milliseconds: copies are remembered by its hour. */
  readonly achievedAt: number;
}

/** One accepted result as the ranking needs it. */
export interface SubmitResult {
  readonly playerId: string;
  /** Packed score; `null` for a record that only asks for the player's entry to be computed anew: it marks him. */
  readonly score: number | null;
  /** Its offset in the batch's partition. */
  readonly offset: number;
  /** Broker time, epoch milliseconds. */
  readonly at: number;
  /** Needed where the tag's rule is `sum` and there is a score. */
  readonly identity?: ResultIdentity;
}

/** The accepted results of `[from, to)` of one partition for one tag, at most `MAX_SUBMIT_RESULTS`, by ascending offset. */
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
 * `marked`: nothing was merged, its player is marked (see domain/marks.ts).
 * `late`: too old for the tag to remember its copies, so it marks its player as well.
 */
export type SubmitOutcome = 'applied' | 'no-record' | 'skipped' | 'duplicate' | 'late' | 'marked';

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
