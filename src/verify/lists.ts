/** The lists of a board that a run watches: the season, and where the board has them a day, a week and some of a scope. */

import type { BoardFacts } from './board-facts.js';
import type { PlayedResult } from './played-results.js';

export interface ListSpec {
  /** As a socket names it: `arena;d=2026-10-12`. */
  readonly name: string;
  /** How HTTP chooses it. */
  readonly query: string;
  readonly has: (result: PlayedResult) => boolean;
}

/** Day and week are those of `at`, named by their date: a run over midnight goes on with the same ones. */
export function listsOf(facts: BoardFacts, scopeValues: readonly string[], at: number): ListSpec[] {
  const { boardId, periods, zone } = facts;
  const lists: ListSpec[] = [{ name: boardId, query: '', has: () => true }];
  if (periods.includes('day')) lists.push(periodList(boardId, 'd', (time) => dateIn(zone, time), at));
  if (periods.includes('week')) lists.push(periodList(boardId, 'w', (time) => weekOf(dateIn(zone, time)), at));
  const [scope] = facts.scopes;
  if (scope !== undefined) for (const value of scopeValues) lists.push(scopeList(boardId, scope, value));
  return lists;
}

function periodList(boardId: string, letter: string, nameOf: (at: number) => string, at: number): ListSpec {
  const period = nameOf(at);
  return {
    name: `${boardId};${letter}=${period}`,
    query: `period=${letter}:${period}`,
    has: ({ achievedAt }) => nameOf(achievedAt) === period,
  };
}

function scopeList(boardId: string, scope: string, value: string): ListSpec {
  return {
    name: `${boardId};${scope}=${encodeURIComponent(value)}`,
    query: `scope=${encodeURIComponent(`${scope}:${value}`)}`,
    has: ({ scopes }) => scopes[scope] === value,
  };
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The date there, `2026-10-12`. */
export function dateIn(zone: string, at: number): string {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
    formats.set(zone, format);
  }
  return format.format(at);
}

/** The ISO week of a date, `2026-W42`: that of its Thursday. */
export function weekOf(date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + 4 - (day.getUTCDay() || 7));
  const firstOfYear = Date.UTC(day.getUTCFullYear(), 0, 1);
  const week = Math.floor((day.getTime() - firstOfYear) / (7 * 86_400_000)) + 1;
  return `${day.getUTCFullYear()}-W${String(week).padStart(2, '0')}`;
}
