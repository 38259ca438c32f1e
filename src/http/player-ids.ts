/** The body `{"playerIds": [...]}`. */

import { MAX_READ_PLAYERS } from '../domain/change.js';
import { isValidId } from '../domain/ids.js';
import { isObject } from '../domain/record-fields.js';
import { parseJson } from './body.js';
import { badRequest, Problem } from './problem.js';

/** Each once, in the order sent. Throws a `Problem`: 400 for what is none, 413 for more than `MAX_READ_PLAYERS`. */
export function readPlayerIds(body: Uint8Array): readonly string[] {
  const sent = parseJson(body);
  const ids: unknown = isObject(sent) ? sent['playerIds'] : undefined;
  if (!Array.isArray(ids) || ids.length === 0) {
    throw badRequest('the body must be {"playerIds": [...]} with at least one player id');
  }
  if (ids.length > MAX_READ_PLAYERS) {
    throw new Problem('too-large', `a call names at most ${MAX_READ_PLAYERS} players, not ${ids.length}: send several`);
  }
  const wrong = ids.findIndex((id) => typeof id !== 'string' || !isValidId(id));
  if (wrong < 0) return [...new Set(ids as string[])];
  throw badRequest(`playerIds[${wrong}] must be text of 1 to 64 bytes of UTF-8 without control characters`);
}
