import { describe, expect, it } from 'vitest';
import { type PlannedResult, planFriends, planRounds, ROUND_MS, type RunShape } from '../../src/verify/plan.js';

const SHAPE: RunShape = { seed: 1, clients: 10, players: 40, rate: 200, rounds: 4, maxPoints: 10_000 };

function plan(change: Partial<RunShape> = {}) {
  const shape = { ...SHAPE, ...change };
  return { friends: planFriends(shape), rounds: [...planRounds(shape)] };
}

function resultsOf(change: Partial<RunShape> = {}): PlannedResult[] {
  return plan(change).rounds.flatMap((steps) => steps.flatMap((step) => (step.kind === 'results' ? step.results : [])));
}

describe('a plan', () => {
  it('follows from the seed alone', () => {
    expect(plan()).toEqual(plan());
    expect(plan({ seed: 2 })).not.toEqual(plan());
  });

  it('begins in the same way, however long the run is', () => {
    expect(plan({ rounds: 8 }).rounds[0]).toEqual(plan().rounds[0]);
  });

  it('has steps of every kind, in order and within the time of a round', () => {
    const { rounds } = plan();
    const kinds = new Set(rounds.flatMap((steps) => steps.map(({ kind }) => kind)));
    expect([...kinds].sort()).toEqual(
      [
        'results',
        'void',
        'correct',
        'hide',
        'unhide',
        'befriend',
        'unfriend',
        'disconnect',
        'reopen',
        'stall',
        'rebuild',
      ].sort(),
    );
    for (const steps of rounds) {
      const times = steps.map(({ atMs }) => atMs);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(times.at(-1)).toBeLessThan(ROUND_MS);
    }
  });

  it('rebuilds once', () => {
    expect(
      plan()
        .rounds.flat()
        .filter(({ kind }) => kind === 'rebuild'),
    ).toHaveLength(1);
  });

  it('has good, repeated, conflicting and bad results at the asked rate, and many equal points', () => {
    const results = resultsOf();
    const perSec = results.length / ((SHAPE.rounds * ROUND_MS) / 1_000);
    expect(perSec).toBeGreaterThan(195);
    expect(perSec).toBeLessThan(210);
    expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(['good', 'repeat', 'conflict', 'bad']));
    const points = results.flatMap((result) => (result.kind === 'good' ? [result.points] : []));
    expect(new Set(points).size).toBeLessThan(0.6 * points.length);
  });

  it('repeats only what it has played before', () => {
    const played = new Set<number>();
    for (const result of resultsOf()) {
      if (result.kind === 'good') {
        expect(played.has(result.match)).toBe(false);
        played.add(result.match);
      } else if (result.kind !== 'bad') expect(played.has(result.match)).toBe(true);
    }
  });

  it('befriends nobody with himself', () => {
    const { friends, rounds } = plan({ players: 10 });
    expect(friends.filter(([a, b]) => a === b)).toEqual([]);
    const own = rounds.flat().filter((step) => 'friend' in step && step.player === step.friend);
    expect(own).toEqual([]);
  });
});
