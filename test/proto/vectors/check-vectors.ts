/**
 * Source of check.json: rows as shown and their checksum. The numbers were computed once with another language's zip
 * library over the bytes of PROTOCOL.md 7.7, not with check.ts.
 */

export interface CheckVector {
  readonly name: string;
  /** In the order shown: `[ref, score]` in a placed window, `[ref, score, rank]` in friends and me. */
  readonly rows: readonly (readonly [ref: number, score: number | null, rank?: number | null])[];
  readonly check: number;
}

export const checkVectors: readonly CheckVector[] = [
  { name: 'an empty window', rows: [], check: 0 },
  { name: 'top, one row', rows: [[1, 1518]], check: 1_675_720_933 },
  {
    name: 'top, three rows',
    rows: [
      [1, 1518],
      [2, 1500],
      [3, 1490],
    ],
    check: 2_042_348_413,
  },
  {
    name: 'the same rows in another order',
    rows: [
      [2, 1500],
      [1, 1518],
      [3, 1490],
    ],
    check: 4_037_507_870,
  },
  {
    name: 'top after the first delta of the walk-through',
    rows: [
      [9, 1600],
      [1, 1518],
      [2, 1500],
    ],
    check: 2_146_692_974,
  },
  { name: 'the largest ref, a score of zero', rows: [[4_294_967_295, 0]], check: 4_294_967_295 },
  {
    name: 'scores: 2^53-1, a fraction, zero, below zero',
    rows: [
      [1, 9_007_199_254_740_991],
      [2, 0.5],
      [3, 0],
      [4, -12],
    ],
    check: 2_143_417_422,
  },
  {
    name: 'equal scores',
    rows: [
      [70_000, 1600],
      [70_001, 1600],
    ],
    check: 2_526_660_994,
  },
  {
    name: 'friends with ranks',
    rows: [
      [70_000, 1518, 12],
      [70_002, 1400, 99],
    ],
    check: 1_021_867_861,
  },
  {
    name: 'friends, one without a score and a rank',
    rows: [
      [70_000, 1518, 12],
      [70_001, null, null],
    ],
    check: 884_800_482,
  },
  {
    name: 'friends, all without a score',
    rows: [
      [5, null, null],
      [6, null, null],
    ],
    check: 4_153_247_494,
  },
  { name: 'friends, one row: the rank is written also where it is nil', rows: [[1, 1518, null]], check: 165_258_673 },
  { name: 'me', rows: [[0, 1490, 311]], check: 2_951_849_174 },
  { name: 'me without a row on the list', rows: [[0, null, null]], check: 4_065_088_083 },
];
