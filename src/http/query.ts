/** The one place where URLs are decoded, once; and the reading of query values. */

import { isValidId } from '../domain/ids.js';
import { badRequest } from './problem.js';

export type Query = ReadonlyMap<string, string>;

/**
 * Reads a raw query (without `?`) as HTML forms write it: `+` is a space, `%2B` a plus. Throws a 400 `Problem` for an
 * invalid escape and for a repeated name, of which first and last would be two answers. A name without `=` is empty.
 */
export function parseQuery(raw: string): Map<string, string> {
  const query = new Map<string, string>();
  for (const pair of raw.split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decodeForm(at < 0 ? pair : pair.slice(0, at));
    if (query.has(name)) throw badRequest(`${name} stands in the query twice: send it once`);
    query.set(name, at < 0 ? '' : decodeForm(pair.slice(at + 1)));
  }
  return query;
}

/** Decodes one segment of a path; `+` is a plus there. Throws a 400 `Problem` for an invalid escape. */
export function decodeParam(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    throw badRequest(`${JSON.stringify(raw.slice(0, 100))} is not percent-encoded UTF-8`);
  }
}

/** A whole number of the query. Throws a 400 `Problem` where it is none or out of range. */
export function readInteger(query: Query, name: string, fallback: number, min: number, max: number): number {
  const text = query.get(name);
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!/^-?\d{1,15}$/.test(text) || value < min || value > max) {
    throw badRequest(`${name} must be a whole number from ${min} to ${max}, not ${JSON.stringify(text.slice(0, 40))}`);
  }
  return value;
}

/** `true` or `false`. Throws a 400 `Problem` otherwise. */
export function readBoolean(query: Query, name: string, fallback: boolean): boolean {
  const text = query.get(name);
  if (text === undefined) return fallback;
  if (text !== 'true' && text !== 'false') throw badRequest(`${name} must be true or false`);
  return text === 'true';
}

/** A decoded player id, under the same check as ids from sockets. Throws a 400 `Problem`. */
export function checkPlayerId(id: string): string {
  if (isValidId(id)) return id;
  throw badRequest('a player id is 1 to 64 bytes of UTF-8 without control characters');
}

function decodeForm(raw: string): string {
  return decodeParam(raw.replaceAll('+', ' '));
}
