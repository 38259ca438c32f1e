/**
 * Records of kind `recompute`: a player whose entries every board computes anew from truth. Truth writes them behind
 * results that a ranking may have counted otherwise than it did, and passes over them when it meets them.
 */

import { isValidId } from './ids.js';
import type { Rejection } from './result.js';

export const RECOMPUTE_KIND = 'recompute';

export interface Recompute {
  readonly playerId: string;
}

/** The JSON of the record. */
export function recomputeRecord(playerId: string): { readonly kind: string; readonly playerId: string } {
  return { kind: RECOMPUTE_KIND, playerId };
}

/** `undefined` for a record of another kind. */
export function readRecompute(record: unknown): Recompute | Rejection | undefined {
  if (typeof record !== 'object' || record === null || !('kind' in record) || record.kind !== RECOMPUTE_KIND) {
    return undefined;
  }
  const playerId = 'playerId' in record ? record.playerId : undefined;
  if (typeof playerId === 'string' && isValidId(playerId)) return { playerId };
  return { field: 'playerId', code: 'bad_id', message: 'playerId must be text of 1 to 64 bytes of UTF-8' };
}
