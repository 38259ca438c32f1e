/** What a tag's meta hash says of what is shown, and to whom; twin of lua/includes/readable-tag.lua. */

import type { TagPosition } from '../domain/change.js';
import type { TagDefinitions } from '../domain/tag-standing.js';

/** Those that `readShownTag` looks at. */
export const SHOWN_FIELDS = ['generation', 'epoch', 'seq', 'shown', 'definition', 'stale', 'rule'] as const;

type MetaFields = Readonly<Partial<Record<(typeof SHOWN_FIELDS)[number], string | null>>>;

/** `null` where no fill has been finished. */
export function readShownTag(fields: MetaFields): (TagPosition & TagDefinitions) | null {
  if (fields.generation == null) return null;
  // A meta without a rule was begun by a version that knew only one; no script writes it.
  const writtenHash = fields.rule == null ? null : (fields.definition ?? null);
  return {
    epoch: Number(fields.epoch),
    seq: Number(fields.seq),
    // A meta of the version before has no `shown`: it shows what it writes.
    definitionHash: fields.shown ?? fields.definition ?? '',
    isWritten: writtenHash !== null && fields.stale == null,
    writtenHash,
  };
}
