/** The state of one tag in memory: the board that is shown, a fill under way, and the ledger by which both are written. */

import type { Change, ChangeSet, TagPosition } from '../../domain/change.js';
import type { TagDefinition } from '../../domain/tag-definition.js';
import type {
  FillBegun,
  FillEntry,
  FillStart,
  FillSum,
  FoldedEntry,
  Mark,
  PlayerToMark,
  SubmitBatch,
  SubmitReply,
  TagState,
} from '../ranking.js';
import { applyBatch } from './apply-batch.js';
import { checkBatch, checkChunk } from './call-checks.js';
import { CallWrites } from './call-writes.js';
import type { Generation } from './generation.js';
import type { RankedList } from './ranked-list.js';
import { TagFill } from './tag-fill.js';
import { TagLedger } from './tag-ledger.js';

/** What a call answers, and what it has to tell to the followers of the tag. */
export interface Answered<Answer> {
  readonly answer: Answer;
  readonly changes: ChangeSet | null;
}

interface ShownBoard {
  readonly definitionHash: string;
  readonly generation: Generation;
  /** The fill that made it. */
  readonly jobId: string;
  readonly epoch: number;
  /** By the ledger of the tag. False since a fill under another definition began: what came meanwhile is missing here. */
  readonly isWritten: boolean;
}

/** `now` is epoch milliseconds in every call. */
export class TagBoard {
  private shown: ShownBoard | null = null;
  private fill: TagFill | null = null;
  /** `null` where nothing is written: no fill has begun, or it was given up with no board of its definition. */
  private ledger: TagLedger | null = null;
  private seq = 0;

  /** `dedupMs`: for how long results are remembered where the rule needs it. */
  constructor(private readonly dedupMs: number) {}

  /** `null` until a fill under the definition is finished: nobody is shown half a board, nor one that he cannot read. */
  position(definitionHash: string): TagPosition | null {
    if (this.shown?.definitionHash !== definitionHash) return null;
    return { epoch: this.shown.epoch, seq: this.seq };
  }

  state(): TagState | null {
    if (this.shown === null) return null;
    const { epoch, definitionHash, isWritten } = this.shown;
    const writtenHash = this.ledger?.definition.hash ?? null;
    return { epoch, seq: this.seq, definitionHash, isWritten, writtenHash, positions: this.ledger?.positions() ?? [] };
  }

  /** A list of what is shown to readers of the definition; `null` where nothing is. */
  list(definitionHash: string, name: string, now: number): RankedList | null {
    return this.shown?.definitionHash === definitionHash ? this.shown.generation.list(name, now) : null;
  }

  /** The lists of what is shown that rank somebody; `null` as of one list. */
  lists(definitionHash: string, now: number): { readonly name: string; readonly total: number }[] | null {
    return this.shown?.definitionHash === definitionHash ? this.shown.generation.totals(now) : null;
  }

  /** Throws RankingCallError where the batch is not what it must be; nothing is written then. */
  submit(definitionHash: string, batch: SubmitBatch, now: number): Answered<SubmitReply> {
    const ledger = this.ledgerOf(definitionHash);
    if (typeof ledger === 'string') return { answer: { kind: ledger }, changes: null };
    const before = ledger.next(batch);
    if (batch.from > before) return { answer: { kind: 'behind', next: before }, changes: null };
    checkBatch(batch, ledger.definition.merge.rule);
    const writes = this.writes(now);
    const outcomes = applyBatch(batch, ledger, writes);
    const isReadable = this.shown?.isWritten ?? false;
    const answer = { kind: 'done', next: ledger.next(batch), outcomes, isReadable } as const;
    return { answer, changes: this.number(writes.changes) };
  }

  /** The oldest, at most `MAX_MARKS`. */
  marks(): readonly Mark[] {
    return this.ledger?.marks.oldest() ?? [];
  }

  mark(definitionHash: string, players: readonly PlayerToMark[]): 'marked' | 'no-board' | 'other-definition' {
    const ledger = this.ledgerOf(definitionHash);
    if (typeof ledger === 'string') return ledger;
    ledger.mark(players.map((player) => ({ ...player, label: null })));
    return 'marked';
  }

