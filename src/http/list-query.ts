/** Which of a board's lists `?period=` and `?scope=` name. */

import type { BoardSeason } from '../domain/board-season.js';
import { type ChosenList, chooseList, type ListChoice, NoSuchListError } from '../domain/list-choice.js';
import type { Period } from '../domain/periods.js';
import { badRequest, Problem } from './problem.js';
import type { Query } from './query.js';

/** `d` or `w`, which follow the clock, or with the label of a window. */
const PERIOD_PATTERN = /^([dw])(?::(.+))?$/s;
const PERIOD_BY_LETTER: Readonly<Record<string, Period>> = { d: 'day', w: 'week' };

/**
 * Neither named: the list of the whole season and everybody. Throws a 400 `Problem` for a period or a scope that the board
 * or the season does not have, and a 404 for a period whose lists are gone.
 */
export function readListQuery(boardSeason: BoardSeason, query: Query, now: number): ChosenList {
  try {
    const choice = { period: readPeriod(query.get('period')), scope: readScope(query.get('scope')) };
    return chooseList(boardSeason, choice, now);
  } catch (error) {
    if (!(error instanceof NoSuchListError)) throw error;
    throw error.isGone ? new Problem('not-found', error.message) : badRequest(error.message);
  }
}

function readPeriod(asked: string | undefined): ListChoice['period'] {
  if (asked === undefined) return null;
  const [, letter = '', label = null] = PERIOD_PATTERN.exec(asked) ?? [];
  const kind = PERIOD_BY_LETTER[letter];
  if (kind !== undefined) return { kind, label };
  const all = 'leave it out for the season, or send d, d:2026-10-12, w or w:2026-W42';
  throw badRequest(`there is no period ${JSON.stringify(asked.slice(0, 64))}: ${all}`);
}

/** The value is everything behind the first colon, as results carry it. */
function readScope(asked: string | undefined): ListChoice['scope'] {
  if (asked === undefined) return null;
  const at = asked.indexOf(':');
  if (at < 0) throw badRequest('scope must be a name, a colon and a value, such as guild:77');
  return { name: asked.slice(0, at), value: asked.slice(at + 1) };
}
