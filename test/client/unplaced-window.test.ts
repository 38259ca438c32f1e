import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UnplacedRow } from '../../proto/frames.js';
import { UnplacedWindow } from '../../src/client/unplaced-window.js';
import { BoardHistory, idOf } from './support/board-history.js';

const PLAYERS = 12;
const step = fc.record({ player: fc.nat({ max: PLAYERS - 1 }), score: fc.option(fc.nat({ max: 5 }), { freq: 6 }) });

function shown(window: UnplacedWindow) {
  return window.read(false).entries.map(({ rank, playerId, score }) => [rank, playerId, score]);
}

/** Ranked rows in the order of the board, then the rest by the bytes of their ids. */
function expected(history: BoardHistory, seq: number) {
  const ranked = (history.boards[seq] ?? []).map((row) => [row.rank, row.id, row.score]);
  const rest = Array.from({ length: PLAYERS }, (_, player) => idOf(player)).filter(
    (id) => !ranked.some((row) => row[1] === id),
  );
  rest.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return [...ranked, ...rest.map((id) => [null, id, null])];
}

describe('UnplacedWindow', () => {
  it('equals the brute-force order after any deltas, however merged, unranked rows last', () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 30 }),
        fc.array(fc.integer({ min: 1, max: 4 })),
        (steps, spans) => {
          const history = new BoardHistory(steps);
          const window = new UnplacedWindow();
          window.apply([32, 7, 900, 0, 0, 0, history.everybody(0, PLAYERS), 0], null);
          let have = 0;
          for (const span of [...spans, steps.length]) {
            const to = Math.min(steps.length, have + span);
            if (to === have) continue;
            const before = history.everybody(have, PLAYERS);
            const changed = history.everybody(to, PLAYERS).filter((row, at) => String(row) !== String(before[at]));
            // Every row is known to the window: the tail stays at home.
            const placed = changed.map((row) => row.slice(0, 6) as unknown as UnplacedRow);
            expect(window.apply([33, 7, to, to - have, [], placed, null, history.total(to), to], null)).toBe('applied');
            have = to;
            expect(shown(window)).toEqual(expected(history, have));
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('takes rows out, lets new ones in, and renames', () => {
    const window = new UnplacedWindow();
    window.apply([32, 7, 900, 1, 0, 50, [[1, 10, 9, null, 1_000, 5, 'ada', 'Ada'], [2, null, null, null, null, null, 'bo']], 5], null); // biome-ignore format: one line
    window.apply([33, 7, 2, 1, [2], [[3, 20, 4, 6, 2_000, 6, 'cy', null], [1, 10, 10, 9, 1_000, 5, 'ada', 'Ada L.']], null, 51, 6], null); // biome-ignore format: one line
    expect(window.read(true)).toEqual({
      entries: [
        { rank: 4, prevRank: 6, playerId: 'cy', name: null, score: 20, at: 6 },
        { rank: 10, prevRank: 9, playerId: 'ada', name: 'Ada L.', score: 10, at: 5 },
      ],
      total: 51,
      seq: 2,
      epoch: 900,
      at: 6,
      stale: true,
    });
  });

  it('takes a row without id for a gap where it does not know the ref', () => {
    const window = new UnplacedWindow();
    window.apply([32, 7, 900, 1, 0, 50, [[1, 10, 9, null, 1_000, 5, 'ada', null]], 5], null);
    expect(window.apply([33, 7, 2, 1, [1], [[8, 1, 1, null, 1, 1]], null, null, 6], null)).toBe('gap');
    expect(shown(window)).toEqual([[9, 'ada', 10]]);
  });

  it('goes on apart from its copy', () => {
    const window = new UnplacedWindow();
    window.apply([32, 7, 900, 1, 0, 50, [[1, 10, 9, null, 1_000, 5, 'ada', null]], 5], null);
    const copy = window.copy();
    copy.apply([33, 7, 2, 1, [], [[1, 20, 4, 9, 2_000, 6]], null, null, 6], null);
    copy.apply([33, 7, 3, 1, [], [[2, 5, 12, null, 500, 6, 'bo', null]], null, null, 6], null);
    expect([shown(copy), shown(window)]).toEqual([[[4, 'ada', 20], [12, 'bo', 5]], [[9, 'ada', 10]]]); // biome-ignore format: one line
    expect([copy.position?.seq, window.position?.seq]).toEqual([3, 1]);
  });

  it('replaces everything with a snapshot of the same seq: the friend list changed', () => {
    const window = new UnplacedWindow();
    const snapshot = (id: string) =>
      window.apply([32, 7, 900, 1, 0, 50, [[1, 10, 9, null, 1_000, 5, id, null]], 5], null);
    snapshot('ada');
    expect(snapshot('bo')).toBe('applied');
    expect(shown(window)).toEqual([[9, 'bo', 10]]);
  });
});
