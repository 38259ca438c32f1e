import { expect, it } from 'vitest';
import type { Position } from '../../src/domain/log-record.js';
import { BoardAdvance } from '../../src/rebuild/board-advance.js';

/** Of partitions 0, 1, ... */
const at = (...nexts: number[]): Position[] => nexts.map((next, partition) => ({ source: 'kafka:t', partition, next }));

it('a board is there where it is as far as truth', () => {
  expect(new BoardAdvance(at(5, 5), at(5, 5), 1_000).look(at(5, 7), 0)).toBe('there');
});

it('a board that comes on is waited for until it is no longer below the floor', () => {
  const advance = new BoardAdvance(at(8), at(9), 1_000);
  const looks = [2, 3, 5, 8].map((next, index) => advance.look(at(next), index * 900));
  expect(looks).toEqual(['coming', 'coming', 'coming', 'there']);
});

it('a board without a floor is there as soon as it moves', () => {
  const advance = new BoardAdvance([], at(9), 1_000);
  expect([advance.look(at(2), 0), advance.look(at(2), 900), advance.look(at(3), 950)]).toEqual([
    'coming',
    'coming',
    'there',
  ]);
});

it('a board stands where one partition does, while others go on', () => {
  const advance = new BoardAdvance(at(50, 50), at(50, 50), 1_000);
  expect(advance.look(at(2, 10), 0)).toBe('coming');
  expect(advance.look(at(2, 20), 999)).toBe('coming');
  expect(advance.look(at(2, 30), 1_000)).toBe('standing');
});
