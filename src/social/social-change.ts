/** One numbered change of the friend graph, and the Postgres channel that says there is a new one. */

import { parseSafeInteger } from '../domain/safe-integer.js';

export type SocialChangeKind = 'friend-added' | 'friend-removed';

/** A friendship began or ended; it concerns both players alike. */
export interface SocialChange {
  readonly kind: SocialChangeKind;
  readonly playerId: string;
  readonly friendId: string;
}

export interface NumberedSocialChange extends SocialChange {
  /** Numbers are consecutive in the order of commits, from 1. */
  readonly socialSeq: number;
}

/**
 * SQL for the channel's name. Channels are global to a database, which several installations may share by schema;
 * hashed, because a channel's name and a schema's name have the same limit of 63 bytes.
 */
export const CHANNEL_SQL = `'rankcast_social_' || md5(current_schema())`;

/** `pg` gives bigint as text; a number beyond 2^53-1 is refused rather than rounded. */
export function readSocialSeq(value: unknown): number {
  return parseSafeInteger(String(value), 'social_seq (look at the table social_head)');
}
