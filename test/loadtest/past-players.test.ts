import { describe, expect, it } from 'vitest';
import { PastPlanner } from '../../loadtest/lib/past-players.js';
import { playerIdOf } from '../../loadtest/lib/past-results.js';
import { Standings } from '../../loadtest/lib/standings.js';
import { seededRandom } from '../../loadtest/lib/zipf.js';
import { scoreLayout } from '../../src/domain/packed-score.js';
import type { Rule } from '../../src/domain/rules.js';
import { LONG_SEASON, pointsUpTo } from '../support/definitions.js';

const PLAYERS = 200;
const WATCHED = 10;
const STARTS_AT = LONG_SEASON.startsAt + 86_400_000;
const LAYOUT = scoreLayout(pointsUpTo(2_097_151), LONG_SEASON);

function newPlanner(rule: Rule, watchedShare = 0.5): { planner: PastPlanner; standings: Standings } {
  const standings = new Standings(LAYOUT, rule);
  for (let index = 0; index < PLAYERS; index++) {
    standings.merge({ playerId: playerIdOf(index), points: 1_000 * (index + 1), achievedAt: LONG_SEASON.startsAt });
  }
  const random = seededRandom(7);
  const size = { players: PLAYERS, watched: WATCHED, maxPoints: 2_097_151 };
  return { planner: new PastPlanner({ rule, standings, ...size, watchedShare, improve: 0.2, random }), standings };
}

describe.each(['best', 'sum', 'latest'] as const)('results under rule %s', (rule) => {
  it('are told to the watched exactly where they change his points, with the points after it', () => {
    const { planner } = newPlanner(rule);
    const { standings } = newPlanner(rule);
    const watched = new Set(planner.watched.map(({ playerId }) => playerId));
    let changed = 0;
    for (let step = 0; step < 2_000; step++) {
      const achievedAt = STARTS_AT + step * LAYOUT.unitMs;
      const { playerId, points, shown } = planner.next(achievedAt);
      const before = standings.pointsOf(playerId);
      const after = standings.merge({ playerId, points, achievedAt });
      if (after !== before) changed += 1;
      expect(shown?.points ?? null).toBe(watched.has(playerId) && after !== before ? after : null);
      shown?.due.add(shown.points, step);
    }
    // A fifth of them, give or take what chance does.
    expect(changed).toBeGreaterThan(320);
    expect(changed).toBeLessThan(480);
  });
});

it('are played by the watched alone for their share, by everybody for the rest', () => {
  const { planner } = newPlanner('best', 1);
  const watched = new Set(planner.watched.map(({ playerId }) => playerId));
  for (let step = 0; step < 100; step++) expect(watched).toContain(planner.next(STARTS_AT + step).playerId);
  const { planner: open } = newPlanner('best', 0);
  const playing = new Set(Array.from({ length: 2_000 }, (_, step) => open.next(STARTS_AT + step).playerId));
  expect(playing.size).toBeGreaterThan(PLAYERS * 0.9);
});
