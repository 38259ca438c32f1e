/** What the ranking group needs of a ranking; src/ranking has it. */

import type { TagPosition } from '../domain/change.js';
import type { Position } from '../domain/log-record.js';
import type { Tag } from '../domain/tag.js';

export interface SubmitResult {
  readonly playerId: string;
  /** Packed score. */
  readonly score: number;
  readonly offset: number;
  /** Broker time, epoch milliseconds. */
  readonly at: number;
}

export interface SubmitBatch {
  readonly source: string;
  readonly partition: number;
  readonly from: number;
  readonly to: number;
  readonly results: readonly SubmitResult[];
}

export type SubmitReply =
  | {
      readonly kind: 'done';
      readonly next: number;
      readonly outcomes: readonly ('applied' | 'no-record' | 'skipped')[];
    }
  | { readonly kind: 'behind'; readonly next: number }
  | { readonly kind: 'no-board' }
  | { readonly kind: 'other-definition' };

export interface RankingSubmitter {
  submit(tag: Tag, definitionHash: string, batch: SubmitBatch): Promise<SubmitReply>;
  /** `null` where the tag has no finished board. */
  state(tag: Tag): Promise<(TagPosition & { readonly positions: readonly Position[] }) | null>;
}
