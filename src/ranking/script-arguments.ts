/** What crosses to the scripts that take a batch or a fill: flat, and short where it comes once per result. */

import type { TagDefinition } from '../domain/tag-definition.js';
import type { FillStart, SubmitBatch } from './ranking.js';

type Flat = readonly (string | number | false)[];

/** `[first time, width, results]`, as submit-results takes it: four values a result, six where it has an identity. */
export function resultsArgument({ from, results }: SubmitBatch): readonly [number, number, Flat] {
  const firstAt = results[0]?.at ?? 0;
  const isIdentified = results.some(({ identity }) => identity !== undefined);
  const flat: (string | number | false)[] = [];
  // Offsets and times as distances are short; scores are exact as doubles, and become text where they are written.
  for (const { playerId, score, offset, at, identity } of results) {
    flat.push(playerId, score ?? false, offset - from, at - firstAt);
    // Where a score lacks it the script refuses the batch: no hash is empty.
    if (isIdentified) flat.push(identity?.hash ?? '', (identity?.achievedAt ?? firstAt) - firstAt);
  }
  return [firstAt, isIdentified ? 6 : 4, flat];
}

/** `[positions, merge]`, as begin-fill takes it. */
export function fillArgument({ merge }: TagDefinition, { positions }: FillStart): readonly [Flat, readonly unknown[]] {
  return [
    positions.flatMap((p) => [p.source, String(p.partition), p.next]),
    [merge.rule, merge.timeSpan, merge.maxTotal, merge.isLow],
  ];
}
