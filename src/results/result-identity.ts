/** The identity of a result in 64 bits: small enough for Redis to keep hours of them as sets of integers. */

import { createHash } from 'node:crypto';
import type { Result } from '../domain/result.js';
import type { ResultIdentity } from '../domain/submit.js';

/**
 * Two results of one hour are taken for copies of each other by mistake once in 2^64 / n pairs: at 7 million results an
 * hour about once in 40 years. A line feed cannot be in an id, so it keeps the two apart.
 */
export function resultIdentity({ matchId, playerId, achievedAt }: Result): ResultIdentity {
  const digest = createHash('sha1').update(matchId).update('\n').update(playerId).digest();
  return { hash: digest.readBigInt64BE(0).toString(), achievedAt };
}
