/** A ranking by sorting everything, written without any of the product's code: what the engines are compared with. */

import type { Entry } from '../../src/domain/change.js';

/** All rows from rank 1 on: score, then id bytes, both descending. */
export function bruteForce(scores: Iterable<readonly [playerId: string, score: number]>): readonly Entry[] {
  return [...scores]
    .sort(([idA, a], [idB, b]) => b - a || Buffer.compare(Buffer.from(idB), Buffer.from(idA)))
    .map(([playerId, score], index) => ({ playerId, score, rank: index + 1 }));
}

/** `null` for a player without a row. */
export function bruteForceRank(scores: ReadonlyMap<string, number>, playerId: string): number | null {
  return bruteForce(scores).find((row) => row.playerId === playerId)?.rank ?? null;
}
