/** A player's own rank, also where he has none or is hidden. Its total is that of its last frame, so it is not compared. */

import { compareWindow } from './compare.js';
import { shownAs, type WindowKind } from './window-kind.js';

export const me: WindowKind = ({ client, playerId, list }) => {
  const view = client.me(list.name);
  return {
    name: `me ${list.name}`,
    view,
    difference: (truth) => {
      const row = truth.list(list).byPlayer.get(playerId);
      const { rank = null, score = null } = view.current ?? {};
      const own = row === undefined ? { playerId, rank: null, score: null } : shownAs(row);
      return compareWindow(view.current, [{ playerId, rank, score }], { rows: [own] });
    },
  };
};
