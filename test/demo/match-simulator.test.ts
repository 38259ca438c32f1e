import { afterEach, expect, it, vi } from 'vitest';
import { MatchSimulator } from '../../src/demo/match-simulator.js';
import type { Mode } from '../../src/domain/board.js';
import { judgeResult } from '../../src/domain/result.js';
import { boardSet } from '../results/log-fixture.js';

afterEach(() => {
  vi.useRealTimers();
});

it.each<[string, Mode]>([
  ['one field', { mode: 'arena', fields: { points: { min: 0, max: 2_097_151 } } }],
  [
    'several fields, narrow ones among them',
    { mode: 'race', fields: { points: { min: 0, max: 9 }, timeMs: { min: 60_000, max: 90_000 } } },
  ],
])('plays matches that the server accepts: %s', async (_, mode) => {
  vi.useFakeTimers();
  const values: unknown[] = [];
  const simulator = new MatchSimulator({
    append: async (records) =>
      void values.push(...records.map(({ value }) => JSON.parse(Buffer.from(value).toString()))),
    players: ['a', 'b'],
    mode,
    rate: 100,
    onError: (error) => {
      throw error;
    },
  });
  simulator.start();
  await vi.advanceTimersByTimeAsync(1_000);
  simulator.stop();
  expect(values.length).toBeGreaterThan(50);
  const verdicts = values.map((value) => judgeResult(value, Date.now(), { ...boardSet, modes: [mode] }));
  expect(verdicts.filter(({ accepted }) => !accepted)).toEqual([]);
});
