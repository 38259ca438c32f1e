/**
 * Plans for a board of any rule on which many are ranked and some are watched: the watched play a share of their own, so
 * that there is something to be shown, and all play the rest, so that the board is written everywhere.
 */

import type { Rule } from '../../src/domain/rules.js';
import { DueResults } from './due-results.js';
import { PAST_POINTS_SPAN, playerIdOf } from './past-results.js';
import type { PlannedResult, Planner, WatchedPlayer } from './players.js';
import type { Standings } from './standings.js';

/** By rule latest points move by at most this: far enough that a player hardly comes back to the same ones at once. */
const LATEST_STEP = PAST_POINTS_SPAN / 100;

export interface PastPlannerOptions {
  readonly rule: Rule;
  /** What the past came to; it goes on with each result that is planned. */
  readonly standings: Standings;
  readonly players: number;
  /** The first so many of the players. */
  readonly watched: number;
  /** Share of the results that only the watched play. */
  readonly watchedShare: number;
  /** Share of the results that change their player's points. */
  readonly improve: number;
  readonly maxPoints: number;
  readonly random: () => number;
}

export class PastPlanner implements Planner {
  readonly watched: readonly WatchedPlayer[];
  private readonly options: PastPlannerOptions;
  /** Twice the mean distance of two neighbours: an improvement overtakes about one other player. */
  private readonly maxStep: number;

  constructor(options: PastPlannerOptions) {
    const { rule, watched, players } = options;
    this.options = options;
    this.maxStep = Math.max(1, Math.floor((2 * PAST_POINTS_SPAN) / players));
    this.watched = Array.from({ length: watched }, (_, index) => {
      return { index, playerId: playerIdOf(index), due: new DueResults(rule !== 'latest') };
    });
  }

  next(achievedAt: number): PlannedResult {
    const { random, watchedShare, players, standings } = this.options;
    const among = random() < watchedShare ? this.watched.length : players;
    const index = Math.floor(random() * among);
    const playerId = playerIdOf(index);
    const before = standings.pointsOf(playerId);
    const points = this.pointsAfter(before);
    const after = standings.merge({ playerId, points, achievedAt });
    const due = this.watched[index]?.due;
    return { playerId, points, shown: due === undefined || after === before ? null : { due, points: after } };
  }

  /** Of the result: what a player with `before` points reaches. */
  private pointsAfter(before: number): number {
    const { rule, random, improve, maxPoints } = this.options;
    const improves = random() < improve;
    const step = 1 + Math.floor(random() * this.maxStep);
    switch (rule) {
      case 'best':
        return improves ? Math.min(before + step, maxPoints) : Math.floor(random() * before);
      case 'sum':
        return improves ? step : 0;
      case 'latest': {
        if (!improves) return before;
        const far = 1 + Math.floor(random() * LATEST_STEP);
        return random() < 0.5 && before > far ? before - far : Math.min(before + far, maxPoints);
      }
    }
  }
}
