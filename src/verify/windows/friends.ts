/** A player among his friends, with and without himself. Its total is that of its last frame, so it is not compared. */

import type { Truth } from '../truth.js';
import { compareWindow, type ShownRow } from './compare.js';
import { shownAs, type WindowAsk, type WindowKind } from './window-kind.js';

export const friends: WindowKind = (ask) => {
  const includeSelf = ask.random() < 0.7;
  const view = ask.client.friends(ask.list.name, { includeSelf });
  return {
    name: `friends ${ask.list.name}${includeSelf ? '' : ' without self'}`,
    view,
    difference: (truth) => {
      const shown = (view.current?.entries ?? []).filter((row) => !isAbsent(row, truth));
      return compareWindow(view.current, shown, { rows: expectedRows(ask, includeSelf, truth) });
    },
  };
};

/** A hidden friend may be shown as one without a result or not at all; what he has reached must not be. */
function isAbsent(row: ShownRow, truth: Truth): boolean {
  return truth.isHidden(row.playerId) && row.rank === null && row.score === null;
}

/** Best first; then those without a result, by the bytes of their ids. */
function expectedRows({ playerId, list }: WindowAsk, includeSelf: boolean, truth: Truth): ShownRow[] {
  const ids = [...truth.friends.friendsOf(playerId), ...(includeSelf ? [playerId] : [])];
  const { byPlayer } = truth.list(list);
  const ranked = ids.flatMap((id) => byPlayer.get(id) ?? []).sort((a, b) => a.rank - b.rank);
  const others = ids
    .filter((id) => !byPlayer.has(id) && !truth.isHidden(id))
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return [...ranked.map(shownAs), ...others.map((id) => ({ playerId: id, rank: null, score: null }))];
}
