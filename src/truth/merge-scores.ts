/**
 * Merges a packed score into an entry that is there: the SQL twin of `mergeScores` in domain/rules.ts, as fold-scores.ts is
 * where rows become scores. Change all of them together.
 */

import type { ScoreMerge } from '../domain/rules.js';
import type { Binder } from './statement.js';

/** An SQL expression over two columns of type bigint. */
export function mergedScore(merge: ScoreMerge, held: string, incoming: string, bind: Binder): string {
  switch (merge.rule) {
    case 'best':
      return `greatest(${held}, ${incoming})`;
    case 'latest':
      return latest(held, incoming, bind.add('bigint', merge.timeSpan));
    case 'sum':
      return sum(merge, held, incoming, bind);
  }
}

function latest(held: string, incoming: string, span: string): string {
  return `CASE WHEN ${incoming} % ${span} = ${held} % ${span} THEN greatest(${held}, ${incoming})
               WHEN ${incoming} % ${span} < ${held} % ${span} THEN ${incoming} ELSE ${held} END`;
}

function sum({ timeSpan, maxTotal, isLow }: ScoreMerge, held: string, incoming: string, bind: Binder): string {
  const span = bind.add('bigint', timeSpan);
  const max = bind.add('bigint', maxTotal);
  const [a, b] = [`${held} / ${span}`, `${incoming} / ${span}`];
  const packed = isLow ? `greatest(${a} - (${max} - ${b}), 0)` : `least(${a} + ${b}, ${max})`;
  return `${packed} * ${span} + least(${held} % ${span}, ${incoming} % ${span})`;
}
