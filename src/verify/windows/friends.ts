/** A player among his friends, with and without himself. Its total is that of its last frame, so it is not compared. */

import { compareWindow } from './compare.js';
import { comparedRows, expectedRows } from './unplaced.js';
import type { WindowKind } from './window-kind.js';

export const friends: WindowKind = ({ client, playerId, list, random }) => {
  const includeSelf = random() < 0.7;
  const view = client.friends(list.name, { includeSelf });
  return {
    name: `friends ${list.name}${includeSelf ? '' : ' without self'}`,
    view,
    difference: (truth) => {
      const ids = new Set([...truth.friends.friendsOf(playerId), ...(includeSelf ? [playerId] : [])]);
      const shown = comparedRows(view.current?.entries ?? [], truth);
      return compareWindow(view.current, shown, { rows: expectedRows(ids, list, truth) });
    },
  };
};
