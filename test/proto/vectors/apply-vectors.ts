/** Source of apply.json: frames of one topic in order, and the window that they must leave behind. Expectations are written by hand. */

import { unplacedVectors } from './apply-unplaced-vectors.js';

export interface ApplyVector {
  readonly name: string;
  readonly window: 'placed' | 'unplaced';
  /** Decoded SNAPSHOT and DELTA frames. */
  readonly frames: readonly (readonly unknown[])[];
  readonly expect: {
    /** In the order shown. */
    readonly entries: readonly (readonly [playerId: string, score: number | null, rank: number | null])[];
    /** How many RESYNC frames the client sends. */
    readonly resyncs: number;
  };
}

const T = 7;
const E = 305_419_896;
const AT = 1_791_828_201_417;

/** Ada 1518, Bo 1500, Cy 1490 at seq 41, refs 1 to 3. */
const THREE = [
  [1, 1_518, null, 'ada', 'Ada'],
  [2, 1_500, null, 'bo', 'Bo'],
  [3, 1_490, null, 'cy', null],
];
const snapshot = (seq: number, entries: readonly unknown[], epoch = E, first = 1): unknown[] => {
  return [32, T, epoch, seq, first, 90_210, entries, AT];
};
const delta = (seq: number, span: number, removed: readonly number[], placed: readonly unknown[]): unknown[] => {
  return [33, T, seq, span, removed, placed, null, null, AT];
};
const placed = (name: string, frames: ApplyVector['frames'], expect: ApplyVector['expect']): ApplyVector => {
  return { name, window: 'placed', frames, expect };
};

