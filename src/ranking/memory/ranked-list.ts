/** One list in memory: every player's score, and the order of all of them. */

import type { Entry, Standing } from '../../domain/change.js';
import type { OrderKey } from '../../domain/order-key.js';
import { mergeScores, type ScoreMerge } from '../../domain/rules.js';
import { OrderStatistics } from '../order-statistics.js';

/** What became of a row: it may have gone down, or away (`null`). */
export interface RowMove {
  readonly scoreBefore: number | null;
  readonly rankBefore: number | null;
  readonly score: number | null;
  readonly rank: number | null;
}

export class RankedList {
  private readonly scores = new Map<string, number>();
  private readonly order = new OrderStatistics();

  constructor(private readonly rule: ScoreMerge) {}

  /** How many players the list ranks. */
  get size(): number {
    return this.scores.size;
  }

  /** Merges a packed score into the player's row by the list's rule; `null` where the row stays as it is. */
  merge(playerId: string, incoming: number): RowMove | null {
    return this.put(playerId, mergeScores(this.rule, this.scores.get(playerId) ?? null, incoming));
  }

  /** Makes a packed score the player's row, whatever it was, or takes the row away (`null`); `null` where it was so already. */
  put(playerId: string, score: number | null): RowMove | null {
    const scoreBefore = this.scores.get(playerId) ?? null;
    if (score === scoreBefore) return null;
    const rankBefore = scoreBefore === null ? null : this.order.delete({ score: scoreBefore, playerId });
    if (score === null) {
      this.scores.delete(playerId);
      return { scoreBefore, rankBefore, score, rank: null };
    }
    const rank = this.order.insert({ score, playerId });
    this.scores.set(playerId, score);
    return { scoreBefore, rankBefore, score, rank };
  }

  /** Packed score; `undefined` where the player is not ranked. */
  score(playerId: string): number | undefined {
    return this.scores.get(playerId);
  }

  standing(playerId: string): Standing {
    const score = this.scores.get(playerId);
    if (score === undefined) return { playerId, score: null, rank: null };
    return { playerId, score, rank: this.order.rankOf({ score, playerId }) };
  }

  range(fromRank: number, count: number): Entry[] {
    const firstRank = Math.max(fromRank, 1);
    return this.order.range(fromRank, count).map((key, index) => ({ ...key, rank: firstRank + index }));
  }

  /** From the row right below `key` on, whether or not `key` is there. */
  below(key: OrderKey, count: number): Entry[] {
    return this.range((this.order.rankOf(key) ?? this.order.countAbove(key)) + 1, count);
  }

  around(playerId: string, above: number, below: number): Entry[] {
    const { rank } = this.standing(playerId);
    return rank === null ? [] : this.range(rank - above, above + 1 + below);
  }
}
