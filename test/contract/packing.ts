/** How the contract tests pack points and seconds, and the definitions that they merge by. */

import type { Order } from '../../src/domain/board.js';
import type { Rule, ScoreMerge } from '../../src/domain/rules.js';
import type { TagDefinition } from '../../src/domain/tag-definition.js';

/** The packing of the cases, see `pack`: 21 bits of points above 32 bits of seconds. */
export const MAX_POINTS = 2_097_151;
export const MAX_SECOND = 4_294_967_295;

export function definitionOf(rule: Rule, order: Order = 'high', maxTotal = MAX_POINTS): TagDefinition {
  const merge = { rule, timeSpan: MAX_SECOND + 1, maxTotal, isLow: order === 'low' };
  return { hash: `definition-${rule}-${order}`, merge };
}

/** What a board of the tests has that names no other. */
export const DEFINITION = definitionOf('best');
export const OTHER_DEFINITION: TagDefinition = { ...DEFINITION, hash: 'definition-2' };

/** The rule that must count each result once; low first with a total that ends inside its bits. */
export const SUMS = [
  ['sum', definitionOf('sum')],
  ['sum, low first', definitionOf('sum', 'low', 2_000_000)],
] as const;

/** Every way of merging. */
export const DEFINITIONS = [['best', DEFINITION], ['latest', definitionOf('latest')], ...SUMS] as const;

export function pack(
  points: number,
  second: number,
  { isLow, maxTotal }: Pick<ScoreMerge, 'isLow' | 'maxTotal'> = DEFINITION.merge,
): number {
  return (isLow ? maxTotal - points : points) * 2 ** 32 + (MAX_SECOND - second);
}
