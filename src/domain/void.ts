/**
 * Records of kind `void`: a match's result of one player is taken back. Truth keeps the void for good, also one that comes
 * before its result; the rankings compute the player anew.
 */

import { isValidId } from './ids.js';
import type { Rejection } from './result.js';

export const VOID_KIND = 'void';

export interface VoidRecord {
  readonly matchId: string;
  readonly playerId: string;
}

/** `undefined` for a record of another kind. */
export function readVoid(record: unknown): VoidRecord | Rejection | undefined {
  if (typeof record !== 'object' || record === null || !('kind' in record) || record.kind !== VOID_KIND) {
    return undefined;
  }
  const { matchId, playerId } = { matchId: undefined, playerId: undefined, ...record } as Record<string, unknown>;
  if (typeof matchId !== 'string' || !isValidId(matchId)) return badId('matchId');
  if (typeof playerId !== 'string' || !isValidId(playerId)) return badId('playerId');
  return { matchId, playerId };
}

function badId(field: string): Rejection {
  return {
    field,
    code: 'bad_id',
    message: `${field} must be text of 1 to 64 bytes of UTF-8 without control characters`,
  };
}
