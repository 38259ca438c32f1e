/** What a fill needs of a ranking; src/ranking has it. */

import type { FillEntry, FillSum } from '../domain/fill-entry.js';
import type { Position } from '../domain/log-record.js';
import type { Tag } from '../domain/tag.js';
import type { TagDefinition } from '../domain/tag-definition.js';
import type { TagDefinitions } from '../domain/tag-standing.js';

export interface FillTarget {
  /** `null` where the tag has no finished board; else its definitions, and how far it is. */
  state(tag: Tag): Promise<(TagDefinitions & { readonly positions: readonly Position[] }) | null>;
  begin(tag: Tag, definition: TagDefinition, start: FillStart): Promise<FillBegun>;
  load(tag: Tag, jobId: string, index: number, entries: readonly FillEntry[]): Promise<'loaded' | 'superseded'>;
  finish(tag: Tag, jobId: string, chunks: number, sum: FillSum): Promise<'finished' | 'superseded'>;
  abandon(tag: Tag, jobId: string): Promise<void>;
  sweep(tag: Tag): Promise<boolean>;
}

interface FillStart {
  readonly jobId: string;
  readonly positions: readonly Position[];
  readonly hidden: readonly string[];
  readonly replace: boolean;
  readonly anew: boolean;
}

type FillBegun = { readonly kind: 'begun'; readonly positions: readonly Position[] } | { readonly kind: 'exists' };
