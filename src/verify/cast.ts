/** Who and what takes part: the ids of a run, of its own on any board, and the points that nobody there has yet. */

import type { RankedRow } from './brute-force.js';

/** Ids are text in any script, so some have what keys, URLs and scripts are touchy about. */
const ENDINGS = ['', '', '', '🦊', 'Ａ', '{x}', 'a:b;c=d', '\u200fשלום', '%2F/..', ' *'];

export class Cast {
  readonly prefix: string;
  private readonly players = new Map<number, string>();

  /** `stamp` tells runs of the same seed apart. */
  constructor(
    seed: number,
    stamp: number,
    private readonly taken: ReadonlySet<number>,
  ) {
    this.prefix = `verify-${seed}-${stamp.toString(36)}-`;
  }

  player(index: number): string {
    let playerId = this.players.get(index);
    if (playerId === undefined) {
      playerId = `${this.prefix}${index}${ENDINGS[index % ENDINGS.length]}`;
      this.players.set(index, playerId);
    }
    return playerId;
  }

  match(index: number): string {
    return `${this.prefix}m${index}`;
  }

  /** The value of a scope for a player, one of `SCOPE_VALUES`. */
  scopeValue(index: number): string {
    return `${this.prefix}${index % SCOPE_VALUES}`;
  }

  scopeValues(): string[] {
    return Array.from({ length: SCOPE_VALUES }, (_, index) => this.scopeValue(index));
  }

  isOwn(playerId: string): boolean {
    return playerId.startsWith(this.prefix);
  }

  /** HTTP does not tell when others reached their points, so who has the same would stand nobody knows where. */
  points(planned: number): number {
    let points = planned;
    while (this.taken.has(points)) points += 1;
    return points;
  }
}

const SCOPE_VALUES = 3;

export function pointsOf(lists: Iterable<readonly RankedRow[]>): Set<number> {
  return new Set([...lists].flatMap((rows) => rows.map(({ points }) => points)));
}
