/** What can be wrong with a board's tiers, and what they come to. */

import type { Order } from '../domain/board.js';
import type { TierMeasure, Tiers } from '../domain/tiers.js';
import type { FileBoard } from './boards-schema.js';

type FileTier = FileBoard['tiers'][number];

/** `path` is the board's place in the file. */
export function findTierProblems(path: string, board: FileBoard): string[] {
  const { tiers } = board;
  const measure = measureOf(tiers);
  const isFalling = measure === 'top-percent' || firstOrder(board) === 'low';
  return tiers.flatMap((tier, index) => {
    const at = `${path}.tiers[${index}]`;
    if (tiers.findIndex(({ name }) => name === tier.name) < index) return [`${at}.name: ${tier.name} is there already`];
    if ((tier.points === undefined) === (tier.topPercent === undefined)) {
      return [`${at}: must have points or topPercent, one of them`];
    }
    if (measureOf([tier]) !== measure) return [`${at}: all tiers of a board are by points, or all by topPercent`];
    const before = tiers[index - 1];
    if (before === undefined) return [];
    const step = limitOf(tier) - limitOf(before);
    if (isFalling ? step > 0 : step < 0) return [];
    return [
      `${at}: ${limitOf(tier)} is not easier than the ${limitOf(before)} of ${before.name}: put the best tier first`,
    ];
  });
}

/** `tiers` were checked. */
export function toTiers(tiers: readonly FileTier[], order: Order): Tiers | null {
  if (tiers.length === 0) return null;
  const steps = tiers.map((tier) => ({ name: tier.name, limit: limitOf(tier) }));
  return { measure: measureOf(tiers), steps, isLow: order === 'low' };
}

function firstOrder({ keys, order = 'high' }: FileBoard): Order {
  return keys?.[0]?.order ?? order;
}

function measureOf([tier]: readonly FileTier[]): TierMeasure {
  return tier?.points === undefined ? 'top-percent' : 'points';
}

function limitOf({ points, topPercent }: FileTier): number {
  return points ?? topPercent ?? 0;
}
