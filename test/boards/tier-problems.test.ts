/** What a file may say about tiers. */

import { describe, expect, it } from 'vitest';
import { readBoards } from '../../src/boards.js';
import { StartRefusedError } from '../../src/domain/errors.js';
import { fileWith } from './keys-fixture.js';

function tiersOf(tiers: readonly object[], order: 'high' | 'low' = 'high') {
  return readBoards(fileWith({ keys: [{ field: 'kills', order }], tiers })).boards[0]?.tiers;
}

describe('the tiers of a board', () => {
  it('are none where nothing is said', () => {
    expect(tiersOf([])).toBe(null);
  });

  it('are kept in their order, by points of the first key or by percent', () => {
    const points = [
      { name: 'Gold', points: 50 },
      { name: 'Bronze', points: 0 },
    ];
    const steps = points.map(({ name, points: limit }) => ({ name, limit }));
    expect(tiersOf(points)).toEqual({ measure: 'points', steps, isLow: false });
    expect(tiersOf(points.toReversed(), 'low')).toEqual({ measure: 'points', steps: steps.toReversed(), isLow: true });
    expect(tiersOf([{ name: 'Top', topPercent: 0.07 }])).toEqual({
      ...{ measure: 'top-percent', isLow: false },
      steps: [{ name: 'Top', limit: 0.07 }],
    });
  });

  it.each([
    [
      [
        { name: 'a', points: 5 },
        { name: 'b', points: 5 },
      ],
      'tiers[1]: 5 is not easier than the 5 of a',
    ],
    [
      [
        { name: 'a', points: 5 },
        { name: 'b', points: 6 },
      ],
      'put the best tier first',
    ],
    [
      [
        { name: 'a', topPercent: 5 },
        { name: 'b', topPercent: 1 },
      ],
      'tiers[1]: 1 is not easier than the 5 of a',
    ],
    [
      [
        { name: 'a', points: 5 },
        { name: 'b', topPercent: 1 },
      ],
      'tiers[1]: all tiers of a board are by points, or all by',
    ],
    [[{ name: 'a' }], 'tiers[0]: must have points or topPercent, one of them'],
    [[{ name: 'a', points: 1, topPercent: 1 }], 'tiers[0]: must have points or topPercent, one of them'],
    [
      [
        { name: 'a', points: 5 },
        { name: 'a', points: 1 },
      ],
      'tiers[1].name: a is there already',
    ],
    [[{ name: ' ', points: 5 }], 'tiers[0].name: must be a name of 1 to 32 characters'],
    [[{ name: 'a', topPercent: 0 }], 'tiers[0].topPercent: must be a number above 0'],
    [[{ name: 'a', topPercent: 100.01 }], 'tiers[0].topPercent: must be a number above 0'],
    [[{ name: 'a', topPercent: 0.001 }], 'in steps of 0.01'],
    [[{ name: 'a', toppercent: 1 }], 'toppercent is not a key of this version (did you mean topPercent?)'],
    [Array.from({ length: 17 }, (_, index) => ({ name: `${index}`, points: 100 - index })), 'at most 16 tiers'],
  ])('are refused: %j', (tiers, why) => {
    expect(() => tiersOf(tiers)).toThrow(StartRefusedError);
    expect(() => tiersOf(tiers)).toThrow(why);
  });
});
