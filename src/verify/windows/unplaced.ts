/** What windows of chosen players should show: friends and watch lists. */

import type { ListSpec } from '../lists.js';
import type { Truth } from '../truth.js';
import type { ShownRow } from './compare.js';
import { shownAs } from './window-kind.js';

/** Best first; then those without a result, by the bytes of their ids. Hidden ones are left out. */
export function expectedRows(ids: ReadonlySet<string>, list: ListSpec, truth: Truth): ShownRow[] {
  const { byPlayer } = truth.list(list);
  const ranked = [...ids].flatMap((id) => byPlayer.get(id) ?? []).sort((a, b) => a.rank - b.rank);
  const others = [...ids]
    .filter((id) => !byPlayer.has(id) && !truth.isHidden(id))
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return [...ranked.map(shownAs), ...others.map((id) => ({ playerId: id, rank: null, score: null }))];
}

/** A hidden player may be shown as one without a result or not at all; what he has reached must not be. */
export function withoutHidden(rows: readonly ShownRow[], truth: Truth): ShownRow[] {
  return rows.filter((row) => !truth.isHidden(row.playerId) || row.rank !== null || row.score !== null);
}
