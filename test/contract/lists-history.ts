/** One random history of a tag with several lists: results, orders, marks and settles, and fills that replace the board. */

import { expect } from 'vitest';
import type { ChangeSet, Entry } from '../../src/domain/change.js';
import type { TagDefinition } from '../../src/domain/tag-definition.js';
import type { SubmitOutcome, SubmitResult } from '../../src/ranking/ranking.js';
import { bruteForce } from './brute-force.js';
import { ALL_LISTS, type ListsTruth, type Nexts, PLAYERS, positionsAt, UNSCOPED } from './lists-truth.js';
import { AT, lateIdentity, newIdentity, present, type TestBoard } from './ranking-fixture.js';
import { LOGS } from './ranking-model.js';
import { nextsOf } from './truth-model.js';

export type ListStep =
  | { readonly kind: 'submit'; readonly logIndex: number; readonly back: number; readonly length: number }
  | { readonly kind: 'settle'; readonly pick: number }
  | { readonly kind: 'mark'; readonly playerId: string }
  /** `ahead`: by how much truth is ahead of the ranking where a fill of another definition begins. */
  | { readonly kind: 'begin'; readonly isOther: boolean; readonly ahead: number }
  /** The next chunk, and the end of the fill behind the last. */
  | { readonly kind: 'load' }
  | { readonly kind: 'abandon' | 'sweep' };

/** By the name of the list. */
type Rows = Readonly<Record<string, readonly Entry[]>>;
const CHUNKS = 3;

export class ListsHistory {
  /** What happened, for a test of whether the histories are worth something. */
  readonly seen = { hidden: 0, late: 0, settled: 0, settledInFill: 0, replaced: 0, redefined: 0 };
  private nexts: Nexts = LOGS.map(() => 0);
  private readonly pending = new Set<string>();
  private fills = 0;
  private chunk = 0;
  /** Of a fill under way: its job, and what it starts from. */
  private fill: { readonly jobId: string; readonly from: Nexts } | null = null;
  /** What is shown of another definition than that which is filled. */
  private frozen: { readonly definition: TagDefinition; readonly rows: Rows } | null = null;

  constructor(
    private readonly board: TestBoard,
    private readonly truth: ListsTruth,
    private definition: TagDefinition,
  ) {}

  async run(steps: readonly ListStep[]): Promise<void> {
    await this.board.fill();
    for (const step of steps) {
      await this.take(step);
      await this.check();
    }
    while (this.fill !== null) await this.load();
    await this.check();
    const [before, seq] = [await this.rows(this.definition), await this.board.seq()];
    const feed = this.board.follow(seq);
    for (const logIndex of LOGS.keys()) await this.submit(logIndex, 1, 300);
    for (const playerId of (await this.board.marked()).keys()) await this.settle(playerId);
    const [rows, end] = [await this.rows(this.definition), await this.board.seq()];
    for (const list of ALL_LISTS) {
      const scores = PLAYERS.flatMap((playerId) => {
        const score = this.truth.scoreIn(list, playerId, this.nexts);
        return score === null ? [] : [[playerId, score] as const];
      });
      expect(rows[list.name]).toEqual(bruteForce(scores));
    }
    if (end > seq) await feed.reached(end);
    feed.close();
    expect(fold(before, feed.sets)).toEqual(rows);
  }

  private async take(step: ListStep): Promise<void> {
    switch (step.kind) {
      case 'submit':
        return await this.submit(step.logIndex, step.back, step.length);
      case 'settle': {
        const marked = [...this.pending];
        const playerId = marked[step.pick % marked.length];
        return playerId === undefined ? undefined : await this.settle(playerId);
      }
      case 'mark': {
        const { ranking, tag } = this.board;
        const players = [{ playerId: step.playerId, lists: ALL_LISTS }];
        expect(await ranking.mark(tag, this.definition.hash, players)).toBe('marked');
        this.pending.add(step.playerId);
        return;
      }
      case 'begin':
        return await this.begin(step.isOther, step.ahead);
      case 'load':
        return await this.load();
      case 'abandon':
        return await this.abandon();
      case 'sweep':
        await this.board.ranking.sweep(this.board.tag);
    }
  }

  private async begin(isOther: boolean, ahead: number): Promise<void> {
    this.fills += 1;
    this.chunk = 0;
    const jobId = `job ${this.fills}`;
    const isAnew = isOther || this.frozen !== null;
    if (isOther && this.frozen === null) {
      this.frozen = { definition: this.definition, rows: await this.rows(this.definition) };
      this.definition = { ...this.definition, hash: `definition ${this.fills}` };
    }
    const start = this.nexts.map((next, index) => Math.min(next + ahead, this.truth.logs[index]?.length ?? 0));
    const hidden = this.truth.hidden(start);
    const begun = await this.board.begin(
      { jobId, positions: positionsAt(start), hidden, replace: true },
      this.definition,
    );
    if (isAnew) {
      this.nexts = start;
      this.pending.clear();
    }
    if (begun.kind !== 'begun') throw new Error('it was to replace the board');
    expect(nextsOf(begun.positions)).toEqual(this.nexts);
    this.fill = { jobId, from: this.nexts };
  }

