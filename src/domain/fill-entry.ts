/** What a fill brings from truth to a ranking: a subject's results in one list, merged by the rule. */

import type { TagList } from './lists.js';

export interface FillEntry {
  readonly list: TagList;
  /** The subject: a player, or who else the board ranks. */
  readonly playerId: string;
  /** Packed score. */
  readonly score: number;
}

/** What was sent and what arrived must agree on at the end of a fill. */
export interface FillSum {
  readonly entries: number;
  /** The sum of all packed scores modulo 2^32: each of its bits is in some score's time or points. */
  readonly checksum: number;
}

const MODULUS = 2 ** 32;
export const EMPTY_SUM: FillSum = { entries: 0, checksum: 0 };

export function addToSum({ entries, checksum }: FillSum, chunk: readonly FillEntry[]): FillSum {
  const sum = chunk.reduce((total, { score }) => (total + (score % MODULUS)) % MODULUS, checksum);
  return { entries: entries + chunk.length, checksum: sum };
}
