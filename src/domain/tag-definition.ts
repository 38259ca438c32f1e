/** What a board's definition makes of a tag: all that a ranking must know to merge and to refuse. */

import { createHash } from 'node:crypto';
import type { Board, Mode } from './board.js';
import { PLAYER_SUBJECT } from './lists.js';
import type { ScoreLayout } from './packed-score.js';
import { type ScoreMerge, scoreMerge } from './rules.js';
import type { Season } from './season.js';

export interface TagDefinition {
  /** Names everything that shapes the scores and the lists; what was written under another hash must not meet these. */
  readonly hash: string;
  readonly merge: ScoreMerge;
}

/**
 * How a tag merges, and 16 hexadecimal digits of SHA-256 that name what shapes its scores and lists. Title, size of the
 * top and tiers are left out: they may change without a rebuild.
 */
export function tagDefinition(
  board: Board,
  allModes: readonly Mode[],
  season: Season,
  layout: ScoreLayout,
): TagDefinition {
  const modes = allModes
    .filter(({ mode }) => board.modes.includes(mode))
    .map(({ mode, fields }) => [mode, Object.entries(fields).map(([name, { min, max }]) => [name, min, max])] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const keys = layout.keys.map(({ field, max, isLow, weight }) => [field, max, isLow, weight]);
  const { timeBits, unitMs } = layout;
  const { rule, maxTotal } = board;
  const shape = [modes, keys, timeBits, unitMs, rule, maxTotal, season.startsAt, season.endsAt, ...listsShape(board)];
  const hash = createHash('sha256').update(JSON.stringify(shape)).digest('hex').slice(0, 16);
  return { hash, merge: scoreMerge(rule, layout) };
}

/** Nothing for a board that ranks players over the season and nothing else: so were those of the versions before. */
function listsShape({ subject, periods, zone, scopes }: Board): unknown[] {
  if (subject === PLAYER_SUBJECT && periods.length === 0 && scopes.length === 0) return [];
  return [[subject, periods.toSorted(), periods.length === 0 ? '' : zone, scopes.toSorted()]];
}
