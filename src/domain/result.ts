/** A result, and the one pure function that accepts or rejects it: live, replay and rebuild give the same answer. */

import type { BoardSet } from './board.js';
import {
  isObject,
  type Rejection,
  readFields,
  readId,
  readMode,
  readScopes,
  reject,
  rejectionOf,
  show,
} from './record-fields.js';
import { finalAt, type Season, seasonAt } from './season.js';

export type { Rejection } from './record-fields.js';

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

export type Verdict =
  | { readonly accepted: true; readonly result: Result }
  | { readonly accepted: false; readonly rejection: Rejection };

/** Clocks of game servers run ahead by at most this much. */
const MAX_AHEAD_MS = 120_000;

/** Judges a parsed record. `brokerAt` is the log's stamp, or for HTTP the moment of the call. */
export function judgeResult(record: unknown, brokerAt: number, boardSet: BoardSet): Verdict {
  try {
    return { accepted: true, result: readResult(record, brokerAt, boardSet) };
  } catch (error) {
    return { accepted: false, rejection: rejectionOf(error) };
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
  if (brokerAt >= finalAt(calendar, season)) {
    return reject(field, 'season_over', `season ${season.seasonId} and its grace are over`);
  }
  if (achievedAt < brokerAt - maxLatenessMs) {
    return reject(field, 'too_late', `achievedAt is more than ${maxLatenessMs / 3_600_000} h before the broker's time`);
  }
  return season;
}
