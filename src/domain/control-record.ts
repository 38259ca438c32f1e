/**
 * Records of the log that are no results but concern them.
 *
 * | kind | |
 * | --- | --- |
 * | void | a match's result of one player is taken back, for good, also before it comes |
 * | recompute | every board computes the player's entries anew from truth, which writes this behind results that a ranking may have counted otherwise than it did, and passes over it |
 */

import { isValidId } from './ids.js';
import type { Rejection } from './result.js';

export type ControlRecord =
  | { readonly kind: 'void'; readonly matchId: string; readonly playerId: string }
  | { readonly kind: 'recompute'; readonly playerId: string };

/** `undefined` for a record of another kind. */
export function readControlRecord(
  record: unknown,
): ControlRecord | { readonly kind: 'rejected'; readonly rejection: Rejection } | undefined {
  const { kind, matchId, playerId } = Object(record) as Readonly<Record<string, unknown>>;
  if (kind !== 'void' && kind !== 'recompute') return undefined;
  if (!isId(playerId)) return badId('playerId');
  if (kind === 'recompute') return { kind, playerId };
  return isId(matchId) ? { kind, matchId, playerId } : badId('matchId');
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && isValidId(value);
}

function badId(field: string) {
  const message = `${field} must be text of 1 to 64 bytes of UTF-8 without control characters`;
  return { kind: 'rejected', rejection: { field, code: 'bad_id', message } } as const;
}
