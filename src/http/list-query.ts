/** Which of a board's lists `?period=` and `?scope=` name. */

import type { BoardSeason } from '../domain/board-season.js';
import { isValidId } from '../domain/ids.js';
import { SEASON_LIST } from '../domain/lists.js';
import { type Period, type PeriodWindow, windowAt } from '../domain/periods.js';
import { badRequest, Problem } from './problem.js';
import type { Query } from './query.js';

export interface NamedList {
  /** As domain/lists.ts names it. */
  readonly name: string;
  readonly period: string | null;
  readonly scope: string | null;
}

/** `d` or `w`, which follow the clock, or with the label of a window. */
const PERIOD_PATTERN = /^([dw])(?::(.+))?$/s;
const PERIOD_BY_LETTER: Readonly<Record<string, Period>> = { d: 'day', w: 'week' };
const EXAMPLES: Readonly<Record<Period, string>> = { day: 'd or d:2026-10-12', week: 'w or w:2026-W42' };

/**
 * Neither named: the list of the whole season and everybody. Throws a 400 `Problem` for a period or a scope that the board
 * or the season does not have, and a 404 for a period whose lists are gone.
 */
export function readListQuery(boardSeason: BoardSeason, query: Query, now: number): NamedList {
  const period = readPeriod(boardSeason, query.get('period'), now);
  const scope = readScope(boardSeason, query.get('scope'));
  const name = [period ?? SEASON_LIST, ...(scope === null ? [] : [scope])].join(':');
  return { name, period, scope };
}

function readPeriod(boardSeason: BoardSeason, asked: string | undefined, now: number): string | null {
  if (asked === undefined) return null;
  const [, letter = '', label] = PERIOD_PATTERN.exec(asked) ?? [];
  const period = PERIOD_BY_LETTER[letter];
  const { board, lists } = boardSeason;
  if (period === undefined || !board.periods.includes(period)) {
    throw badRequest(`board ${board.boardId} has no period ${show(asked)}: ${describePeriods(board.periods)}`);
  }
  const windows = period === 'day' ? lists.shape.days : lists.shape.weeks;
  const window = label === undefined ? windowAt(windows, now) : windows.find((one) => one.label === label);
  if (window === undefined) throw outside(boardSeason, period, label, windows);
  const name = `${letter}:${window.label}`;
  const { keptUntil } = lists.named(name);
  if (keptUntil !== null && keptUntil <= now) {
    const ended = new Date(keptUntil).toISOString();
    throw new Problem('not-found', `the lists of ${name} are gone: they were kept until ${ended}`);
  }
  return name;
}

function describePeriods(periods: readonly Period[]): string {
  const others = periods.map((period) => EXAMPLES[period]);
  return ['leave period out for the season', ...others].join(', or send ');
}

function outside(
  { season }: BoardSeason,
  period: Period,
  label: string | undefined,
  windows: readonly PeriodWindow[],
): Problem {
  const which = label === undefined ? `${period} now` : `${period} ${show(label)}`;
  const [first, last] = [windows[0]?.label, windows.at(-1)?.label];
  return badRequest(`season ${season.seasonId} has no ${which}: its ${period}s are those from ${first} to ${last}`);
}

/** The value is everything behind the first colon, as results carry it. */
function readScope({ board }: BoardSeason, asked: string | undefined): string | null {
  if (asked === undefined) return null;
  const at = asked.indexOf(':');
  const scope = at < 0 ? asked : asked.slice(0, at);
  if (!board.scopes.includes(scope)) {
    const others = board.scopes.map((one) => `${one}:<value>`);
    const what = ['leave scope out for everybody', ...others].join(', or send ');
    throw badRequest(`board ${board.boardId} has no scope ${show(scope)}: ${what}`);
  }
  if (at >= 0 && isValidId(asked.slice(at + 1))) return asked;
  throw badRequest(`scope must be a name, a colon and 1 to 64 bytes of UTF-8, such as ${scope}:77`);
}

/** What came in a URL goes back to its sender cut short. */
function show(text: string): string {
  return JSON.stringify(text.slice(0, 64));
}
