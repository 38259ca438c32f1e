/**
 * Lists: the rankings of one tag. Their names stand in keys, in changes and in SQL alike:
 *
 * | name | ranks |
 * | --- | --- |
 * | `s` | the whole season |
 * | `d:2026-10-12`, `w:2026-W42` | one day, one ISO week |
 * | `s:guild:77`, `d:2026-10-12:guild:77` | the same among those with one value of a scope; the value is raw, and last |
 */

import { PERIOD_KEPT_MS, type PeriodWindow, windowAt } from './periods.js';
import type { Tag } from './tag.js';

/** The list of the whole season and of everybody: every tag has it. */
export const SEASON_LIST = 's';

/** Who is ranked where a board names no scope as its subject. */
export const PLAYER_SUBJECT = 'player';

/** One list, and until when it is written. */
export interface TagList {
  readonly name: string;
  /** Epoch milliseconds by the ranking store's clock; then the list is gone, and nothing may bring it back. `null`: never. */
  readonly keptUntil: number | null;
}

/** A list as its readers name it: what was written under another definition is not shown to them. */
export interface ListRef {
  readonly tag: Tag;
  readonly definitionHash: string;
  readonly list: string;
}

/** What of a board and season says which lists a result counts in. */
export interface ListShape {
  /** `PLAYER_SUBJECT`, or the scope whose values are ranked; a result without one is on no list. */
  readonly subject: string;
  readonly scopes: readonly string[];
  /** In the order of time; empty where the board does not rank them. */
  readonly days: readonly PeriodWindow[];
  readonly weeks: readonly PeriodWindow[];
}

/** What of a result says where it counts. */
export interface ListedResult {
  readonly achievedAt: number;
  readonly scopes: Readonly<Record<string, string>>;
}

export class TagLists {
  private readonly season: TagList = { name: SEASON_LIST, keptUntil: null };
  private readonly keptByPeriod: ReadonlyMap<string, number>;
  /** By the labels of day and week, so that results of one day share one array. */
  private readonly unscoped = new Map<string, readonly TagList[]>();

  constructor(readonly shape: ListShape) {
    const { days, weeks } = shape;
    this.keptByPeriod = new Map([
      ...days.map(({ label, endsAt }): [string, number] => [`d:${label}`, endsAt + PERIOD_KEPT_MS.day]),
      ...weeks.map(({ label, endsAt }): [string, number] => [`w:${label}`, endsAt + PERIOD_KEPT_MS.week]),
    ]);
  }

  /** Who is ranked by a result of the player; `undefined` where the board does not rank it. */
  subjectOf(playerId: string, { scopes }: Pick<ListedResult, 'scopes'>): string | undefined {
    const { subject } = this.shape;
    if (subject === PLAYER_SUBJECT) return playerId;
    return Object.hasOwn(scopes, subject) ? scopes[subject] : undefined;
  }

  /** The lists in which a result of the season counts. Where no scope is concerned, results of a day share one array. */
  listsOf({ achievedAt, scopes }: ListedResult): readonly TagList[] {
    const unscoped = this.unscopedAt(achievedAt);
    if (this.shape.scopes.length === 0) return unscoped;
    const scoped = this.shape.scopes.flatMap((scope) => {
      const value = Object.hasOwn(scopes, scope) ? scopes[scope] : undefined;
      return value === undefined ? [] : unscoped.map((list) => scopedList(list, scope, value));
    });
    return scoped.length === 0 ? unscoped : [...unscoped, ...scoped];
  }

  /** The lists of everybody that exist at an instant: the season's, and those of its periods that are kept still. */
  unscopedLists(now: number): readonly TagList[] {
    const there = (letter: string, windows: readonly PeriodWindow[], keptMs: number) =>
      windows
        .filter(({ startsAt, endsAt }) => startsAt <= now + BEGINS_EARLY_MS && now < endsAt + keptMs)
        .map(({ label }) => this.named(`${letter}:${label}`));
    const { days, weeks } = this.shape;
    return [this.season, ...there('d', days, PERIOD_KEPT_MS.day), ...there('w', weeks, PERIOD_KEPT_MS.week)];
  }

  /** The list of a name that this class made, or that SQL made of the same shape. */
  named(name: string): TagList {
    const [letter, label] = name.split(':', 2);
    return { name, keptUntil: this.keptByPeriod.get(`${letter}:${label}`) ?? null };
  }

  private unscopedAt(at: number): readonly TagList[] {
    const { days, weeks } = this.shape;
    const day = windowAt(days, at)?.label;
    const week = windowAt(weeks, at)?.label;
    const key = `${day}/${week}`;
    const known = this.unscoped.get(key);
    if (known !== undefined) return known;
    const names = [...(day === undefined ? [] : [`d:${day}`]), ...(week === undefined ? [] : [`w:${week}`])];
    const lists = [this.season, ...names.map((name) => this.named(name))];
    this.unscoped.set(key, lists);
    return lists;
  }
}

/** Results may be achieved ahead of the clock by the two minutes that a game server's may be. */
const BEGINS_EARLY_MS = 600_000;

function scopedList({ name, keptUntil }: TagList, scope: string, value: string): TagList {
  return { name: `${name}:${scope}:${value}`, keptUntil };
}
