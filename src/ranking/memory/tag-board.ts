/** The state of one tag in memory, from the begin of its fill on: list, positions, epoch and seq. */

import { type Change, type ChangeSet, SEASON_LIST, type TagPosition } from '../../domain/change.js';
import type { Position } from '../../domain/log-record.js';
import type { TagDefinition } from '../../domain/tag-definition.js';
import type { FillEntry, FillStart, SubmitBatch, SubmitOutcome } from '../ranking.js';
import { RankingCallError } from './call-checks.js';
import { RankedList } from './ranked-list.js';

export class TagBoard {
  readonly list: RankedList;
  /** By `partition:source`. */
  private readonly nextOffsets = new Map<string, Position>();
  private readonly jobId: string;
  private loadedChunks = 0;
  private finishedEpoch: number | null = null;
  private seq = 0;

  constructor(
    readonly definition: TagDefinition,
    start: FillStart,
  ) {
    this.list = new RankedList(definition.merge);
    this.jobId = start.jobId;
    for (const position of start.positions) this.nextOffsets.set(positionKey(position), position);
  }

  /** `null` until the fill is finished: nobody is shown half a board. */
  position(): TagPosition | null {
    return this.finishedEpoch === null ? null : { epoch: this.finishedEpoch, seq: this.seq };
  }

  positions(): readonly Position[] {
    return [...this.nextOffsets.values()];
  }

  next(log: Pick<Position, 'source' | 'partition'>): number {
    return this.nextOffsets.get(positionKey(log))?.next ?? 0;
  }

  isFilledBy(jobId: string): boolean {
    return this.jobId === jobId;
  }

  /** Merges a checked batch that does not begin above `next`. */
  apply(batch: SubmitBatch): { readonly outcomes: readonly SubmitOutcome[]; readonly changes: ChangeSet | null } {
    const { source, partition } = batch;
    const next = this.next(batch);
    const changes: Change[] = [];
    const outcomes = batch.results.map(({ playerId, score, offset, at }): SubmitOutcome => {
      if (offset < next) return 'skipped';
      const move = this.list.merge(playerId, score);
      if (move === null) return 'no-record';
      changes.push({ list: SEASON_LIST, playerId, ...move, at });
      return 'applied';
    });
    this.nextOffsets.set(positionKey(batch), { source, partition, next: Math.max(next, batch.to) });
    return { outcomes, changes: this.number(changes) };
  }

  /** Merges a checked chunk: live results may stand there already. */
  load(index: number, entries: readonly FillEntry[]): void {
    // The answer to the last chunk was lost and the caller sends it again.
    if (index === this.loadedChunks - 1) return;
    if (index !== this.loadedChunks) {
      throw new RankingCallError(`chunk ${index} came where ${this.loadedChunks} was expected: begin the fill again`);
    }
    for (const { playerId, score } of entries) this.list.merge(playerId, score);
    this.loadedChunks += 1;
  }

  /** Makes the list readable. */
  finish(chunks: number, epoch: number): void {
    if (chunks !== this.loadedChunks) {
      throw new RankingCallError(`${this.loadedChunks} of ${chunks} chunks were loaded: begin the fill again`);
    }
    this.finishedEpoch = epoch;
  }

  /** Gives changes their seqs; those of an unfinished fill are nobody's news. */
  private number(changes: readonly Change[]): ChangeSet | null {
    if (this.finishedEpoch === null || changes.length === 0) return null;
    const fromSeq = this.seq + 1;
    this.seq += changes.length;
    return { epoch: this.finishedEpoch, fromSeq, toSeq: this.seq, changes };
  }
}

function positionKey({ source, partition }: Pick<Position, 'source' | 'partition'>): string {
  return `${partition}:${source}`;
}
