import { describe, expect, it } from 'vitest';
import { FrameBudget } from '../../src/gateway/frame-budget.js';

function answers(budget: FrameBudget, count: number, now: number, bytes: number): string[] {
  return Array.from({ length: count }, () => budget.take(now, bytes));
}

describe('FrameBudget', () => {
  it('takes as many frames as it allows, refuses up to twice as many, and calls more than that far over', () => {
    const budget = new FrameBudget({ frames: 3, bytes: 1_000 });
    expect(answers(budget, 8, 0, 1)).toEqual([
      ...['within', 'within', 'within'],
      ...['over', 'over', 'over'],
      ...['far-over', 'far-over'],
    ]);
  });

  it('counts bytes in the same way, however few frames bring them', () => {
    const budget = new FrameBudget({ frames: 100, bytes: 1_000 });
    expect([1_000, 1, 999, 1].map((bytes) => budget.take(0, bytes))).toEqual(['within', 'over', 'over', 'far-over']);
  });

  it('counts what it refused as well: going on is what gets a client closed', () => {
    const budget = new FrameBudget({ frames: 2, bytes: 100 });
    expect([150, 30, 30].map((bytes) => budget.take(0, bytes))).toEqual(['over', 'over', 'far-over']);
  });

  it('begins anew after its window, and not before', () => {
    const budget = new FrameBudget({ frames: 1, bytes: 100 });
    expect(budget.take(5, 100)).toBe('within');
    expect(budget.take(4 + budget.windowMs, 1)).toBe('over');
    expect(budget.take(5 + budget.windowMs, 100)).toBe('within');
  });
});
