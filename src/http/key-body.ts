/** The body of `POST /v1/keys`, read field by field: everything that is wrong is said at once. */

import { KEY_WINDOWS, type KeyDraft, type KeyWindow } from '../domain/access-key.js';
import { isValidId } from '../domain/ids.js';
import { isObject, type Rejection, readId, reject, rejectionOf, show } from '../domain/record-fields.js';
import { Problem } from './problem.js';

const FIELDS = ['title', 'boards', 'windows', 'playerId', 'expiresInDays'];
const MAX_DAYS = 3_650;
const DAY_MS = 86_400_000;

/** Throws a 422 `Problem` whose `rejected` has one entry for each field that is wrong. */
export function readKeyDraft(body: unknown, boardIds: readonly string[]): KeyDraft {
  const rejected: Rejection[] = [];
  const attempt = <Value>(read: () => Value): Value | undefined => {
    try {
      return read();
    } catch (error) {
      rejected.push(rejectionOf(error));
      return undefined;
    }
  };
  const sent = isObject(body) ? body : {};
  attempt(() => refuseUnknown(sent));
  const title = attempt(() => readTitle(sent['title']));
  const boards = attempt(() => readNames(sent['boards'], 'boards', boardIds));
  const windows = attempt(() => readNames<KeyWindow>(sent['windows'], 'windows', KEY_WINDOWS));
  const playerId = attempt(() => readPlayerId(sent['playerId'] ?? null, windows ?? []));
  const expiresInMs = attempt(() => readEnd(sent['expiresInDays'] ?? null));
  if (title === undefined || boards === undefined || windows === undefined || rejected.length > 0) {
    throw new Problem('unprocessable', 'no key is made; rejected says why, field by field', { members: { rejected } });
  }
  return { title, boards, windows, playerId: playerId ?? null, expiresInMs: expiresInMs ?? null };
}

/** A binding or an end that is spelt wrong must not make a key that opens more, or for longer. */
function refuseUnknown(sent: object): void {
  const name = Object.keys(sent).find((key) => !FIELDS.includes(key));
  if (name !== undefined) reject(name.slice(0, 64), 'unknown_field', `a key has the fields ${FIELDS.join(', ')}`);
}

function readTitle(value: unknown): string {
  if (typeof value === 'string' && isValidId(value)) return value;
  return reject('title', 'bad_title', 'title is 1 to 64 bytes of text without control characters, for people');
}

function readNames<Name extends string>(value: unknown, field: string, known: readonly Name[]): readonly Name[] {
  const choice = known.join(', ');
  if (!Array.isArray(value) || value.length === 0) {
    return reject(field, 'missing', `${field} is a list of at least one of ${choice}`);
  }
  const names: readonly unknown[] = value;
  const stranger = names.find((name) => !known.some((one) => one === name));
  if (stranger !== undefined) reject(field, 'unknown_name', `${field} may hold ${choice}, not ${show(stranger)}`);
  return known.filter((name) => names.includes(name));
}

function readPlayerId(value: unknown, windows: readonly KeyWindow[]): string | null {
  if (value !== null) return readId(value, 'playerId');
  if (!windows.includes('me') && !windows.includes('friends')) return null;
  return reject('playerId', 'missing', 'me and friends are windows of one player: say of whom with playerId');
}

function readEnd(value: unknown): number | null {
  if (value === null) return null;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_DAYS) return value * DAY_MS;
  const sentence = `expiresInDays is a whole number from 1 to ${MAX_DAYS}, or missing for a key without end`;
  return reject('expiresInDays', 'out_of_range', `${sentence}, not ${show(value)}`);
}
