/** The marks of a tag in memory, and what came aside for each marked player since. */

import { randomUUID } from 'node:crypto';
import type { ChangeLabel } from '../../domain/change.js';
import type { Position } from '../../domain/log-record.js';
import { mergeScores, type ScoreMerge } from '../../domain/rules.js';
import {
  type FoldedEntry,
  MAX_MARKS,
  type Mark,
  type PlayerToMark,
  type ScoredResult,
  type TagList,
} from '../ranking.js';

/** `label`: of the changes that come of it; `null` where it has none of its own. */
export interface MarkRequest extends PlayerToMark {
  readonly label: ChangeLabel | null;
}

/** What a marked player's entries are, in every list that is concerned. */
export interface SettledEntries {
  readonly label: ChangeLabel | null;
  readonly entries: readonly FoldedEntry[];
}

interface PendingMark {
  readonly markId: string;
  readonly positions: readonly Position[];
  readonly label: ChangeLabel | null;
  /** By name. */
  readonly lists: ReadonlyMap<string, TagList>;
  /** By list: what was merged since the mark was set. */
  readonly aside: Map<string, FoldedEntry>;
}

export class PlayerMarks {
  /** By player. */
  private readonly pending = new Map<string, PendingMark>();

  constructor(private readonly rule: ScoreMerge) {}

  /**
   * Replaces the mark that the player may have, and drops what came aside for it. What was not done for that one is still
   * due: its lists, and its label where the new one has none.
   */
  set({ playerId, lists, label }: MarkRequest, positions: readonly Position[]): void {
    const old = this.pending.get(playerId);
    // Behind all others: who is late again and again must not keep them from being told.
    this.pending.delete(playerId);
    this.pending.set(playerId, {
      markId: randomUUID(),
      positions,
      label: label ?? old?.label ?? null,
      lists: new Map([...(old?.lists ?? []), ...lists.map((list): [string, TagList] => [list.name, list])]),
      aside: new Map(),
    });
  }

  /** Does nothing for a player without a mark. */
  mergeAside({ playerId, score, lists }: ScoredResult): void {
    const aside = this.pending.get(playerId)?.aside;
    if (aside === undefined) return;
    for (const list of lists) aside.set(list.name, this.merged(aside.get(list.name), { list, score }));
  }

  /** The oldest first, at most `MAX_MARKS`. */
  oldest(): readonly Mark[] {
    const marks: Mark[] = [];
    for (const [playerId, { markId, positions, lists }] of this.pending) {
      if (marks.push({ playerId, markId, positions, lists: [...lists.keys()] }) === MAX_MARKS) break;
    }
    return marks;
  }

  /** Takes the mark away and answers the player's entries, each list once; `null` where the mark is not his any more. */
  settle({ playerId, markId }: Mark, folded: readonly FoldedEntry[]): SettledEntries | null {
    const pending = this.pending.get(playerId);
    if (pending?.markId !== markId) return null;
    this.pending.delete(playerId);
    const { label, lists, aside } = pending;
    const entries = new Map([...lists].map(([name, list]): [string, FoldedEntry] => [name, { list, score: null }]));
    for (const entry of [...folded, ...aside.values()]) {
      entries.set(entry.list.name, this.merged(entries.get(entry.list.name), entry));
    }
    return { label, entries: [...entries.values()] };
  }

  private merged(current: FoldedEntry | undefined, { list, score }: FoldedEntry): FoldedEntry {
    const before = current?.score ?? null;
    return { list, score: score === null ? before : mergeScores(this.rule, before, score) };
  }
}
