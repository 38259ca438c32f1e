/** What a fill tells of itself while it goes on. */

/**
 * | phase | |
 * | --- | --- |
 * | queued | another process fills the tag; this one waits for its turn |
 * | advancing | truth's checkpoint has `behind` records to consider before it can be copied |
 * | catching-up | the board has `behind` records to consider before it is as far as the checkpoint |
 * | waiting | truth has `behind` records to consider before it can be read |
 * | loading | `entries` are in the ranking so far; the first come when the database has folded all rows |
 * | sweeping | the new board is shown, the old one is dropped |
 */
export type FillProgress =
  | { readonly phase: 'queued' }
  | { readonly phase: 'advancing' | 'catching-up' | 'waiting'; readonly behind: number }
  | { readonly phase: 'loading'; readonly entries: number }
  | { readonly phase: 'sweeping'; readonly entries: number };

/** Called several times a second, and must not throw. */
export type ReportProgress = (progress: FillProgress) => void;
