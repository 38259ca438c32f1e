/** By what a tag in memory counts under one definition: positions, results it remembers, hidden players and marks. */

import type { Position } from '../../domain/log-record.js';
import type { TagDefinition } from '../../domain/tag-definition.js';
import type { FillStart, ScoredResult, SubmitBatch } from '../ranking.js';
import { KnownResults } from './known-results.js';
import { type MarkRequest, PlayerMarks } from './player-marks.js';

export interface TagLedgerOptions {
  /** For how long results are remembered where the rule needs it, milliseconds. */
  readonly dedupMs: number;
  /** When the tag began to count, epoch milliseconds. */
  readonly birth: number;
}

type Log = Pick<Position, 'source' | 'partition'>;

export class TagLedger {
  readonly hidden: Set<string>;
  readonly marks: PlayerMarks;
  /** By `partition:source`. */
  private readonly nextOffsets: Map<string, Position>;
  /** `null` where the rule makes nothing of a copy. */
  private readonly known: KnownResults | null;

  constructor(
    readonly definition: TagDefinition,
    { positions, hidden }: Pick<FillStart, 'positions' | 'hidden'>,
    { birth, dedupMs }: TagLedgerOptions,
  ) {
    const { merge } = definition;
    this.hidden = new Set(hidden);
    this.marks = new PlayerMarks(merge);
    this.nextOffsets = new Map(positions.map((position) => [positionKey(position), position]));
    this.known = merge.rule === 'sum' ? new KnownResults(birth, dedupMs) : null;
  }

  positions(): readonly Position[] {
    return [...this.nextOffsets.values()];
  }

  next(log: Log): number {
    return this.nextOffsets.get(positionKey(log))?.next ?? 0;
  }

  /** Moves over a batch, and never back. */
  advance({ source, partition, to }: SubmitBatch): void {
    const next = Math.max(this.next({ source, partition }), to);
    this.nextOffsets.set(positionKey({ source, partition }), { source, partition, next });
  }

  /** Tells copies, and what may be one that is not remembered; remembers all others. */
  judge({ identity }: ScoredResult, now: number): 'new' | 'duplicate' | 'late' {
    // The batch was checked: there is an identity where one is needed.
    return this.known && identity ? this.known.judge(identity, now) : 'new';
  }

  /** Drops what is too old to be asked for. */
  forget(now: number): void {
    this.known?.forget(now);
  }

  /** Marks players with the positions as they are. */
  mark(requests: readonly MarkRequest[]): void {
    const positions = this.positions();
    for (const request of requests) this.marks.set(request, positions);
  }
}

function positionKey({ source, partition }: Log): string {
  return `${partition}:${source}`;
}
