import { expect, it } from 'vitest';
import { readVerifyArguments } from '../../src/app/verify-arguments.js';
import { UsageError } from '../../src/domain/errors.js';

it('has defaults for everything, and a seed of its own', () => {
  const order = readVerifyArguments([], () => 0.5);
  expect(order).toMatchObject({ url: 'http://localhost:8080', boardId: 'arena', unitMs: 100, settleMs: 30_000 });
  expect(order?.shape).toMatchObject({ clients: 50, players: 200, rate: 200, rounds: 6, seed: 2_147_483_647 });
});

it('takes what is given', () => {
  const args = [
    '--url',
    'https://a.example/x/',
    '--board',
    'sprint',
    '--clients',
    '3',
    '--minutes',
    '0.5',
    '--seed',
    '7',
  ];
  const order = readVerifyArguments(args);
  expect(order).toMatchObject({ url: 'https://a.example/x', boardId: 'sprint' });
  expect(order?.shape).toMatchObject({ clients: 3, players: 12, rounds: 3, seed: 7 });
});

it('asks for help', () => {
  expect(readVerifyArguments(['--help'])).toBeNull();
});

it.each([
  [['--clients', '0']],
  [['--clients', '1001']],
  [['--minutes', 'long']],
  [['--seed', '1.5']],
  [['--rate', '1e9']],
  [['--clients', '10', '--players', '9']],
  [['--url', 'ftp://a.example']],
  [['--sead', '7']],
  [['stray']],
])('refuses %j in one sentence', (args) => {
  expect(() => readVerifyArguments(args)).toThrow(UsageError);
  expect(() => readVerifyArguments(args)).toThrow(/^[^\n]+$/);
});
