import { expect, it } from 'vitest';
import { parseDuration } from '../../src/boards/durations.js';

it.each([
  ['0s', 0],
  ['500ms', 500],
  ['30s', 30_000],
  ['15m', 900_000],
  ['1h', 3_600_000],
  ['7d', 604_800_000],
])('reads %s', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

it.each(['', '5', 'h', '-1h', '1.5h', '1 h', '1H', '1w', '1h30m'])('does not read %j', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});
