/** What every client should show at a quiet point, reckoned once for all of them. */

import { type RankedRow, type RankingRules, rankByBruteForce } from './brute-force.js';
import type { ListSpec } from './lists.js';
import type { PlayedResults } from './played-results.js';

export interface ExpectedList {
  /** Best first. */
  readonly rows: readonly RankedRow[];
  readonly byPlayer: ReadonlyMap<string, RankedRow>;
}

export interface Friendships {
  friendsOf(playerId: string): ReadonlySet<string>;
}

export class Truth {
  private readonly lists = new Map<string, ExpectedList>();

  constructor(
    private readonly results: PlayedResults,
    /** The rows that were there before, by the name of their list. */
    private readonly others: ReadonlyMap<string, readonly RankedRow[]>,
    private readonly rules: RankingRules,
    readonly friends: Friendships,
  ) {}

  list(spec: ListSpec): ExpectedList {
    const known = this.lists.get(spec.name);
    if (known !== undefined) return known;
    const results = [...this.results.counting()].filter((result) => spec.has(result));
    const rows = rankByBruteForce(results, this.others.get(spec.name) ?? [], this.rules);
    const list = { rows, byPlayer: new Map(rows.map((row) => [row.playerId, row])) };
    this.lists.set(spec.name, list);
    return list;
  }

  /** Now, or at any time before. */
  wasHidden(playerId: string): boolean {
    return this.results.wasHidden(playerId);
  }
}
