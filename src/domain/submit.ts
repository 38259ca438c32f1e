/** What a ranking is asked to apply, and what it answers. */

/** One accepted result as the ranking needs it. */
export interface SubmitResult {
  readonly playerId: string;
  /** Packed score. */
  readonly score: number;
  /** Its offset in the batch's partition. */
  readonly offset: number;
  /** Broker time, epoch milliseconds. */
  readonly at: number;
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

/** `skipped`: its offset lies below the tag's `next`; it was considered by an earlier call. */
export type SubmitOutcome = 'applied' | 'no-record' | 'skipped';

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
