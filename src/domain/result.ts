/** A result, and the one pure function that accepts or rejects it: live, replay and rebuild give the same answer. */

import { type BoardSet, type FieldRange, firstFieldOf, type Mode } from './board.js';
import { isValidId, NAME_PATTERN } from './ids.js';
import { type Season, seasonAt } from './season.js';

/** What a player reached in one match: a checked fact. */
export interface Result {
  readonly matchId: string;
  readonly playerId: string;
  readonly mode: string;
  /** One whole number for each field of the mode, in its range. */
  readonly fields: Readonly<Record<string, number>>;
  /** When the match ended, epoch milliseconds. */
  readonly achievedAt: number;
  readonly scopes: Readonly<Record<string, string>>;
  readonly seasonId: string;
}

/** Why a result was not accepted: `code` for programs, `message` for the person who sent it. */
export interface Rejection {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

export type Verdict =
  | { readonly accepted: true; readonly result: Result }
  | { readonly accepted: false; readonly rejection: Rejection };

/** Clocks of game servers run ahead by at most this much. */
const MAX_AHEAD_MS = 120_000;

class RejectedError extends Error {
  constructor(readonly rejection: Rejection) {
    super(rejection.message);
  }
}

/** Judges a parsed record. `brokerAt` is the log's stamp, or for HTTP the moment of the call. */
export function judgeResult(record: unknown, brokerAt: number, boardSet: BoardSet): Verdict {
  try {
    return { accepted: true, result: readResult(record, brokerAt, boardSet) };
  } catch (error) {
    if (error instanceof RejectedError) return { accepted: false, rejection: error.rejection };
    throw error;
  }
}

function readResult(record: unknown, brokerAt: number, boardSet: BoardSet): Result {
  if (!isObject(record)) return reject('', 'not_an_object', 'a result is a JSON object');
  const kind = record['kind'] ?? 'result';
  if (kind !== 'result') return reject('kind', 'unknown_kind', `kind ${show(kind)} is not known to this version`);
  const matchId = readId(record['matchId'], 'matchId');
  const playerId = readId(record['playerId'], 'playerId');
  const mode = readMode(record, boardSet.modes);
  const fields = readFields(record['points'], mode);
  const achievedAt = readInstant(record['achievedAt']);
  const season = readSeason(achievedAt, brokerAt, boardSet);
  const scopes = readScopes(record['scopes']);
  return { matchId, playerId, mode: mode.mode, fields, achievedAt, scopes, seasonId: season.seasonId };
}

/** Text, or a JSON integer up to 2^53-1 taken as its decimal text; above that the parser has rounded it already. */
function readId(value: unknown, field: string): string {
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

function readMode(record: Record<string, unknown>, modes: readonly Mode[]): Mode {
  const name = record['mode'];
  const only = modes.length === 1 ? modes[0] : undefined;
  if (name === undefined && only !== undefined) return only;
  const mode = modes.find((candidate) => candidate.mode === name);
  if (mode !== undefined) return mode;
  const known = modes.map((candidate) => candidate.mode).join(', ');
  return reject('mode', 'unknown_mode', `mode ${show(name)} is not declared in the boards file (${known})`);
}

/** A number where the mode has one field, an object with each of them where it has several; more in it is ignored. */
function readFields(value: unknown, mode: Mode): Readonly<Record<string, number>> {
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

const ISO_WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/;

function readInstant(value: unknown): number {
  if (value === undefined || value === null) return reject('achievedAt', 'missing', 'achievedAt is missing');
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  const parsed = typeof value === 'string' && ISO_WITH_OFFSET.test(value) ? Date.parse(value) : Number.NaN;
  if (!Number.isNaN(parsed) && isCalendarDay(String(value).slice(0, 'YYYY-MM-DD'.length))) return parsed;
  const wanted = 'ISO 8601 with an offset, or epoch milliseconds';
  return reject('achievedAt', 'bad_time', `achievedAt must be ${wanted}, not ${show(value)}`);
}

/** `Date.parse` takes 30 February for 2 March. */
function isCalendarDay(day: string): boolean {
  const startsAt = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(startsAt) && new Date(startsAt).toISOString().startsWith(day);
}

function readSeason(achievedAt: number, brokerAt: number, boardSet: BoardSet): Season {
  const { calendar, maxLatenessMs } = boardSet;
  const field = 'achievedAt';
  if (achievedAt > brokerAt + MAX_AHEAD_MS) {
    return reject(
      field,
      'in_the_future',
      `achievedAt is more than ${MAX_AHEAD_MS / 1000} s ahead of the broker's clock`,
    );
  }
  const season = seasonAt(calendar, achievedAt);
  if (season === undefined) {
    const first = calendar.seasons[0];
    if (first !== undefined && achievedAt < first.startsAt) {
      const starts = new Date(first.startsAt).toISOString();
      return reject(field, 'before_season', `achievedAt is before the first season's start, ${starts} (milliseconds?)`);
    }
    return reject(field, 'no_season', 'achievedAt lies in no season of the calendar');
  }
  // At that moment the season closes: a record stamped then is the sign that no more can come.
  if (brokerAt >= season.endsAt + calendar.graceMs) {
    return reject(field, 'season_over', `season ${season.seasonId} and its grace are over`);
  }
  if (achievedAt < brokerAt - maxLatenessMs) {
    return reject(field, 'too_late', `achievedAt is more than ${maxLatenessMs / 3_600_000} h before the broker's time`);
  }
  return season;
}

const MAX_SCOPES = 16;

function readScopes(value: unknown): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) return reject('scopes', 'bad_scopes', 'scopes must be an object of name and text');
  const scopes = Object.entries(value);
  if (scopes.length > MAX_SCOPES) return reject('scopes', 'bad_scopes', `at most ${MAX_SCOPES} scopes`);
  // A name goes into jsonb and into messages as it is: a NUL would fail the neighbours' batch, too.
  const bad = scopes.find(([name]) => !NAME_PATTERN.test(name));
  if (bad !== undefined) return reject('scopes', 'bad_scopes', `scope ${show(bad[0])} does not match ${NAME_PATTERN}`);
  return Object.fromEntries(scopes.map(([name, id]) => [name, readId(id, `scopes.${name}`)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Not what an object inherits: a field may be called `constructor`. */
function own(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function reject(field: string, code: string, message: string): never {
  throw new RejectedError({ field, code, message });
}

/** Foreign values in messages are cut short: a dead letter's header must stay small. */
function show(value: unknown): string {
  // Only scalars are shown: a structure nested deep enough would overflow the stack of JSON.stringify.
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  return JSON.stringify(value)?.slice(0, 60) ?? String(value);
}
