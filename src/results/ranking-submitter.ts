/** What the ranking group needs of a ranking; src/ranking has it. */

import type { Position } from '../domain/log-record.js';
import type { SubmitBatch, SubmitReply } from '../domain/submit.js';
import type { Tag } from '../domain/tag.js';
import type { TagDefinitions } from '../domain/tag-standing.js';

export interface RankingSubmitter {
  submit(tag: Tag, definitionHash: string, batch: SubmitBatch): Promise<SubmitReply>;
  /** `null` where the tag has no finished board. */
  state(tag: Tag): Promise<(TagDefinitions & { readonly positions: readonly Position[] }) | null>;
}
