/** The one order of a list: packed score, then id bytes, both descending, as ZREVRANGE has it. */

import { compareIds } from './ids.js';

export interface OrderKey {
  /** Packed score. */
  readonly score: number;
  readonly playerId: string;
}

/** Negative where `a` stands above `b`. */
export function compareOrderKeys(a: OrderKey, b: OrderKey): number {
  if (a.score !== b.score) return b.score - a.score;
  return compareIds(b.playerId, a.playerId);
}

/** The same order, without two objects for each look: in the hottest loops of the views. */
export function isKeyAbove(score: number, playerId: string, otherScore: number, otherId: string): boolean {
  if (score !== otherScore) return score > otherScore;
  return compareIds(playerId, otherId) > 0;
}
