/** The unplaced half of apply.json: friends windows, sorted by the client. */

import type { ApplyVector } from './apply-vectors.js';

const T = 8;
const E = 305_419_896;
const AT = 1_791_828_201_417;
/** Packed score of some points, at a time that makes `later` smaller. */
const order = (points: number, later = 0): number => points * 2 ** 32 + (2 ** 32 - 1 - later);

type Row = readonly unknown[];
const ranked = (ref: number, points: number, rank: number, tail: readonly unknown[] = [], later = 0): Row => {
  return [ref, points, rank, null, order(points, later), AT, ...tail];
};
const unranked = (ref: number, tail: readonly unknown[] = []): Row => [ref, null, null, null, null, null, ...tail];

const snapshot = (seq: number, rows: readonly Row[], epoch = E): unknown[] => [32, T, epoch, seq, 1, 90_210, rows, AT];
const delta = (seq: number, span: number, removed: readonly number[], rows: readonly Row[]): unknown[] => {
  return [33, T, seq, span, removed, rows, null, null, AT];
};
const unplaced = (name: string, frames: ApplyVector['frames'], expect: ApplyVector['expect']): ApplyVector => {
  return { name, window: 'unplaced', frames, expect };
};

const THREE = [ranked(1, 300, 40, ['ada', 'Ada']), unranked(2, ['bo', 'Bo']), ranked(3, 200, 90, ['cy', null])];

export const unplacedVectors: readonly ApplyVector[] = [
  unplaced('rows come in any order; those without a place stand last', [snapshot(41, THREE)], {
    entries: [
      ['ada', 300, 40],
      ['cy', 200, 90],
      ['bo', null, null],
    ],
    resyncs: 0,
  }),
  unplaced(
    'ties by the bytes of the id: descending with a place, ascending without; an emoji is above a full-width letter',
    [
      snapshot(41, [
        ranked(1, 300, 4, ['Ａ', null]),
        ranked(2, 300, 3, ['🙂', null]),
        ranked(3, 300, 6, ['ab', null]),
        ranked(4, 300, 7, ['a', null]),
        ranked(5, 300, 5, ['é', null]),
        unranked(6, ['🙃', null]),
        unranked(7, ['Ｚ', null]),
        unranked(8, ['z', null]),
      ]),
    ],
    {
      entries: [
        ['🙂', 300, 3],
        ['Ａ', 300, 4],
        ['é', 300, 5],
        ['ab', 300, 6],
        ['a', 300, 7],
        ['z', null, null],
        ['Ｚ', null, null],
        ['🙃', null, null],
      ],
      resyncs: 0,
    },
  ),
  unplaced(
    'equal points: the earlier time is above, because order says so',
    [snapshot(41, [ranked(1, 300, 2, ['zz', null], 500), ranked(2, 300, 1, ['aa', null], 100)])],
    {
      entries: [
        ['aa', 300, 1],
        ['zz', 300, 2],
      ],
      resyncs: 0,
    },
  ),
  unplaced(
    'a row goes up, another gets its first place',
    [snapshot(41, THREE), delta(43, 2, [], [ranked(3, 310, 38), ranked(2, 250, 70)])],
    {
      entries: [
        ['cy', 310, 38],
        ['ada', 300, 40],
        ['bo', 250, 70],
      ],
      resyncs: 0,
    },
  ),
  unplaced('a row loses its place', [snapshot(41, THREE), delta(42, 1, [], [unranked(1)])], {
    entries: [
      ['cy', 200, 90],
      ['ada', null, null],
      ['bo', null, null],
    ],
    resyncs: 0,
  }),
  unplaced(
    'a row is replaced as a whole; id and name stay where there is no tail',
    [
      snapshot(41, THREE),
      delta(42, 1, [], [ranked(3, 220, 80)]),
      delta(43, 1, [], [ranked(3, 240, 75, ['cy', 'Cyrus'])]),
    ],
    {
      entries: [
        ['ada', 300, 40],
        ['cy', 240, 75],
        ['bo', null, null],
      ],
      resyncs: 0,
    },
  ),
  unplaced(
    'span 0 restates ranks that others moved',
    [snapshot(41, THREE), delta(41, 0, [], [ranked(1, 300, 41), ranked(3, 200, 91)])],
    {
      entries: [
        ['ada', 300, 41],
        ['cy', 200, 91],
        ['bo', null, null],
      ],
      resyncs: 0,
    },
  ),
  unplaced('span 0 above the window is a gap', [snapshot(41, THREE), delta(42, 0, [], [ranked(1, 300, 41)])], {
    entries: [
      ['ada', 300, 40],
      ['cy', 200, 90],
      ['bo', null, null],
    ],
    resyncs: 1,
  }),
  unplaced(
    'the friend list changed: a snapshot with the same epoch and seq replaces the window',
    [
      snapshot(41, THREE),
      snapshot(41, [ranked(3, 200, 90, ['cy', null]), ranked(4, 100, 400, ['dee', 'Dee'])]),
      delta(42, 1, [], [ranked(4, 201, 89)]),
    ],
    {
      entries: [
        ['dee', 201, 89],
        ['cy', 200, 90],
      ],
      resyncs: 0,
    },
  ),
  unplaced(
    'removed rows go, new ones come with their tail',
    [snapshot(41, THREE), delta(42, 1, [2, 1], [ranked(9, 100, 500, ['eve', 'Eve'])])],
    {
      entries: [
        ['cy', 200, 90],
        ['eve', 100, 500],
      ],
      resyncs: 0,
    },
  ),
  unplaced(
    'a row without tail for a ref that is not there is a gap',
    [snapshot(41, THREE), delta(42, 1, [], [ranked(9, 100, 500)])],
    {
      entries: [
        ['ada', 300, 40],
        ['cy', 200, 90],
        ['bo', null, null],
      ],
      resyncs: 1,
    },
  ),
  unplaced(
    'duplicate, merged, gap, repair',
    [
      snapshot(41, THREE),
      delta(42, 1, [], [ranked(1, 301, 39)]),
      delta(42, 1, [], [ranked(1, 999, 1)]),
      delta(44, 3, [], [ranked(1, 302, 38)]),
      delta(47, 2, [], [ranked(1, 303, 37)]),
      snapshot(47, [ranked(1, 303, 37, ['ada', 'Ada'])]),
      delta(48, 1, [], [ranked(1, 304, 36)]),
    ],
    { entries: [['ada', 304, 36]], resyncs: 1 },
  ),
];
