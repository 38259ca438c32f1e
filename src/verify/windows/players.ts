/** A watch list: players by their ids, some of them twice. Its total is that of its last frame, so it is not compared. */

import { compareWindow } from './compare.js';
import { comparedRows, expectedRows } from './unplaced.js';
import type { WindowKind } from './window-kind.js';

/** Short ones, and one that takes several frames. */
const SIZES = [1, 5, 20, 60, 400];

export const players: WindowKind = ({ client, list, anyPlayer, random }) => {
  const size = SIZES[Math.floor(random() * SIZES.length)] ?? 1;
  const ids = Array.from({ length: size }, () => anyPlayer());
  const view = client.players(list.name, ids);
  return {
    name: `players ${list.name}, ${size} ids`,
    view,
    difference: (truth) => {
      const shown = comparedRows(view.current?.entries ?? [], truth);
      return compareWindow(view.current, shown, { rows: expectedRows(new Set(ids), list, truth) });
    },
  };
};
