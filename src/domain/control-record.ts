/**
 * Records of the log that are no results but concern them; the key is the player, as a result's is.
 *
 * | kind | |
 * | --- | --- |
 * | void | a match's result of one player is taken back, for good, also before it comes |
 * | correct | a match's result of one player gets other points, also before it comes; the last one counts, a void outweighs it |
 * | hide | the player vanishes from the boards that rank players, until `unhide` |
 * | unhide | the player has the places again that his results make |
 * | recompute | boards compute entries anew from truth, which writes this behind results that a ranking may have counted otherwise than it did, and passes over it |
 */

import type { BoardSet, Mode } from './board.js';
import type { ListedResult } from './lists.js';
import {
  isObject,
  type Rejection,
  readFields,
  readId,
  readMode,
  readScopes,
  reject,
  rejectionOf,
} from './record-fields.js';

/**
 * How many copies a `recompute` has at most, and so how many subjects it can concern. With all the scopes that a result may
 * have, a copy takes 2.7 KB of JSON: a full record stays below the 64 KiB that a reader takes.
 */
export const MAX_COPIES = 20;

export type ControlRecord =
  | { readonly kind: 'void'; readonly matchId: string; readonly playerId: string }
  | {
      readonly kind: 'correct';
      readonly matchId: string;
      readonly playerId: string;
      readonly mode: string;
      /** One whole number for each field of the mode, in its range. */
      readonly fields: Readonly<Record<string, number>>;
    }
  | { readonly kind: 'hide' | 'unhide'; readonly playerId: string }
  | {
      readonly kind: 'recompute';
      readonly playerId: string;
      /** Where copies of his results count or counted: says which subjects and lists are concerned. */
      readonly copies: readonly ListedResult[];
    };

/** Ids, mode and points are judged as those of results are. `undefined` for a record of another kind. */
export function readControlRecord(
  record: unknown,
  { modes }: Pick<BoardSet, 'modes'>,
): ControlRecord | { readonly kind: 'rejected'; readonly rejection: Rejection } | undefined {
  if (!isObject(record)) return undefined;
  try {
    return readKind(record, modes);
  } catch (error) {
    return { kind: 'rejected', rejection: rejectionOf(error) };
  }
}

function readKind(record: Record<string, unknown>, modes: readonly Mode[]): ControlRecord | undefined {
  const { kind } = record;
  switch (kind) {
    case 'void':
      return { kind, ...readIdentity(record) };
    case 'correct': {
      const identity = readIdentity(record);
      const mode = readMode(record, modes);
      return { kind, ...identity, mode: mode.mode, fields: readFields(record['points'], mode) };
    }
    case 'hide':
    case 'unhide':
      return { kind, playerId: readPlayerId(record) };
    case 'recompute':
      return { kind, playerId: readPlayerId(record), copies: readCopies(record['copies']) };
    default:
      return undefined;
  }
}

function readIdentity(record: Record<string, unknown>): { readonly matchId: string; readonly playerId: string } {
  return { matchId: readId(record['matchId'], 'matchId'), playerId: readPlayerId(record) };
}

function readPlayerId(record: Record<string, unknown>): string {
  return readId(record['playerId'], 'playerId');
}

/** None in the records that the version before wrote: they ask for the player wherever he is ranked himself. */
function readCopies(value: unknown): ListedResult[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.length <= MAX_COPIES) return value.map(readCopy);
  return reject('copies', 'bad_copies', `copies must be an array of at most ${MAX_COPIES}`);
}

function readCopy(copy: unknown): ListedResult {
  if (isObject(copy) && Number.isSafeInteger(copy['achievedAt']) && isObject(copy['scopes'])) {
    return { achievedAt: Number(copy['achievedAt']), scopes: readScopes(copy['scopes']) };
  }
  return reject('copies', 'bad_copies', 'a copy has achievedAt in epoch milliseconds, and an object scopes');
}