  private async load(): Promise<void> {
    if (this.fill === null) return;
    const { jobId, from } = this.fill;
    if (this.chunk === CHUNKS) {
      expect(await this.board.finish(jobId, CHUNKS)).toBe('finished');
      this.seen.replaced += 1;
      if (this.frozen !== null) this.seen.redefined += 1;
      this.fill = null;
      this.frozen = null;
      return;
    }
    const entries = this.truth.entries(from).filter((_, index) => index % CHUNKS === this.chunk);
    expect(await this.board.load(jobId, this.chunk, entries)).toBe('loaded');
    this.chunk += 1;
  }

  /** Not of another definition: what is shown would never be written again. */
  private async abandon(): Promise<void> {
    if (this.fill === null || this.frozen !== null) return;
    await this.board.ranking.abandon(this.board.tag, this.fill.jobId);
    this.fill = null;
  }

  private async submit(logIndex: number, back: number, length: number): Promise<void> {
    const log = present(this.truth.logs[logIndex]);
    const next = this.nexts[logIndex] ?? 0;
    const from = Math.max(next - back, 0);
    const to = Math.max(Math.min(from + length, log.length), from);
    const expected: SubmitOutcome[] = [];
    const results = log.slice(from, to).map((record, index): SubmitResult => {
      const offset = from + index;
      expected.push(offset < next ? 'skipped' : this.consider(logIndex, offset));
      const place = { playerId: record.playerId, offset, at: AT };
      if (record.kind === 'order') return { ...place, order: record.order, lists: UNSCOPED };
      const identity = record.isLate ? lateIdentity() : newIdentity();
      return { ...place, score: this.truth.pack(record), lists: record.lists, identity };
    });
    const batch = { ...present(LOGS[logIndex]), from, to, results };
    const reply = await this.board.ranking.submit(this.board.tag, this.definition.hash, batch);
    const moved = Math.max(next, to);
    expect(reply).toMatchObject({ kind: 'done', next: moved, isReadable: this.frozen === null });
    if (reply.kind !== 'done') return;
    expect(reply.outcomes.map((outcome) => (outcome === 'no-record' ? 'applied' : outcome))).toEqual(expected);
    this.nexts = this.nexts.with(logIndex, moved);
  }

  private consider(logIndex: number, offset: number): SubmitOutcome {
    const record = present(this.truth.logs[logIndex]?.[offset]);
    const isLate = record.kind === 'result' && record.isLate && this.definition.merge.rule === 'sum';
    if (record.kind === 'order' || isLate) {
      this.pending.add(record.playerId);
      if (isLate) this.seen.late += 1;
      return isLate ? 'late' : 'marked';
    }
    if (!this.truth.isHidden(record.playerId, this.nexts.with(logIndex, offset))) return 'applied';
    this.seen.hidden += 1;
    return 'hidden';
  }

  private async settle(playerId: string): Promise<void> {
    const mark = await this.board.markOf(playerId);
    const folded = this.truth.fold(playerId, nextsOf(mark.positions));
    expect(await this.board.ranking.settle(this.board.tag, this.definition.hash, mark, folded)).toBe('settled');
    this.pending.delete(playerId);
    this.seen.settled += 1;
    if (this.fill !== null) this.seen.settledInFill += 1;
  }

  /** Whoever is not marked stands where truth puts him; the hidden are on no list of everybody even while they are marked. */
  private async check(): Promise<void> {
    expect([...(await this.board.marked()).keys()].toSorted()).toEqual([...this.pending].toSorted());
    if (this.frozen !== null) {
      expect(await this.rows(this.frozen.definition)).toEqual(this.frozen.rows);
      return;
    }
    const rows = await this.rows(this.definition);
    for (const list of ALL_LISTS) {
      const scores = new Map(present(rows[list.name]).map(({ playerId, score }) => [playerId, score]));
      for (const playerId of PLAYERS) {
        const isMarked = this.pending.has(playerId);
        const expected = this.truth.scoreIn(list, playerId, this.nexts);
        if (!isMarked) expect(scores.get(playerId) ?? null).toBe(expected);
        if (isMarked && UNSCOPED.includes(list) && this.truth.isHidden(playerId, this.nexts)) {
          expect(scores.has(playerId)).toBe(false);
        }
      }
    }
  }

  private async rows({ hash }: TagDefinition): Promise<Rows> {
    const { ranking } = this.board;
    const read = async (name: string): Promise<[string, readonly Entry[]]> => {
      const list = { ...this.board.ref(name), definitionHash: hash };
      return [name, present(await ranking.readRange(list, 1, 1_000)).rows];
    };
    return Object.fromEntries(await Promise.all(ALL_LISTS.map(({ name }) => read(name))));
  }
}

/** As a reader folds changes, who knows nothing of rules. */
function fold(before: Rows, sets: readonly ChangeSet[]): Rows {
  const lists = new Map(
    Object.entries(before).map(([name, rows]) => [name, new Map(rows.map((row) => [row.playerId, row.score]))]),
  );
  for (const { list, playerId, score } of sets.flatMap(({ changes }) => changes)) {
    if (score === null) lists.get(list)?.delete(playerId);
    else present(lists.get(list)).set(playerId, score);
  }
  return Object.fromEntries([...lists].map(([name, scores]) => [name, bruteForce(scores)]));
}
