import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlacedWindow } from '../../src/client/placed-window.js';
import { BoardHistory } from './support/board-history.js';
import { topSnapshot } from './support/session.js';

const LIMIT = 8;
const PLAYERS = 14;
const step = fc.record({
  player: fc.nat({ max: PLAYERS - 1 }),
  score: fc.oneof({ weight: 6, arbitrary: fc.nat({ max: 5 }) }, { weight: 1, arbitrary: fc.constant(null) }),
});

function shown(window: PlacedWindow) {
  return window.read(false).entries.map(({ rank, playerId, score }) => [rank, playerId, score]);
}

describe('PlacedWindow', () => {
  it('equals the board after any deltas, however merged, repeated or lost', () => {
    const move = fc.record({ from: fc.nat({ max: 6 }), to: fc.nat({ max: 6 }) });
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 40 }),
        fc.array(move, { maxLength: 30 }),
        (steps, moves) => {
          const history = new BoardHistory(steps);
          const window = new PlacedWindow();
          let have = 0;
          window.apply(history.topSnapshot(0, LIMIT), null);
          for (const move of [...moves, null]) {
            // Spans that begin before, at or after where the window stands, and end before or after it.
            const to = move === null ? steps.length : Math.min(steps.length, Math.max(1, have - 2 + move.to));
            const from = Math.min(to - 1, Math.max(0, have - 3 + (move?.from ?? 3)));
            const answer = window.apply(history.topDelta(from, to, LIMIT), null);
            expect(answer).toBe(to <= have ? 'dropped' : from <= have ? 'applied' : 'gap');
            if (answer === 'gap') window.apply(history.topSnapshot(to, LIMIT), null);
            have = Math.max(have, to);
            expect(shown(window)).toEqual(history.top(have, LIMIT).map((row) => [row.rank, row.id, row.score]));
            expect(window.read(false)).toMatchObject({ seq: have, epoch: 900, total: history.total(have) });
          }
          expect(have).toBe(steps.length);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('applies span 0 only at the very seq it refines', () => {
    const window = new PlacedWindow();
    const rename = (seq: number) =>
      window.apply([33, 7, seq, 0, [], [[0, 1, 30, null, 'ada', 'Ada L.']], null, null, 1], null);
    window.apply(topSnapshot(7, 900, 10, [[1, 30, 'ada']]), null);
    expect([rename(9), rename(11), rename(10)]).toEqual(['dropped', 'gap', 'applied']);
    expect(window.read(false).entries[0]).toMatchObject({ name: 'Ada L.', playerId: 'ada' });
    expect(window.read(false).seq).toBe(10);
  });

  it('changes nothing before its first snapshot and while it waits for one', () => {
    const window = new PlacedWindow();
    const delta = () => window.apply([33, 7, 11, 1, [], [[0, 2, 40, null, 'bo']], null, null, 1], null);
    expect([delta(), window.hasState]).toEqual(['gap', false]);
    window.apply(topSnapshot(7, 900, 10, [[1, 30, 'ada']]), null);
    window.forget();
    expect([delta(), window.hasState]).toEqual(['gap', true]);
    expect(shown(window)).toEqual([[1, 'ada', 30]]);
  });

  it('shows a snapshot in parts only when the last one came, and drops parts of another', () => {
    const window = new PlacedWindow();
    const part = (seq: number, id: string, more: boolean) =>
      window.apply([32, 7, 900, seq, 1, 2, [[id.length, 30, null, id]], 1, more], null);
    expect(part(9, 'old', true)).toBe('partial');
    expect([part(10, 'a', true), window.hasState]).toEqual(['partial', false]);
    expect(part(10, 'bb', false)).toBe('applied');
    expect(shown(window)).toEqual([
      [1, 'a', 30],
      [2, 'bb', 30],
    ]);
  });

  it.each([
    ['a ref it does not know, without id', [[0, 99, 10]]],
    ['an index beyond the end', [[5, 2, 10, null, 'bo']]],
    ['an index below 0', [[-1, 2, 10, null, 'bo']]],
  ])('takes %s for a gap and keeps its rows', (_, placed) => {
    const window = new PlacedWindow();
    window.apply(topSnapshot(7, 900, 10, [[1, 30, 'ada']]), null);
    expect(window.apply([33, 7, 11, 1, [1], placed as never, null, null, 1], null)).toBe('gap');
    expect(shown(window)).toEqual([[1, 'ada', 30]]);
    expect(window.read(false).seq).toBe(10);
  });

  it('remembers the rank before a row last moved, also for rows that others pushed', () => {
    const window = new PlacedWindow();
    window.apply(topSnapshot(7, 900, 10, [[1, 30, 'ada'], [2, 20, 'bo'], [3, 10, 'cy']]), null); // biome-ignore format: one line
    window.apply([33, 7, 11, 1, [], [[0, 3, 40]], null, null, 1], null);
    window.apply([33, 7, 12, 1, [2], [[0, 4, 50, null, 'dee']], null, null, 1], null);
    expect(window.read(false).entries.map(({ playerId, prevRank }) => [playerId, prevRank])).toEqual([
      ['dee', null],
      ['cy', 1],
      ['ada', 2],
    ]);
  });

  it('goes on apart from its copy, and leaves the parts it has gathered to itself', () => {
    const window = new PlacedWindow();
    window.apply(topSnapshot(7, 900, 10, [[1, 30, 'ada'], [2, 20, 'bo']]), null); // biome-ignore format: one line
    window.apply([32, 7, 901, 1, 1, 1, [[5, 1, null, 'eve']], 1, true], null);
    const copy = window.copy();
    expect([copy.position, copy.isGathering, shown(copy)]).toEqual([window.position, false, shown(window)]);
    copy.apply([33, 7, 11, 1, [], [[0, 2, 40]], null, null, 1], null);
    expect(shown(copy)).toEqual([[1, 'bo', 40], [2, 'ada', 30]]); // biome-ignore format: one line
    expect(shown(window)).toEqual([[1, 'ada', 30], [2, 'bo', 20]]); // biome-ignore format: one line
    expect([window.position?.seq, window.isGathering]).toEqual([10, true]);
  });

  it('keeps the frozen entries of rows that did not change', () => {
    const window = new PlacedWindow();
    window.apply(topSnapshot(7, 900, 10, [[1, 30, 'ada'], [2, 20, 'bo']]), null); // biome-ignore format: one line
    const [before] = window.read(false).entries;
    window.apply([33, 7, 11, 1, [], [[1, 2, 25]], null, null, 1], null);
    expect(window.read(false).entries[0]).toBe(before);
  });
});
