/** What a fill brings from truth to a ranking: the best of one player. */

export interface FillEntry {
  readonly playerId: string;
  /** Packed score. */
  readonly score: number;
}
