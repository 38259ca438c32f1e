/** Which of a board's lists a reader chooses: by a period, of now or by its label, and by a scope's value. */

import type { BoardSeason } from './board-season.js';
import { RankcastError } from './errors.js';
import { isValidId } from './ids.js';
import { SEASON_LIST } from './lists.js';
import { type Period, type PeriodWindow, windowAt } from './periods.js';

/** As it was asked for; nothing of it is checked yet but its form. */
export interface ListChoice {
  /** `null`: the whole season. A label of `null` follows the clock. */
  readonly period: { readonly kind: Period; readonly label: string | null } | null;
  /** `null`: everybody. */
  readonly scope: { readonly name: string; readonly value: string } | null;
}

export interface ChosenList {
  /** As lists.ts names it. */
  readonly name: string;
  /** `d:2026-10-12` or `w:2026-W42`; `null`: the whole season. */
  readonly period: string | null;
  /** `guild:77`; `null`: everybody. */
  readonly scope: string | null;
  /** The first instant, and the first after it, of what the list ranks: its period, or the season. */
  readonly startsAt: number;
  readonly endsAt: number;
  /** When its rows go, `null`: never. */
  readonly keptUntil: number | null;
}

const LETTERS: Readonly<Record<Period, string>> = { day: 'd', week: 'w' };

/** A list that the board does not have in the season. The sentence says which it has. */
export class NoSuchListError extends RankcastError {
  readonly isRetryable = false;
  constructor(
    message: string,
    /** It was there; what its time was kept for is over. */
    readonly isGone = false,
  ) {
    super(message);
  }
}

/** `now`: epoch milliseconds. Throws `NoSuchListError`. A value of a scope that nobody has had is an empty list. */
export function chooseList(boardSeason: BoardSeason, { period, scope }: ListChoice, now: number): ChosenList {
  const window = period === null ? null : chooseWindow(boardSeason, period.kind, period.label, now);
  const periodName = period === null || window === null ? null : `${LETTERS[period.kind]}:${window.label}`;
  const scopeName = scope === null ? null : chooseScope(boardSeason, scope.name, scope.value);
  const { keptUntil } = boardSeason.lists.named(periodName ?? SEASON_LIST);
  if (keptUntil !== null && keptUntil <= now) {
    const ended = new Date(keptUntil).toISOString();
    throw new NoSuchListError(`the lists of ${periodName} are gone: they were kept until ${ended}`, true);
  }
  return {
    name: [periodName ?? SEASON_LIST, ...(scopeName === null ? [] : [scopeName])].join(':'),
    period: periodName,
    scope: scopeName,
    startsAt: (window ?? boardSeason.season).startsAt,
    endsAt: (window ?? boardSeason.season).endsAt,
    keptUntil,
  };
}

function chooseWindow({ board, season, lists }: BoardSeason, kind: Period, label: string | null, now: number) {
  if (!board.periods.includes(kind)) {
    const ranked = ['the season', ...board.periods.map((one) => `each ${one}`)].join(', ');
    throw new NoSuchListError(`board ${board.boardId} does not rank each ${kind}: it ranks ${ranked}`);
  }
  const windows = kind === 'day' ? lists.shape.days : lists.shape.weeks;
  const found = label === null ? windowAt(windows, now) : windows.find((one) => one.label === label);
  if (found !== undefined) return found;
  throw new NoSuchListError(describeOutside(season.seasonId, kind, label, windows));
}

function describeOutside(seasonId: string, kind: Period, label: string | null, windows: readonly PeriodWindow[]) {
  const which = label === null ? `${kind} now` : `${kind} ${show(label)}`;
  const [first, last] = [windows[0]?.label, windows.at(-1)?.label];
  return `season ${seasonId} has no ${which}: its ${kind}s are those from ${first} to ${last}`;
}

function chooseScope({ board }: BoardSeason, name: string, value: string): string {
  if (!board.scopes.includes(name)) {
    const scopes = board.scopes.length === 0 ? 'it has none' : `it has ${board.scopes.join(', ')}`;
    throw new NoSuchListError(`board ${board.boardId} has no scope ${show(name)}: ${scopes}`);
  }
  if (isValidId(value)) return `${name}:${value}`;
  throw new NoSuchListError(`a value of scope ${name} has 1 to 64 bytes of UTF-8 and no control characters`);
}

/** What came from outside goes back to its sender cut short. */
function show(text: string): string {
  return JSON.stringify(text.slice(0, 64));
}
