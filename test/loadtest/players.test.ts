import { expect, it } from 'vitest';
import { ResultPlanner } from '../../loadtest/lib/players.js';
import { seededRandom } from '../../loadtest/lib/zipf.js';

function newPlanner(improve: number, maxPoints = 2_097_151): ResultPlanner {
  return new ResultPlanner({ players: 20, maxPoints, improve, spread: 'uniform', random: seededRandom(3) });
}

it('gives each player one first result', () => {
  const first = newPlanner(1).firstResults();
  expect(first.map(({ player }) => player.playerId)).toEqual(Array.from({ length: 20 }, (_, i) => `player-${i}`));
  expect(first.every(({ player, points }) => points === player.best && points > 0)).toBe(true);
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
    const { player, points, improves } = planner.next();
    const before = best.get(player.playerId) ?? 0;
    expect(points > before).toBe(improves);
    best.set(player.playerId, Math.max(before, points));
    if (improves) improved += 1;
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
