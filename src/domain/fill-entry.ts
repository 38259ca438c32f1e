/** What a fill brings from truth to a ranking: one player's results, merged by the rule. */

export interface FillEntry {
  readonly playerId: string;
  /** Packed score. */
  readonly score: number;
}
