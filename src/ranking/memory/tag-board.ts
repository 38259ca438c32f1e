/** The state of one tag in memory, from the begin of its fill on: list, positions, copies, marks, epoch and seq. */

import { type Change, type ChangeSet, SEASON_LIST, type TagPosition } from '../../domain/change.js';
import type { Position } from '../../domain/log-record.js';
import type { TagDefinition } from '../../domain/tag-definition.js';
import type { FillEntry, FillStart, Mark, SubmitBatch, SubmitOutcome, SubmitResult } from '../ranking.js';
import { RankingCallError } from './call-checks.js';
import { KnownResults } from './known-results.js';
import { PlayerMarks } from './player-marks.js';
import { RankedList } from './ranked-list.js';

export interface TagBoardOptions {
  /** For how long results are remembered where the rule needs it, milliseconds. */
  readonly dedupMs: number;
  /** When the fill began, epoch milliseconds. */
  readonly birth: number;
}

export class TagBoard {
  readonly list: RankedList;
  /** By `partition:source`. */
  private readonly nextOffsets = new Map<string, Position>();
  private readonly jobId: string;
  /** `null` where the rule makes nothing of a copy. */
  private readonly known: KnownResults | null;
  private readonly playerMarks: PlayerMarks;
  /** Whose entry was written whole while the fill is under way: what a chunk brings of them is in there already. */
  private readonly settledPlayers = new Set<string>();
  private loadedChunks = 0;
  private finishedEpoch: number | null = null;
  private seq = 0;

  constructor(
    readonly definition: TagDefinition,
    start: FillStart,
    { birth, dedupMs }: TagBoardOptions,
  ) {
    this.list = new RankedList(definition.merge);
    this.known = definition.merge.rule === 'sum' ? new KnownResults(birth, dedupMs) : null;
    this.playerMarks = new PlayerMarks(definition.merge);
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

  /** Merges a checked batch that does not begin above `next`. `now` is epoch milliseconds. */
  apply(
    batch: SubmitBatch,
    now: number,
  ): { readonly outcomes: readonly SubmitOutcome[]; readonly changes: ChangeSet | null } {
    const { source, partition } = batch;
    const next = this.next(batch);
    const changes: Change[] = [];
    const markedNow = new Set<string>();
    this.known?.forget(now);
    const outcomes = batch.results.map((result): SubmitOutcome => {
      if (result.offset < next) return 'skipped';
      const outcome = this.take(result, now, changes);
      if (outcome === 'late' || outcome === 'marked') markedNow.add(result.playerId);
      return outcome;
    });
    this.nextOffsets.set(positionKey(batch), { source, partition, next: Math.max(next, batch.to) });
    // Below these positions lies the whole call, so what it merged aside is dropped again with the old mark.
    const positions = this.positions();
    for (const playerId of markedNow) this.playerMarks.set(playerId, positions);
    return { outcomes, changes: this.number(changes) };
  }

  /** The oldest marks, at most `MAX_MARKS`. */
  marks(): readonly Mark[] {
    return this.playerMarks.oldest();
  }

  /** Writes the entry of a player whose mark this is; `null` where it is not, and nothing was done. */
  settle(mark: Mark, score: number | null, at: number): { readonly changes: ChangeSet | null } | null {
    if (!this.playerMarks.isPresent(mark)) return null;
    const { playerId } = mark;
    const move = this.list.put(playerId, this.playerMarks.settle(playerId, score));
    if (this.finishedEpoch === null) this.settledPlayers.add(playerId);
    return { changes: this.number(move === null ? [] : [{ list: SEASON_LIST, playerId, ...move, at }]) };
  }

  /** Merges a checked chunk: live results may stand there already. */
  load(index: number, entries: readonly FillEntry[]): void {
    // The answer to the last chunk was lost and the caller sends it again.
    if (index === this.loadedChunks - 1) return;
    if (index !== this.loadedChunks) {
      throw new RankingCallError(`chunk ${index} came where ${this.loadedChunks} was expected: begin the fill again`);
    }
    for (const { playerId, score } of entries) {
      if (!this.settledPlayers.has(playerId)) this.list.merge(playerId, score);
    }
    this.loadedChunks += 1;
  }

  /** Makes the list readable. */
  finish(chunks: number, epoch: number): void {
    if (chunks !== this.loadedChunks) {
      throw new RankingCallError(`${this.loadedChunks} of ${chunks} chunks were loaded: begin the fill again`);
    }
    this.finishedEpoch = epoch;
    this.settledPlayers.clear();
  }

  private take({ playerId, score, identity, at }: SubmitResult, now: number, changes: Change[]): SubmitOutcome {
    if (score === null) return 'marked';
    // The batch was checked: there is an identity where one is needed.
    const judged = this.known && identity ? this.known.judge(identity, now) : 'new';
    if (judged !== 'new') return judged;
    this.playerMarks.mergeAside(playerId, score);
    const move = this.list.merge(playerId, score);
    if (move === null) return 'no-record';
    changes.push({ list: SEASON_LIST, playerId, ...move, at });
    return 'applied';
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
