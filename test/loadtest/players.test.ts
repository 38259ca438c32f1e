import { expect, it } from 'vitest';
import { ResultPlanner } from '../../loadtest/lib/players.js';
import { seededRandom } from '../../loadtest/lib/zipf.js';

function newPlanner(improve: number, maxPoints = 2_097_151): ResultPlanner {
  return new ResultPlanner({ players: 20, maxPoints, improve, spread: 'uniform', random: seededRandom(3) });
}

it('gives each player one first result', () => {
  const planner = newPlanner(1);
  const first = planner.firstResults();
  expect(first.map(({ playerId }) => playerId)).toEqual(Array.from({ length: 20 }, (_, i) => `player-${i}`));
  expect(first.map(({ points }) => points)).toEqual(planner.players.map(({ best }) => best));
  expect(first.every(({ points }) => points > 0)).toBe(true);
});

it.each([
  [1, 1_000, 1_000],
  [0, 0, 0],
  [0.25, 180, 320],
])('with an improving share of %d has between %i and %i of 1,000 results beat the best before', (share, min, max) => {
  const planner = newPlanner(share);
  planner.firstResults();
  const best = new Map(planner.players.map((player) => [player.playerId, player.best]));
  let improved = 0;
  for (let i = 0; i < 1_000; i++) {
    const { playerId, points, shown } = planner.next();
    const before = best.get(playerId) ?? 0;
    expect(points > before).toBe(shown !== null);
    best.set(playerId, Math.max(before, points));
    if (shown !== null) improved += 1;
  }
  expect(improved).toBeGreaterThanOrEqual(min);
  expect(improved).toBeLessThanOrEqual(max);
});

it('never goes above the points that the mode takes', () => {
  const planner = newPlanner(1, 101_000);
  planner.firstResults();
  const points = Array.from({ length: 1_000 }, () => planner.next().points);
  expect(Math.max(...points)).toBeLessThanOrEqual(101_000);
});
