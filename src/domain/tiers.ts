/** Tiers: the named bands of a board, such as bronze to master, by points or by the place among all. */

/** `points`: at least so many (at most, on a board where less is better). `top-percent`: among so many percent of the players. */
export type TierMeasure = 'points' | 'top-percent';

export interface Tier {
  readonly name: string;
  /** Points, or percent in steps of 0.01. */
  readonly limit: number;
}

export interface Tiers {
  readonly measure: TierMeasure;
  /** Best first; whoever is in several is in the first of them. */
  readonly steps: readonly Tier[];
  /** Whether fewer points are better. */
  readonly isLow: boolean;
}

export interface TieredStanding {
  readonly points: number | null;
  readonly rank: number | null;
  /** Players ranked on the list. */
  readonly total: number;
}

const PARTS_OF_PERCENT = 100;

/** The name of the tier that a player stands in; `null` without a row, and below the last one. */
export function tierOf(tiers: Tiers | null, standing: TieredStanding): string | null {
  if (tiers === null) return null;
  return tiers.steps.find(({ limit }) => isWithin(tiers, limit, standing))?.name ?? null;
}

function isWithin({ measure, isLow }: Tiers, limit: number, { points, rank, total }: TieredStanding): boolean {
  if (measure === 'top-percent') return rank !== null && rank <= placesIn(limit, total);
  if (points === null) return false;
  return isLow ? points <= limit : points >= limit;
}

/** Rounded up, so that the best of few players is in the top percent too; in whole hundredths, since 0.07 * 100 is not 7. */
function placesIn(percent: number, total: number): number {
  return Math.ceil((Math.round(percent * PARTS_OF_PERCENT) * total) / (100 * PARTS_OF_PERCENT));
}
