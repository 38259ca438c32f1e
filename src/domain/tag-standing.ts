/**
 * How a tag stands to a server of one definition, H; X is any other.
 *
 * What is shown is written as long as submits are taken under its definition. A fill under another one makes it stale: its
 * readers go on, but it misses what comes from then on and is never written again. Submits go to the fill alone, and nowhere
 * once that was given up.
 *
 * | shown | submits are taken under | standing | a server of H |
 * | --- | --- | --- | --- |
 * | nothing | nothing, H or X | `missing` | fills the tag, after whoever fills it now |
 * | H | H | `current` | submits, to a fill beside it as well |
 * | H or X, stale | H, by a fill | `left-behind` | submits, and fills the tag anew where nobody has that in hand |
 * | H, stale | X, by a fill | `other-definition` | asks for a person, who says which definition it is to be |
 * | X, written or stale | X | `other-definition` | the same |
 * | H or X, stale | nothing | `other-definition` | the same |
 */

export interface TagDefinitions {
  /** Of what is shown. */
  readonly definitionHash: string;
  /** Whether what is shown gets what is submitted. */
  readonly isWritten: boolean;
  /** Under which submits are taken, by what is shown or by a fill; `null`: under none. */
  readonly writtenHash: string | null;
}

export type TagStanding = 'missing' | 'current' | 'left-behind' | 'other-definition';

/** `tag`: `null` where nothing is shown. */
export function standingOf(definitionHash: string, tag: TagDefinitions | null): TagStanding {
  if (tag === null) return 'missing';
  if (tag.isWritten && tag.definitionHash === definitionHash) return 'current';
  return tag.writtenHash === definitionHash ? 'left-behind' : 'other-definition';
}
