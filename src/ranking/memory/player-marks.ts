/** The marks of a tag in memory, and what came aside for each marked player since. */

import { randomUUID } from 'node:crypto';
import type { Position } from '../../domain/log-record.js';
import { mergeScores, type ScoreMerge } from '../../domain/rules.js';
import { MAX_MARKS, type Mark } from '../ranking.js';

interface PendingMark {
  readonly mark: Mark;
  /** Packed score of all that was merged since the mark was set, `null` for nothing. */
  aside: number | null;
}

export class PlayerMarks {
  /** By player. */
  private readonly pending = new Map<string, PendingMark>();

  constructor(private readonly rule: ScoreMerge) {}

  /** Replaces the mark that the player may have, and drops what came aside for it. */
  set(playerId: string, positions: readonly Position[]): void {
    // Behind all others: who is late again and again must not keep them from being told.
    this.pending.delete(playerId);
    this.pending.set(playerId, { mark: { playerId, markId: randomUUID(), positions }, aside: null });
  }

  /** Does nothing for a player without a mark. */
  mergeAside(playerId: string, incoming: number): void {
    const pending = this.pending.get(playerId);
    if (pending !== undefined) pending.aside = mergeScores(this.rule, pending.aside, incoming);
  }

  /** The oldest first, at most `MAX_MARKS`. */
  oldest(): readonly Mark[] {
    const marks: Mark[] = [];
    for (const { mark } of this.pending.values()) if (marks.push(mark) === MAX_MARKS) break;
    return marks;
  }

  isPresent({ playerId, markId }: Mark): boolean {
    return this.pending.get(playerId)?.mark.markId === markId;
  }

  /** Takes the player's mark away and answers his entry: what came aside, merged with truth's score (`null`: none). */
  settle(playerId: string, score: number | null): number | null {
    const aside = this.pending.get(playerId)?.aside ?? null;
    this.pending.delete(playerId);
    return aside === null ? score : mergeScores(this.rule, score, aside);
  }
}
