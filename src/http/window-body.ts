/** The one body of all windows of a board. */

import type { Standing } from '../domain/change.js';
import { unpackPoints } from '../domain/packed-score.js';
import { unavailable } from './problem.js';
import type { WindowReading } from './stores.js';
import type { Target } from './targets.js';

/** A row as it is sent. `rank` and `score` (points) are `null` for a player without a row. */
export interface WindowEntry {
  readonly rank: number | null;
  /** Not known to a single read; `null` in this version, as are name and meta. */
  readonly prevRank: number | null;
  readonly playerId: string;
  readonly name: string | null;
  readonly score: number | null;
  readonly meta: Readonly<Record<string, unknown>> | null;
}

export interface WindowBody {
  /** The board's id. */
  readonly board: string;
  readonly seasonId: string;
  /** `d:2026-10-12` or `w:2026-W42`; `null`: the whole season. */
  readonly period: string | null;
  /** `guild:77`; `null`: everybody. */
  readonly scope: string | null;
  readonly epoch: number;
  readonly seq: number;
  /** When it was read, epoch milliseconds. */
  readonly at: number;
  /** How many players the list ranks. */
  readonly total: number;
  readonly entries: readonly WindowEntry[];
  /** `from` of the following page; `null` where there is none. */
  readonly next: number | null;
  /** `cursor` of the rows below the last one, wherever that stands by then; `null` where there are none. */
  readonly nextCursor: string | null;
}

/** How to ask for the following page. */
export type Following = Pick<WindowBody, 'next' | 'nextCursor'>;

const NOTHING_FOLLOWS: Following = { next: null, nextCursor: null };

export function windowBody(
  target: Target,
  reading: WindowReading<unknown>,
  rows: readonly Standing[],
  at: number,
  following: Following = NOTHING_FOLLOWS,
): WindowBody {
  const { epoch, seq, total } = reading;
  const entries = rows.map((row) => windowEntry(target, row));
  const { boardId, seasonId } = target.list.tag;
  const { period, scope } = target;
  return { board: boardId, seasonId, period, scope, epoch, seq, at, total, entries, ...following };
}

export function windowEntry({ boardSeason: { layout } }: Target, { playerId, score, rank }: Standing): WindowEntry {
  const points = score === null ? null : unpackPoints(layout, score);
  return { rank, prevRank: null, playerId, name: null, score: points, meta: null };
}

/** Throws a 503 `Problem` while the board is being filled: nobody is shown an empty or half board. */
export function requireReading<Row>(target: Target, reading: WindowReading<Row> | null): WindowReading<Row> {
  if (reading !== null) return reading;
  throw unavailable(`board ${target.list.tag.boardId} is being filled: ask again in a second`);
}
