/** What truth knows of random logs that hold copies of results: each result once, as far as any positions. */

import type { Entry } from '../../src/domain/change.js';
import type { Position } from '../../src/domain/log-record.js';
import type { TagDefinition } from '../../src/domain/tag-definition.js';
import { bruteForceRaw, entryOf, type RawEntry } from './brute-force.js';
import { pack } from './ranking-fixture.js';
import { LOGS, type RawResult } from './ranking-model.js';

/** Indexes of results; `undefined` where a log holds nothing for the tag. Each but the first of an index is a copy. */
export type CopyLog = readonly (number | undefined)[];

/** One offset per log, in the order of `LOGS`: the first that was not considered. */
export type Nexts = readonly number[];

export class TruthModel {
  constructor(
    private readonly definition: TagDefinition,
    readonly results: readonly RawResult[],
    readonly logs: readonly CopyLog[],
  ) {}

  /**
   * Results of which a copy lies below the positions. In truth one of the copies is the row; where they came through
   * several partitions, recompute records see to it that it does not matter which.
   */
  below(nexts: Nexts): ReadonlySet<number> {
    return new Set(
      this.logs.flatMap((log, index) => log.slice(0, nexts[index]).filter((result) => result !== undefined)),
    );
  }

  /** The player's packed entry, `null` where he has none. */
  fold(playerId: string, nexts: Nexts): number | null {
    const results = this.resultsOf(playerId, this.below(nexts));
    return results.length === 0 ? null : this.pack(entryOf(results, this.definition.merge));
  }

  rows(nexts: Nexts): readonly Entry[] {
    const below = this.below(nexts);
    const players = new Set([...below].flatMap((index) => this.results[index]?.playerId ?? []));
    const { merge } = this.definition;
    const entries = [...players].map((player) => [player, entryOf(this.resultsOf(player, below), merge)] as const);
    return bruteForceRaw(entries, merge.isLow).map(([playerId, entry], index) => ({
      playerId,
      score: this.pack(entry),
      rank: index + 1,
    }));
  }

  pack({ points, second }: RawEntry): number {
    return pack(points, second, this.definition.merge);
  }

  private resultsOf(playerId: string, indexes: ReadonlySet<number>): readonly RawResult[] {
    return [...indexes].flatMap((index) => {
      const result = this.results[index];
      return result?.playerId === playerId ? [result] : [];
    });
  }
}

export function positionsOf(nexts: Nexts): readonly Position[] {
  return LOGS.flatMap((log, index) => {
    const next = nexts[index] ?? 0;
    return next > 0 ? [{ ...log, next }] : [];
  });
}

export function nextsOf(positions: readonly Position[]): Nexts {
  return LOGS.map(
    ({ source, partition }) =>
      positions.find((position) => position.source === source && position.partition === partition)?.next ?? 0,
  );
}
