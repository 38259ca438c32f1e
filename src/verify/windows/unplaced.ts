/** What windows of chosen players should show: friends and watch lists. */

import type { ListSpec } from '../lists.js';
import type { Truth } from '../truth.js';
import type { ShownRow } from './compare.js';
import { shownAs } from './window-kind.js';

/**
 * Best first; then those without a result, by the bytes of their ids. One without a row on the list who is hidden or shown again may be
 * a row of a window that is open, or none (PROTOCOL.md, 7.6): such rows are compared with nothing.
 */
export function expectedRows(ids: ReadonlySet<string>, list: ListSpec, truth: Truth): ShownRow[] {
  const { byPlayer } = truth.list(list);
  const ranked = [...ids].flatMap((id) => byPlayer.get(id) ?? []).sort((a, b) => a.rank - b.rank);
  const others = [...ids]
    .filter((id) => !byPlayer.has(id) && !truth.wasHidden(id))
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return [...ranked.map(shownAs), ...others.map((id) => ({ playerId: id, rank: null, score: null }))];
}

/** The rows that are compared: of players who are hidden now nothing may be shown but that. */
export function comparedRows(rows: readonly ShownRow[], truth: Truth): ShownRow[] {
  return rows.filter((row) => !truth.wasHidden(row.playerId) || row.rank !== null || row.score !== null);
}
