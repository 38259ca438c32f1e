/** The truth of a run by brute force: all its results merged and sorted, and how a window differs from that. */

import { compareOrderKeys } from '../../src/domain/order-key.js';
import type { ScoreLayout } from '../../src/domain/packed-score.js';
import type { Rule } from '../../src/domain/rules.js';
import { type PlayedResult, Standings } from './standings.js';

export interface ExpectedRow {
  readonly playerId: string;
  readonly rank: number;
  readonly points: number;
}

/** A row as a client shows it. */
export interface ShownRank {
  readonly playerId: string;
  readonly rank: number | null;
  readonly score: number | null;
}

export class ExpectedBoard {
  /** Best first. */
  readonly rows: readonly ExpectedRow[];
  private readonly byPlayer: ReadonlyMap<string, ExpectedRow>;

  constructor(results: Iterable<PlayedResult>, layout: ScoreLayout, rule: Rule = 'best') {
    const standings = new Standings(layout, rule);
    for (const result of results) standings.merge(result);
    this.rows = [...standings.scores()]
      .sort(compareOrderKeys)
      .map(({ playerId, points }, index) => ({ playerId, points, rank: index + 1 }));
    this.byPlayer = new Map(this.rows.map((row) => [row.playerId, row]));
  }

  /** The rows of these players, best first; who has no result is left out. */
  rowsOf(playerIds: readonly string[]): ExpectedRow[] {
    return playerIds.flatMap((playerId) => this.byPlayer.get(playerId) ?? []).sort((a, b) => a.rank - b.rank);
  }
}

/** The first difference in words, `null` where the window shows exactly these rows in this order. */
export function findDifference(shown: readonly ShownRank[], expected: readonly ExpectedRow[]): string | null {
  const length = Math.max(shown.length, expected.length);
  for (let index = 0; index < length; index++) {
    const [there, wanted] = [shown[index], expected[index]];
    const isSame =
      there?.playerId === wanted?.playerId && there?.rank === wanted?.rank && there?.score === wanted?.points;
    if (isSame) continue;
    const row = there === undefined ? 'nothing' : `${there.playerId} rank ${there.rank} score ${there.score}`;
    const right = wanted === undefined ? 'nothing' : `${wanted.playerId} rank ${wanted.rank} score ${wanted.points}`;
    return `row ${index + 1} shows ${row} instead of ${right}`;
  }
  return null;
}
