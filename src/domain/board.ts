/** What may be played and what is ranked: modes and boards as the boards file declares them. */

import type { Calendar } from './season.js';

/** An inclusive integer range. */
export interface FieldRange {
  readonly min: number;
  readonly max: number;
}

/** What was played; a result names its mode. */
export interface Mode {
  readonly mode: string;
  /** The range of `points`, the one field of this version. */
  readonly points: FieldRange;
}

/** A definition over the results of its modes. One list per season ranks them. */
export interface Board {
  readonly boardId: string;
  readonly title: string;
  readonly modes: readonly string[];
  /** How results merge into an entry. */
  readonly rule: 'best';
  /** Which end of the points is rank 1. */
  readonly order: 'high';
  /** How many rows the top window may have at most. */
  readonly topSize: number;
}

/** The checked boards file. */
export interface BoardSet {
  readonly modes: readonly Mode[];
  readonly boards: readonly Board[];
  readonly calendar: Calendar;
  /** A result achieved longer than this before the broker's time is refused. */
  readonly maxLatenessMs: number;
}

/** The largest points that a result of the board's modes can carry: what the packed score must have room for. */
export function maxPointsOf(board: Board, modes: readonly Mode[]): number {
  return Math.max(...modes.filter((mode) => board.modes.includes(mode.mode)).map((mode) => mode.points.max));
}
