/** The players of a run as the generator knows them: id, best points so far, and the results that windows have to show. */

import { DueResults } from './due-results.js';
import type { Spread } from './fanout-options.js';
import { zipfChoice } from './zipf.js';

/** Where the first results lie: far enough apart that ranks mean something, low enough to leave room to improve. */
const FIRST_POINTS_SPAN = 100_000;

export interface Player {
  readonly index: number;
  readonly playerId: string;
  best: number;
  readonly due: DueResults;
}

export type WatchedPlayer = Omit<Player, 'best'>;

/** A result that is about to be sent. */
export interface PlannedResult {
  readonly playerId: string;
  readonly points: number;
  /** What windows have to show for it; `null` where nobody has to be told. */
  readonly shown: { readonly due: DueResults; readonly points: number } | null;
}

/** Decides who plays next and what he reaches. */
export interface Planner {
  /** `achievedAt`: epoch milliseconds. */
  next(achievedAt: number): PlannedResult;
}

export interface PlannerOptions {
  readonly players: number;
  /** Largest points that the mode takes. */
  readonly maxPoints: number;
  readonly improve: number;
  readonly spread: Spread;
  readonly random: () => number;
}

/** Plans for a board of rule best that ranks nobody else. */
export class ResultPlanner implements Planner {
  readonly players: readonly Player[];
  private readonly options: PlannerOptions;
  private readonly choose: () => number;
  /** Twice the mean distance of two neighbours: an improvement overtakes about one other player. */
  private readonly maxStep: number;

  constructor(options: PlannerOptions) {
    const { players, random, spread } = options;
    this.options = options;
    this.choose = spread === 'zipf' ? zipfChoice(players, random) : () => Math.floor(random() * players);
    this.maxStep = Math.max(1, Math.floor((2 * FIRST_POINTS_SPAN) / players));
    this.players = Array.from({ length: players }, (_, index) => ({
      index,
      playerId: `player-${index}`,
      best: 0,
      due: new DueResults(),
    }));
  }

  /** One result for each player, so that everybody is ranked before the load begins. */
  firstResults(): PlannedResult[] {
    return this.players.map((player) => {
      player.best = 1 + Math.floor(this.options.random() * FIRST_POINTS_SPAN);
      return { playerId: player.playerId, points: player.best, shown: null };
    });
  }

  next(): PlannedResult {
    const { random, improve, maxPoints } = this.options;
    const player = this.players[this.choose()];
    if (player === undefined) throw new Error('the choice of players went out of its range');
    const better = player.best + 1 + Math.floor(random() * this.maxStep);
    // At the mode's limit nobody improves any more.
    if (random() >= improve || better > maxPoints) {
      return { playerId: player.playerId, points: Math.floor(random() * player.best), shown: null };
    }
    player.best = better;
    return { playerId: player.playerId, points: better, shown: { due: player.due, points: better } };
  }
}
