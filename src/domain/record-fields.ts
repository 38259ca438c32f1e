/** Reading the fields that records of several kinds share: each takes what it accepts, and rejects everything else by name. */

import { type FieldRange, firstFieldOf, type Mode } from './board.js';
import { isValidId, NAME_PATTERN } from './ids.js';

const MAX_SCOPES = 16;

/** Why a record was not accepted: `code` for programs, `message` for the person who sent it. */
export interface Rejection {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

class RejectedError extends Error {
  constructor(readonly rejection: Rejection) {
    super(rejection.message);
  }
}

/** Ends the reading of a record; who began it catches, and asks `rejectionOf`. */
export function reject(field: string, code: string, message: string): never {
  throw new RejectedError({ field, code, message });
}

/** What `reject` threw; everything else is thrown on. */
export function rejectionOf(error: unknown): Rejection {
  if (error instanceof RejectedError) return error.rejection;
  throw error;
}

/** Text, or a JSON integer up to 2^53-1 taken as its decimal text; above that the parser has rounded it already. */
export function readId(value: unknown, field: string): string {
  if (value === undefined || value === null) return reject(field, 'missing', `${field} is missing`);
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return String(value);
    return reject(field, 'id_not_exact', `${field} is a number, but not an integer up to 2^53-1: send it as text`);
  }
  if (typeof value !== 'string' || !isValidId(value)) {
    return reject(field, 'bad_id', `${field} must be text of 1 to 64 bytes of UTF-8 without control characters`);
  }
  return value;
}

export function readMode(record: Record<string, unknown>, modes: readonly Mode[]): Mode {
  const name = record['mode'];
  const only = modes.length === 1 ? modes[0] : undefined;
  if (name === undefined && only !== undefined) return only;
  const mode = modes.find((candidate) => candidate.mode === name);
  if (mode !== undefined) return mode;
  const known = modes.map((candidate) => candidate.mode).join(', ');
  return reject('mode', 'unknown_mode', `mode ${show(name)} is not declared in the boards file (${known})`);
}

/** A number where the mode has one field, an object with each of them where it has several; more in it is ignored. */
export function readFields(value: unknown, mode: Mode): Readonly<Record<string, number>> {
  if (value === undefined || value === null) return reject('points', 'missing', 'points is missing');
  const ranges = Object.entries(mode.fields);
  if (ranges.length === 1 && !isObject(value)) {
    const field = firstFieldOf(mode);
    return { [field]: readNumber(value, 'points', mode, mode.fields[field]) };
  }
  if (!isObject(value)) {
    const names = ranges.map(([name]) => name).join(', ');
    return reject('points', 'points_not_object', `points of mode ${mode.mode} must be an object with ${names}`);
  }
  return Object.fromEntries(
    ranges.map(([name, range]) => [name, readNumber(own(value, name), `points.${name}`, mode, range)]),
  );
}

function readNumber(value: unknown, path: string, mode: Mode, range: FieldRange | undefined): number {
  if (value === undefined || value === null) return reject(path, 'missing', `${path} is missing`);
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    return reject(path, 'points_not_integer', `${path} must be an integer, not ${show(value)}`);
  }
  const { min, max } = range ?? { min: 0, max: 0 };
  if (value < min || value > max) {
    return reject(path, 'points_out_of_range', `${path} ${value} is outside ${min} to ${max} of mode ${mode.mode}`);
  }
  // -0 is an integer and in range; it must not reach a score.
  return value === 0 ? 0 : value;
}

export function readScopes(value: unknown): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) return reject('scopes', 'bad_scopes', 'scopes must be an object of name and text');
  const scopes = Object.entries(value);
  if (scopes.length > MAX_SCOPES) return reject('scopes', 'bad_scopes', `at most ${MAX_SCOPES} scopes`);
  // A name goes into jsonb and into messages as it is: a NUL would fail the neighbours' batch, too.
  const bad = scopes.find(([name]) => !NAME_PATTERN.test(name));
  if (bad !== undefined) return reject('scopes', 'bad_scopes', `scope ${show(bad[0])} does not match ${NAME_PATTERN}`);
  return Object.fromEntries(scopes.map(([name, id]) => [name, readId(id, `scopes.${name}`)]));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Not what an object inherits: a field may be called `constructor`. */
function own(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Foreign values in messages are cut short: a dead letter's header must stay small. */
export function show(value: unknown): string {
  // Only scalars are shown: a structure nested deep enough would overflow the stack of JSON.stringify.
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  return JSON.stringify(value)?.slice(0, 60) ?? String(value);
}
