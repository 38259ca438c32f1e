/** What a ranking must be after any deliveries of any logs: a position per log, and every player's raw results. */

import type { Change, Entry } from '../../src/domain/change.js';
import type { TagDefinition } from '../../src/domain/tag-definition.js';
import type { SubmitBatch, SubmitReply } from '../../src/ranking/ranking.js';
import { SEASON_LISTS } from '../support/definitions.js';
import { bruteForceRaw, entryOf, type RawEntry } from './brute-force.js';
import { AT, pack } from './ranking-fixture.js';

export const LOGS = [
  { source: 'kafka:match-results', partition: 0 },
  { source: 'kafka:match-results', partition: 1 },
  { source: 'postgres', partition: 0 },
] as const;

export interface RawResult extends RawEntry {
  readonly playerId: string;
}

/** `undefined`: an offset that holds nothing for the tag. */
export type LogRecords = readonly (RawResult | undefined)[];

export class RankingModel {
  /** What the feed must have said. */
  readonly changes: Change[] = [];
  private readonly results = new Map<string, RawEntry[]>();
  private readonly next = LOGS.map(() => 0);

  constructor(
    private readonly definition: TagDefinition,
    private readonly logs: readonly LogRecords[] = [],
  ) {}

  /** A delivery that begins `back` below what was considered of the log. */
  batch(logIndex: number, back: number, length: number): { readonly batch: SubmitBatch; readonly raw: RawResult[] } {
    const records = this.logs[logIndex] ?? [];
    const from = Math.max((this.next[logIndex] ?? 0) - back, 0);
    const to = Math.max(Math.min(from + length, records.length), from);
    const held = records
      .slice(from, to)
      .flatMap((record, index) => (record ? [{ record, offset: from + index, at: AT }] : []));
    const results = held.map(({ record, offset, at }) => ({
      playerId: record.playerId,
      score: this.scoreOf(record),
      lists: SEASON_LISTS,
      offset,
      at,
      identity: { hash: String(logIndex * 1_000 + offset), achievedAt: Date.now() },
    }));
    return {
      batch: { ...(LOGS[logIndex] ?? { source: '', partition: 0 }), from, to, results },
      raw: held.map(({ record }) => record),
    };
  }

  /** Takes what a ranking has to take of a delivery, and answers as it must. */
  deliver(logIndex: number, { from, to, results }: SubmitBatch, raw: readonly RawResult[]): SubmitReply {
    const next = this.next[logIndex] ?? 0;
    if (from > next) return { kind: 'behind', next };
    const outcomes = raw.map((result, index) => {
      if ((results[index]?.offset ?? 0) < next) return 'skipped';
      return this.take(result) ? 'applied' : 'no-record';
    });
    const moved = Math.max(next, to);
    this.next[logIndex] = moved;
    return { kind: 'done', next: moved, outcomes, isReadable: true };
  }

  /** Whether the player's entry changed by the result. */
  take({ playerId, points, second }: RawResult): boolean {
    const before = this.row(playerId);
    this.results.set(playerId, [...(this.results.get(playerId) ?? []), { points, second }]);
    const after = this.row(playerId);
    if (after === undefined || before?.score === after.score) return false;
    const { score, rank } = after;
    const [scoreBefore, rankBefore] = [before?.score ?? null, before?.rank ?? null];
    this.changes.push({ list: 's', playerId, scoreBefore, rankBefore, score, rank, at: AT, label: null });
    return true;
  }

  /** Ordered by points and seconds; packed only to be compared with what an engine says. */
  rows(): readonly Entry[] {
    const { merge } = this.definition;
    const entries = [...this.results].map(([playerId, results]) => [playerId, entryOf(results, merge)] as const);
    return bruteForceRaw(entries, merge.isLow).map(([playerId, entry], index) => ({
      playerId,
      score: this.scoreOf(entry),
      rank: index + 1,
    }));
  }

  row(playerId: string): Entry | undefined {
    return this.rows().find((row) => row.playerId === playerId);
  }

  scoreOf({ points, second }: RawEntry): number {
    return pack(points, second, this.definition.merge);
  }
}
