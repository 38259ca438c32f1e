/** One generation of a tag in memory: all its lists by name, each until it is past. */

import type { TagList } from '../../domain/lists.js';
import type { ScoreMerge } from '../../domain/rules.js';
import { RankedList, type RowMove } from './ranked-list.js';

interface KeptList {
  readonly keptUntil: number | null;
  readonly ranked: RankedList;
}

/** `now` is epoch milliseconds in every call, by the one clock that says which lists are past. */
export class Generation {
  /** Of those that rank somebody. */
  private readonly lists = new Map<string, KeptList>();
  /** No list is past before this instant. */
  private firstEnd = Number.POSITIVE_INFINITY;
  private readonly nobody: RankedList;

  constructor(private readonly rule: ScoreMerge) {
    this.nobody = new RankedList(rule);
  }

  /** To be read at once, and not to be written; empty where the list was never written, or is past. */
  list(name: string, now: number): RankedList {
    this.dropPast(now);
    return this.lists.get(name)?.ranked ?? this.nobody;
  }

  /** How many each list ranks that ranks somebody. */
  totals(now: number): { readonly name: string; readonly total: number }[] {
    this.dropPast(now);
    return [...this.lists].map(([name, { ranked }]) => ({ name, total: ranked.size }));
  }

  /** Merges a packed score into the player's row by the rule; `null` where the row stays as it is, or the list is past. */
  merge(list: TagList, playerId: string, incoming: number, now: number): RowMove | null {
    return this.writable(list, now)?.merge(playerId, incoming) ?? null;
  }

  /** Makes a packed score the player's row, or takes the row away (`null`); `null` where it was so already, or the list is past. */
  put(list: TagList, playerId: string, score: number | null, now: number): RowMove | null {
    if (score !== null) return this.writable(list, now)?.put(playerId, score) ?? null;
    const ranked = this.list(list.name, now);
    const move = ranked.put(playerId, null);
    if (ranked.size === 0) this.lists.delete(list.name);
    return move;
  }

  private writable({ name, keptUntil }: TagList, now: number): RankedList | null {
    this.dropPast(now);
    if (isPast(keptUntil, now)) return null;
    const known = this.lists.get(name);
    if (known !== undefined) return known.ranked;
    const ranked = new RankedList(this.rule);
    this.lists.set(name, { keptUntil, ranked });
    this.firstEnd = Math.min(this.firstEnd, keptUntil ?? this.firstEnd);
    return ranked;
  }

  /** At every access, so that lists which nobody asks for any more do not stay either. */
  private dropPast(now: number): void {
    if (now < this.firstEnd) return;
    this.firstEnd = Number.POSITIVE_INFINITY;
    for (const [name, { keptUntil }] of this.lists) {
      if (isPast(keptUntil, now)) this.lists.delete(name);
      else this.firstEnd = Math.min(this.firstEnd, keptUntil ?? this.firstEnd);
    }
  }
}

function isPast(keptUntil: number | null, now: number): boolean {
  return keptUntil !== null && keptUntil <= now;
}
