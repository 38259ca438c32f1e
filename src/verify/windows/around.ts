/** A player's neighbours, or those of another one. Its total is that of its last frame, so it is not compared. */

import { compareWindow } from './compare.js';
import { shownAs, type WindowKind } from './window-kind.js';

const SIZES = [0, 1, 5, 5, 20, 50];

export const around: WindowKind = ({ client, playerId, list, anyPlayer, random }) => {
  const size = (): number => SIZES[Math.floor(random() * SIZES.length)] ?? 0;
  const [above, below] = [size(), size()];
  const center = random() < 0.3 ? anyPlayer() : playerId;
  const options = center === playerId ? { above, below } : { above, below, playerId: center };
  const view = client.around(list.name, options);
  return {
    name: `around ${center} ${list.name}, ${above} above and ${below} below`,
    view,
    difference: (truth) => {
      const { rows, byPlayer } = truth.list(list);
      const index = (byPlayer.get(center)?.rank ?? 0) - 1;
      const expected = index < 0 ? [] : rows.slice(Math.max(0, index - above), index + below + 1);
      return compareWindow(view.current, view.current?.entries ?? [], { rows: expected.map(shownAs) });
    },
  };
};
