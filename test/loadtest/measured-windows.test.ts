import { expect, it } from 'vitest';
import { MeasuredWindows } from '../../loadtest/lib/measured-windows.js';

it('a result counts in the window in which it is due, whenever it is shown', () => {
  const windows = new MeasuredWindows<'before' | 'during'>();
  windows.begin('before', 100);
  windows.begin('during', 200);
  windows.record(199, 250);
  windows.record(200, 207);
  expect([windows.of('before').count, windows.of('during').count]).toEqual([1, 1]);
  expect(windows.of('before').maxMs).toBeCloseTo(51, 1);
  expect(windows.of('during').maxMs).toBeCloseTo(7, 1);
});

it('windows of one kind are counted together, and what lies outside all of them is not', () => {
  const windows = new MeasuredWindows<'before' | 'during'>();
  windows.record(50, 51);
  windows.begin('before', 100);
  windows.begin('during', 200);
  windows.begin('before', 300);
  windows.begin(null, 400);
  for (const dueAtMs of [99, 150, 350, 399, 400, 500]) windows.record(dueAtMs, dueAtMs + 1);
  expect([windows.of('before').count, windows.of('during').count]).toEqual([3, 0]);
});
