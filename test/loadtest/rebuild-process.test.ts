import { expect, it } from 'vitest';
import { findReport } from '../../loadtest/lib/rebuild-process.js';

it('finds the line that says what was rebuilt', () => {
  const out = 'rebuilt board=arena season=1 entries=500000 seconds=12.345 rate=40502\n';
  expect(findReport(out)).toEqual({ entries: 500_000, seconds: 12.345 });
});

it('finds none in what a command says that did not end well', () => {
  expect(findReport('')).toBeNull();
  expect(findReport('rankcast: PostgreSQL is away\n')).toBeNull();
});
