import { expect, it } from 'vitest';
import { chooseFriendPairs, friendsOfEach } from '../../loadtest/lib/friend-pairs.js';
import { seededRandom } from '../../loadtest/lib/zipf.js';

it.each([
  [500, 50, 12_500],
  [10, 9, 45],
  [10, 8, 40],
  [3, 0, 0],
])('gives %i players %i friends on average, by %i pairs', (players, friends, pairs) => {
  const chosen = chooseFriendPairs(players, friends, seededRandom(1));
  expect(chosen).toHaveLength(pairs);
  expect(new Set(chosen.map(([one, other]) => `${one} ${other}`)).size).toBe(pairs);
  expect(chosen.every(([one, other]) => one < other && one >= 0 && other < players)).toBe(true);
});

it('chooses the same pairs for the same seed, and others for another', () => {
  const choose = (seed: number) => chooseFriendPairs(100, 10, seededRandom(seed));
  expect(choose(7)).toEqual(choose(7));
  expect(choose(7)).not.toEqual(choose(8));
});

it('counts a friendship for both', () => {
  expect(
    friendsOfEach(4, [
      [0, 1],
      [0, 2],
    ]),
  ).toEqual([[1, 2], [0], [0], []]);
});
