/** The first places, with limits from one row to all that the board allows. */

import { compareWindow } from './compare.js';
import { shownAs, type WindowKind } from './window-kind.js';

const LIMITS = [1, 3, 10, 50, 100, 1_000];

export const top: WindowKind = ({ client, list, topSize, random }) => {
  const limit = Math.min(LIMITS[Math.floor(random() * LIMITS.length)] ?? 1, topSize);
  const view = client.top(list.name, { limit });
  return {
    name: `top ${list.name} limit ${limit}`,
    view,
    difference: (truth) => {
      const { rows } = truth.list(list);
      const expected = { rows: rows.slice(0, limit).map(shownAs), total: rows.length };
      return compareWindow(view.current, view.current?.entries ?? [], expected);
    },
  };
};
