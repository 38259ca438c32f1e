/** What the ranking group needs of a ranking; src/ranking has it. */

import type { TagPosition } from '../domain/change.js';
import type { Position } from '../domain/log-record.js';
import type { SubmitBatch, SubmitReply } from '../domain/submit.js';
import type { Tag } from '../domain/tag.js';

export interface RankingSubmitter {
  submit(tag: Tag, definitionHash: string, batch: SubmitBatch): Promise<SubmitReply>;
  /** `null` where the tag has no finished board. */
  state(tag: Tag): Promise<(TagPosition & { readonly positions: readonly Position[] }) | null>;
}
