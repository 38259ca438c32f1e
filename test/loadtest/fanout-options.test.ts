import { expect, it } from 'vitest';
import { readFanoutOptions } from '../../loadtest/lib/fanout-options.js';

it('has the load of the targets as its default', () => {
  expect(readFanoutOptions([])).toEqual({
    sockets: 500,
    friends: 50,
    rate: 500,
    seconds: 20,
    warmup: 10,
    seed: 1,
    improve: 0.2,
    topShare: 0.1,
    spread: 'uniform',
    tick: null,
  });
});

it('takes every option', () => {
  const args =
    '--sockets 9 --friends 8 --rate 7 --seconds 6 --warmup 0 --seed 5 --improve 0.4 --top-share 0.5 --spread zipf --tick 10';
  expect(readFanoutOptions(args.split(' '))).toEqual({
    sockets: 9,
    friends: 8,
    rate: 7,
    seconds: 6,
    warmup: 0,
    seed: 5,
    improve: 0.4,
    topShare: 0.5,
    spread: 'zipf',
    tick: 10,
  });
});

it.each([
  [['--rate', 'fast'], '--rate must be a whole number from 1 to 1000000, not "fast"'],
  [['--rate', ''], '--rate must be a whole number from 1 to 1000000, not ""'],
  [['--seconds', '1.5'], '--seconds must be a whole number from 1 to 3600, not "1.5"'],
  [['--improve', '2'], '--improve must be a number from 0 to 1, not "2"'],
  [['--tick', '0'], '--tick must be a whole number from 1 to 1000, not "0"'],
  [['--spread', 'even'], '--spread must be uniform or zipf, not "even"'],
  [['--sockets', '50'], '--friends 50 must be below --sockets 50: friends are players, too'],
  [['--socket', '50'], "Unknown option '--socket'"],
])('refuses %j in a sentence', (args, sentence) => {
  expect(() => readFanoutOptions(args)).toThrow(sentence);
});
