/** The fixtures of the cases: season s9, a broker time in it, and a result achieved at that moment. */

import type { BoardSet } from '../../src/domain/board.js';

/** 2026-04-01T00:00:00Z. */
export const AT = 1_775_001_600_000;
export const DAY_MS = 86_400_000;
export const season = { seasonId: '9', startsAt: 1_772_409_600_000, endsAt: 1_780_272_000_000 };

export const boardSet: BoardSet = {
  modes: [{ mode: 'arena', fields: { points: { min: 0, max: 2_097_151 } } }],
  boards: [],
  calendar: { seasons: [season], graceMs: 3_600_000 },
  maxLatenessMs: 7 * DAY_MS,
};

export function resultWith(fields: Record<string, unknown>): Record<string, unknown> {
  return { matchId: 'match-1', playerId: 'pl-1', mode: 'arena', points: 1_518, achievedAt: AT, ...fields };
}
