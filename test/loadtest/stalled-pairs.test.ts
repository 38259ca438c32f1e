import { expect, it } from 'vitest';
import { chooseStalledPairs } from '../../loadtest/bench/stalled/audience.js';
import { readStalledOptions } from '../../loadtest/bench/stalled/options.js';
import { friendsOfEach } from '../../loadtest/lib/friend-pairs.js';
import { seededRandom } from '../../loadtest/lib/zipf.js';

it('who stops is a friend of all who have no socket, and of nobody who reads', () => {
  const options = readStalledOptions(['--sockets', '30', '--stalled', '3', '--resumed', '1', '--players', '50']);
  const friends = friendsOfEach(options.players, chooseStalledPairs(options, seededRandom(1)));
  const withoutSocket = Array.from({ length: 20 }, (_, step) => 30 + step);
  for (const stopping of friends.slice(0, 3)) expect(stopping).toEqual(withoutSocket);
  for (const reading of friends.slice(3, 30)) expect(reading.every((index) => index >= 3)).toBe(true);
});

it('no more sockets read again than stop', () => {
  expect(() => readStalledOptions(['--stalled', '3', '--resumed', '4'])).toThrow('--resumed');
});
