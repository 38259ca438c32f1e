/** What a board's definition makes of a tag: all that a ranking must know to merge and to refuse. */

import type { ScoreMerge } from './rules.js';

export interface TagDefinition {
  /** Names everything that shapes the scores; scores packed under another hash must not meet these. */
  readonly hash: string;
  readonly merge: ScoreMerge;
}
