/** What each player has by the results so far: the rules once more, over plain facts, so that the product's merges are checked. */

import { packScore, type ScoreLayout } from '../../src/domain/packed-score.js';
import type { Rule } from '../../src/domain/rules.js';

/** A result as far as boards of one key see it. */
export interface PlayedResult {
  readonly playerId: string;
  readonly points: number;
  /** Epoch milliseconds. */
  readonly achievedAt: number;
}

/** `unit`: the time in the layout's units, which is as fine as boards see it. */
interface Place {
  points: number;
  unit: number;
}

export class Standings {
  private readonly places = new Map<string, Place>();
  private readonly maxPoints: number;

  constructor(
    private readonly layout: ScoreLayout,
    private readonly rule: Rule,
  ) {
    this.maxPoints = layout.keys[0]?.max ?? 0;
  }

  /** Answers the player's points after it. */
  merge({ playerId, points, achievedAt }: PlayedResult): number {
    const unit = Math.floor((achievedAt - this.layout.startsAt) / this.layout.unitMs);
    const place = this.places.get(playerId);
    if (place === undefined) {
      this.places.set(playerId, { points, unit });
      return points;
    }
    if (this.rule === 'sum') {
      place.points = Math.min(place.points + points, this.maxPoints);
      place.unit = Math.max(place.unit, unit);
    } else if (this.isBetter(place, points, unit)) {
      place.points = points;
      place.unit = unit;
    }
    return place.points;
  }

  /** 0 where he has no result. */
  pointsOf(playerId: string): number {
    return this.places.get(playerId)?.points ?? 0;
  }

  /** In no order. */
  *scores(): Iterable<{ readonly playerId: string; readonly points: number; readonly score: number }> {
    const { keys, startsAt, unitMs } = this.layout;
    const field = keys[0]?.field ?? 'points';
    for (const [playerId, { points, unit }] of this.places) {
      yield { playerId, points, score: packScore(this.layout, { [field]: points }, startsAt + unit * unitMs) };
    }
  }

  private isBetter(place: Place, points: number, unit: number): boolean {
    if (this.rule === 'latest' && unit !== place.unit) return unit > place.unit;
    return points > place.points || (points === place.points && unit < place.unit);
  }
}