  isHidden(playerId: string): boolean {
    return this.ledger?.hidden.has(playerId) ?? false;
  }

  settle(
    definitionHash: string,
    mark: Mark,
    folded: readonly FoldedEntry[],
    now: number,
  ): Answered<'settled' | 'superseded'> {
    const { playerId } = mark;
    const ledger = this.ledgerOf(definitionHash);
    const settled = typeof ledger === 'string' ? null : ledger.marks.settle(mark, folded);
    if (typeof ledger === 'string' || settled === null) return { answer: 'superseded', changes: null };
    const isHidden = ledger.hidden.has(playerId);
    const writes = this.writes(now);
    for (const { list, score } of settled.entries) {
      writes.put(list, playerId, isHidden ? null : score, { at: now, label: settled.label });
    }
    this.fill?.leaveOut(playerId);
    return { answer: 'settled', changes: this.number(writes.changes) };
  }

  begin(definition: TagDefinition, start: FillStart, now: number): FillBegun {
    if (this.shown !== null && !start.replace) return { kind: 'exists' };
    const goingOn = start.anew === true ? null : this.ledgerGoingOn(definition);
    const ledger = goingOn ?? this.newLedger(definition, start, now);
    this.ledger = ledger;
    this.fill = new TagFill(start.jobId, ledger);
    return { kind: 'begun', positions: ledger.positions() };
  }

  /** Throws RankingCallError where the chunk is wrong, FillMismatchError where it is out of turn; nothing is written then. */
  load(jobId: string, index: number, entries: readonly FillEntry[], now: number): 'loaded' | 'superseded' {
    if (this.fill?.jobId !== jobId) return 'superseded';
    checkChunk(entries);
    this.fill.load(index, entries, now);
    return 'loaded';
  }

  /** `epoch` is fresh. Throws FillMismatchError where not all has come. */
  finish(jobId: string, chunks: number, sum: FillSum, epoch: number): 'finished' | 'superseded' {
    const { fill } = this;
    // A repeat of a finish that was answered already must not make a second history.
    if (fill?.jobId !== jobId) return this.shown?.jobId === jobId ? 'finished' : 'superseded';
    fill.checkWhole(chunks, sum);
    const { generation, ledger } = fill;
    this.shown = { definitionHash: ledger.definition.hash, generation, jobId, epoch, isWritten: true };
    this.fill = null;
    return 'finished';
  }

  abandon(jobId: string): void {
    if (this.fill?.jobId !== jobId) return;
    this.fill = null;
    if (!this.shown?.isWritten) this.ledger = null;
  }

  /** By which submits of the definition are written, or why none are. */
  private ledgerOf(definitionHash: string): TagLedger | 'no-board' | 'other-definition' {
    // A board without a ledger was left behind by a fill that was given up: only another fill brings what it missed.
    if (this.ledger === null) return this.shown === null ? 'no-board' : 'other-definition';
    return this.ledger.definition.hash === definitionHash ? this.ledger : 'other-definition';
  }

  /** That of the board shown, where a fill of the definition can stand beside it. */
  private ledgerGoingOn({ hash }: TagDefinition): TagLedger | null {
    return this.shown?.isWritten && this.shown.definitionHash === hash ? this.ledger : null;
  }

  /** What is shown meanwhile is not written by it, also where a board of its own definition was left behind before. */
  private newLedger(definition: TagDefinition, start: FillStart, birth: number): TagLedger {
    this.shown = this.shown && { ...this.shown, isWritten: false };
    return new TagLedger(definition, start, { dedupMs: this.dedupMs, birth });
  }

  private writes(now: number): CallWrites {
    const shown = this.shown?.isWritten ? this.shown.generation : null;
    return new CallWrites({ shown, fill: this.fill?.generation ?? null }, now);
  }

  /** Gives changes their seqs, which count over all lists. */
  private number(changes: readonly Change[]): ChangeSet | null {
    if (this.shown === null || changes.length === 0) return null;
    const fromSeq = this.seq + 1;
    this.seq += changes.length;
    return { epoch: this.shown.epoch, fromSeq, toSeq: this.seq, changes };
  }
}
