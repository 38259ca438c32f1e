import { expect, it } from 'vitest';
import { readRebuildOptions } from '../../loadtest/lib/rebuild-options.js';

it('has two million results of half a million players and a minute of load as its default', () => {
  expect(readRebuildOptions([])).toEqual({
    rows: 2_000_000,
    players: 500_000,
    days: 30,
    rule: 'best',
    sockets: 500,
    friends: 50,
    rate: 5_000,
    watchedShare: 0.1,
    improve: 0.2,
    seconds: 60,
    rounds: 1,
    warmup: 10,
    seed: 1,
  });
});

it('takes every option', () => {
  const args =
    '--rows 90 --players 80 --days 7 --rule sum --sockets 6 --friends 5 --rate 4 --watched-share 0.3 ' +
    '--improve 0.4 --seconds 3 --rounds 2 --warmup 1 --seed 0';
  expect(readRebuildOptions(args.split(' '))).toEqual({
    rows: 90,
    players: 80,
    days: 7,
    rule: 'sum',
    sockets: 6,
    friends: 5,
    rate: 4,
    watchedShare: 0.3,
    improve: 0.4,
    seconds: 3,
    rounds: 2,
    warmup: 1,
    seed: 0,
  });
});

it.each([
  [['--rule', 'most'], '--rule must be best or sum or latest, not "most"'],
  [['--rows', '10'], '--rows must be a whole number from 500000 to 1000000000, not "10"'],
  [['--players', '100'], '--sockets must be a whole number from 2 to 100, not "500"'],
  [['--sockets', '50'], '--friends must be a whole number from 0 to 49, not "50"'],
  [['--watched-share', '2'], '--watched-share must be a number from 0 to 1, not "2"'],
  [['--socket', '50'], "Unknown option '--socket'"],
])('refuses %j in a sentence', (args, sentence) => {
  expect(() => readRebuildOptions(args)).toThrow(sentence);
});
