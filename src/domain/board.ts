/** What may be played and what is ranked: modes and boards as the boards file declares them. */

import { type ScoreKey, type ScoreLayout, scoreLayout } from './packed-score.js';
import type { Period } from './periods.js';
import type { Rule } from './rules.js';
import type { Calendar, Season } from './season.js';
import type { Tiers } from './tiers.js';

/** An inclusive integer range, from 0 on. */
export interface FieldRange {
  readonly min: number;
  readonly max: number;
}

/** What was played; a result names its mode. */
export interface Mode {
  readonly mode: string;
  /** What a result of the mode carries, in the order declared: one field at least, mostly `points`. */
  readonly fields: Readonly<Record<string, FieldRange>>;
}

/** Which end of a field is rank 1. */
export type Order = 'high' | 'low';

/** One field that orders a board. */
export interface SortKey {
  readonly field: string;
  readonly order: Order;
}

/** A definition over the results of its modes. In each season one list ranks them all, and one each of its periods and scopes. */
export interface Board {
  readonly boardId: string;
  readonly title: string;
  readonly modes: readonly string[];
  /** How results merge into an entry. */
  readonly rule: Rule;
  /** What orders the rows, the most important first, 1 to 4; every mode of the board has these fields. One where the rule is `sum`. */
  readonly keys: readonly SortKey[];
  /** Where a total stops growing: given exactly where the rule is `sum`. */
  readonly maxTotal: number | null;
  /** Who is ranked: `player` (`PLAYER_SUBJECT`), or the scope whose values are, such as `guild`. */
  readonly subject: string;
  /** What is ranked beside the season, by the clocks of the zone. */
  readonly periods: readonly Period[];
  /** IANA name. */
  readonly zone: string;
  /** Scopes whose values have lists of their own. */
  readonly scopes: readonly string[];
  /** How many rows the top window may have at most. */
  readonly topSize: number;
  /** `null`: none. */
  readonly tiers: Tiers | null;
}

/** The checked boards file. */
export interface BoardSet {
  readonly modes: readonly Mode[];
  readonly boards: readonly Board[];
  readonly calendar: Calendar;
  /** A result achieved longer than this before the broker's time is refused. */
  readonly maxLatenessMs: number;
}

/** What the packed score of a board must have room for. */
export function scoreKeysOf(board: Board, modes: readonly Mode[]): ScoreKey[] {
  const taken = modes.filter((mode) => board.modes.includes(mode.mode));
  return board.keys.map(({ field, order }) => {
    const max = board.maxTotal ?? Math.max(...taken.map(({ fields }) => fields[field]?.max ?? 0));
    return { field, max, isLow: order === 'low' };
  });
}

/** Throws RangeError with the bit budget where the keys do not fit; the boards file is checked for it. */
export function scoreLayoutOf(board: Board, modes: readonly Mode[], season: Season): ScoreLayout {
  return scoreLayout(scoreKeysOf(board, modes), season);
}

/** The field that a plain number in `points` means. */
export function firstFieldOf(mode: Mode): string {
  const [field] = Object.keys(mode.fields);
  if (field === undefined) throw new Error(`mode ${mode.mode} has no field; the boards file is checked for it`);
  return field;
}
