/** What to do where a batch does not continue the last one. */

/** A gap that the log was already asked about. */
export interface Gap {
  readonly next: number;
  readonly first: number;
}

export type GapVerdict =
  | { readonly kind: 'ask-again'; readonly offset: number }
  /** `lost` records are no longer in the log; 0 where the hole was never filled with records. */
  | { readonly kind: 'take'; readonly lost: number };

/**
 * Client libraries jump silently when an offset is out of range, and swallow batches of control records: ask once more.
 * The same answer again means that the log holds nothing in between, except what lay below `low`, which is gone.
 */
export function judgeGap(next: number, first: number, low: number, asked: Gap | undefined): GapVerdict {
  const target = Math.max(next, low);
  const isAsked = asked?.next === next && asked.first === first;
  if (first > target && !isAsked) return { kind: 'ask-again', offset: target };
  return { kind: 'take', lost: target - next };
}
