/** A list ranked by looking at all of it, each time: what the views must agree with. */

import type { Change, Entry, Standing } from '../../../src/domain/change.js';
import { SEASON_LIST } from '../../../src/domain/lists.js';
import { compareOrderKeys } from '../../../src/domain/order-key.js';

/** Ids whose order by UTF-8 bytes, by UTF-16 units and by length all differ. */
export const TRICKY_IDS = ['a', 'A', 'ab', 'b', 'é', 'Ａ', '\ufeffa', '😀', '😁', '~', '10', '9'] as const;

export class BruteBoard {
  readonly scores = new Map<string, number>();

  constructor(private readonly list: string = SEASON_LIST) {}

  rows(): Entry[] {
    return [...this.scores]
      .map(([playerId, score]) => ({ playerId, score }))
      .sort(compareOrderKeys)
      .map((key, index) => ({ ...key, rank: index + 1 }));
  }

  standing(playerId: string): Standing {
    const score = this.scores.get(playerId);
    if (score === undefined) return { playerId, score: null, rank: null };
    let rank = 1;
    for (const [id, other] of this.scores) {
      if (compareOrderKeys({ score: other, playerId: id }, { score, playerId }) < 0) rank += 1;
    }
    return { playerId, score, rank };
  }

  /** Sets a score, or takes the row away; `null` where that changes nothing. */
  apply(playerId: string, score: number | null, at: number): Change | null {
    const before = this.standing(playerId);
    if (before.score === score) return null;
    if (score === null) this.scores.delete(playerId);
    else this.scores.set(playerId, score);
    const after = this.standing(playerId);
    return {
      list: this.list,
      playerId,
      scoreBefore: before.score,
      rankBefore: before.rank,
      score: after.score,
      rank: after.rank,
      at,
      label: null,
    };
  }
}
