import { expect, it } from 'vitest';
import { parseCpuSec, parseRssBytes, readProcessCost } from '../../loadtest/lib/process-cost.js';

it('reads user and system time after a name that looks like fields', () => {
  const stat = '77 (a) b (c 1) S 1 77 77 0 -1 4194560 500 0 0 0 250 50 0 0 20 0 11 0 900 1 1';
  expect(parseCpuSec(stat)).toBe(3);
});

it('reads the resident memory', () => {
  expect(parseRssBytes('Name:\tnode\nVmRSS:\t    2048 kB\nThreads:\t1\n')).toBe(2_097_152);
});

it('says that it does not know where there is no such process', () => {
  expect(readProcessCost(2 ** 30)).toEqual({ cpuSec: Number.NaN, rssBytes: Number.NaN });
});