const placedVectors: readonly ApplyVector[] = [
  placed('an empty list, then its first entry', [snapshot(0, []), delta(1, 1, [], [[0, 1, 10, null, 'ada', 'Ada']])], {
    entries: [['ada', 10, 1]],
    resyncs: 0,
  }),
  placed(
    'a snapshot in parts, applied at the last',
    [
      [32, T, E, 41, 1, 90_210, THREE.slice(0, 2), AT, true],
      [32, T, E, 41, 1, 90_210, THREE.slice(2), AT],
    ],
    {
      entries: [
        ['ada', 1_518, 1],
        ['bo', 1_500, 2],
        ['cy', 1_490, 3],
      ],
      resyncs: 0,
    },
  ),
  placed(
    'a snapshot in parts that another one overtakes',
    [[32, T, E, 41, 1, 90_210, THREE.slice(0, 2), AT, true], snapshot(42, [[3, 1_700, null, 'cy', null]])],
    { entries: [['cy', 1_700, 1]], resyncs: 0 },
  ),
  placed(
    'a move up: the row is taken out first, then placed',
    [snapshot(41, THREE), delta(42, 1, [], [[0, 3, 1_600]])],
    {
      entries: [
        ['cy', 1_600, 1],
        ['ada', 1_518, 2],
        ['bo', 1_500, 3],
      ],
      resyncs: 0,
    },
  ),
  placed('a move down', [snapshot(41, THREE), delta(42, 1, [], [[2, 1, 1_400]])], {
    entries: [
      ['bo', 1_500, 1],
      ['cy', 1_490, 2],
      ['ada', 1_400, 3],
    ],
    resyncs: 0,
  }),
  placed(
    'one enters, one leaves, and the one who left comes back under a tail',
    [
      snapshot(41, THREE),
      delta(42, 1, [3], [[0, 9, 1_600, null, 'dee', 'Dee']]),
      delta(43, 1, [2], [[1, 3, 1_550, null, 'cy', 'Cy']]),
    ],
    {
      entries: [
        ['dee', 1_600, 1],
        ['cy', 1_550, 2],
        ['ada', 1_518, 3],
      ],
      resyncs: 0,
    },
  ),
  placed(
    'all places change at once, two of them tied',
    [
      snapshot(41, THREE),
      delta(
        44,
        3,
        [],
        [
          [0, 3, 1_700],
          [1, 2, 1_600],
          [2, 1, 1_600],
        ],
      ),
    ],
    {
      entries: [
        ['cy', 1_700, 1],
        ['bo', 1_600, 2],
        ['ada', 1_600, 3],
      ],
      resyncs: 0,
    },
  ),
  placed(
    'a duplicate is dropped',
    [snapshot(41, THREE), delta(42, 1, [], [[0, 3, 1_600]]), delta(42, 1, [], [[0, 2, 9_999]])],
    {
      entries: [
        ['cy', 1_600, 1],
        ['ada', 1_518, 2],
        ['bo', 1_500, 3],
      ],
      resyncs: 0,
    },
  ),
  placed(
    'a jump of seq is no gap where the span reaches back to the window',
    [snapshot(41, THREE), delta(241, 200, [], [[0, 3, 1_600]])],
    {
      entries: [
        ['cy', 1_600, 1],
        ['ada', 1_518, 2],
        ['bo', 1_500, 3],
      ],
      resyncs: 0,
    },
  ),
  placed(
    'a merged delta whose first steps are known is applied',
    [snapshot(41, THREE), delta(42, 1, [], [[0, 3, 1_600]]), delta(45, 4, [], [[0, 3, 1_650]])],
    {
      entries: [
        ['cy', 1_650, 1],
        ['ada', 1_518, 2],
        ['bo', 1_500, 3],
      ],
      resyncs: 0,
    },
  ),
  placed(
    'a gap: asked once, deltas until the answer are dropped',
    [
      snapshot(41, THREE),
      delta(45, 3, [], [[0, 3, 1_600]]),
      delta(46, 1, [], [[0, 3, 1_601]]),
      delta(60, 2, [], [[0, 3, 1_602]]),
    ],
    {
      entries: [
        ['ada', 1_518, 1],
        ['bo', 1_500, 2],
        ['cy', 1_490, 3],
      ],
      resyncs: 1,
    },
  ),
  placed(
    'a gap and its repair, and a second gap',
    [
      snapshot(41, THREE),
      delta(45, 3, [], [[0, 3, 1_600]]),
      snapshot(45, [[3, 1_600, null, 'cy', null]]),
      delta(46, 1, [], [[1, 4, 1_580, null, 'eve', 'Eve']]),
      delta(50, 1, [], [[0, 4, 1_700]]),
    ],
    {
      entries: [
        ['cy', 1_600, 1],
        ['eve', 1_580, 2],
      ],
      resyncs: 2,
    },
  ),
  placed(
    'span 0: applied at the same seq, dropped below, a gap above',
    [
      snapshot(41, THREE),
      delta(41, 0, [], [[1, 2, 1_501]]),
      delta(40, 0, [], [[0, 2, 9_999]]),
      delta(42, 0, [], [[0, 2, 9_998]]),
    ],
    {
      entries: [
        ['ada', 1_518, 1],
        ['bo', 1_501, 2],
        ['cy', 1_490, 3],
      ],
      resyncs: 1,
    },
  ),
  placed(
    'a new epoch with a lower seq replaces the window, refs mean others',
    [snapshot(41, THREE), snapshot(2, [[1, 1_500, null, 'bo', 'Bo']], 77), delta(3, 1, [], [[0, 1, 1_777]])],
    { entries: [['bo', 1_777, 1]], resyncs: 0 },
  ),
  placed(
    'ranks begin at first, which a delta may change',
    [snapshot(41, THREE, E, 11), [33, T, 42, 1, [1], [[1, 3, 1_499]], 12, 90_211, AT]],
    {
      entries: [
        ['bo', 1_500, 12],
        ['cy', 1_499, 13],
      ],
      resyncs: 0,
    },
  ),
  placed(
    'a row without tail for a ref that is not there is a gap',
    [snapshot(41, THREE), delta(42, 1, [], [[0, 8, 1]])],
    {
      entries: [
        ['ada', 1_518, 1],
        ['bo', 1_500, 2],
        ['cy', 1_490, 3],
      ],
      resyncs: 1,
    },
  ),
  placed(
    'fields of later versions are ignored',
    [
      [32, T, E, 41, 1, 2, [[1, 1_518, null, 'ada', 'Ada', { flag: 'se' }, 5]], AT, null, 'more', [1]],
      [33, T, 42, 1, [], [[0, 1, 1_519, null, null, null, null, 5]], null, null, AT, 'more'],
    ],
    { entries: [['ada', 1_519, 1]], resyncs: 0 },
  ),
];

export const applyVectors: readonly ApplyVector[] = [...placedVectors, ...unplacedVectors];
