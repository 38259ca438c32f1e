/** One random history of a tag whose rule counts each result once: submits with copies, a fill, late ones, settles. */

import { expect } from 'vitest';
import { DEDUP_MS, type Mark, type SubmitBatch, type SubmitOutcome } from '../../src/ranking/ranking.js';
import { SEASON_LISTS } from '../support/definitions.js';
import { AT, present, seasonEntry, seasonFold, type TestBoard } from './ranking-fixture.js';
import { LOGS } from './ranking-model.js';
import { type Nexts, nextsOf, positionsOf, type TruthModel } from './truth-model.js';

export type Step =
  | { readonly kind: 'submit'; readonly logIndex: number; readonly back: number; readonly length: number }
  /** Of a mark that is pending, or was: `pick` counts from the newest on. */
  | { readonly kind: 'settle'; readonly pick: number }
  /** The next chunk, and the end of the fill behind the last. */
  | { readonly kind: 'load' }
  /** Another fill takes over, from so many records on in each log. */
  | { readonly kind: 'begin'; readonly nexts: Nexts };

const CHUNKS = 3;

export class RecomputeHistory {
  /** What happened, for a test of whether the histories are worth something. */
  readonly seen = { late: 0, duplicate: 0, settled: 0, superseded: 0, settledInFill: 0 };
  private nexts: Nexts = LOGS.map(() => 0);
  private filledFrom: Nexts = this.nexts;
  private chunk = 0;
  private fills = 0;
  private isFinished = false;
  private readonly remembered = new Set<number>();
  private readonly deliveries = new Map<number, number>();
  /** Results of before the birth: a tag has no memory of their copies. */
  private old: ReadonlySet<number> = new Set();
  private readonly pending = new Set<string>();
  private readonly everMarked = new Map<string, Mark>();
  private readonly startedAt = Date.now();

  /** `lateFrom`: from which delivery of a copy on a result is late, by its index. Time only makes results late. */
  constructor(
    private readonly board: TestBoard,
    private readonly truth: TruthModel,
    private readonly players: readonly string[],
    private readonly lateFrom: readonly number[],
  ) {}

  async run(steps: readonly Step[]): Promise<void> {
    await this.begin(this.nexts);
    for (const step of steps) {
      await this.take(step);
      await this.check();
    }
    for (let chunk = 0; chunk <= CHUNKS; chunk += 1) await this.load();
    for (const logIndex of LOGS.keys()) await this.submit(logIndex, 2, 300);
    await this.check();
    for (const mark of (await this.board.marked()).values()) await this.settle(mark);
    expect(await this.board.rows()).toEqual(this.truth.rows(this.nexts));
  }

  private async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'submit':
        return await this.submit(step.logIndex, step.back, step.length);
      case 'settle': {
        const marks = [...this.everMarked.values()].toReversed();
        const mark = marks[step.pick % marks.length];
        return mark && (await this.settle(mark));
      }
      case 'load':
        return await this.load();
      case 'begin':
        return await this.begin(step.nexts);
    }
  }

  private async begin(nexts: Nexts): Promise<void> {
    const jobId = `job ${this.fills + 1}`;
    const from = nexts.map((next, index) => Math.min(next, this.truth.logs[index]?.length ?? 0));
    const begun = await this.board.begin({ jobId, positions: positionsOf(from) });
    expect(begun.kind).toBe(this.isFinished ? 'exists' : 'begun');
    if (begun.kind === 'begun') expect(nextsOf(begun.positions)).toEqual(from);
    if (this.isFinished) return;
    // Whatever any log held by now was achieved before the birth, and so will its copies have been.
    const considered = from.map((next, index) => Math.max(next, this.nexts[index] ?? 0));
    this.old = new Set([...this.old, ...this.truth.below(considered)]);
    this.fills += 1;
    this.chunk = 0;
    this.nexts = from;
    this.filledFrom = from;
    this.remembered.clear();
    this.pending.clear();
  }

  private async load(): Promise<void> {
    if (this.isFinished) return;
    const jobId = `job ${this.fills}`;
    if (this.chunk === CHUNKS) {
      expect(await this.board.finish(jobId, CHUNKS)).toBe('finished');
      this.isFinished = true;
      return;
    }
    const entries = this.players.flatMap((playerId, index) => {
      const score = this.truth.fold(playerId, this.filledFrom);
      return score !== null && index % CHUNKS === this.chunk ? [seasonEntry(playerId, score)] : [];
    });
    expect(await this.board.load(jobId, this.chunk, entries)).toBe('loaded');
    this.chunk += 1;
  }

  private async submit(logIndex: number, back: number, length: number): Promise<void> {
    const log = this.truth.logs[logIndex] ?? [];
    const next = this.nexts[logIndex] ?? 0;
    const from = Math.max(next - back, 0);
    const to = Math.max(Math.min(from + length, log.length), from);
    const copies = log.slice(from, to).flatMap((result, index) => {
      return result === undefined ? [] : [{ result, offset: from + index }];
    });
    const expected = new Map(copies.map(({ result, offset }) => [offset, this.outcomeOf(result, offset, next)]));
    const results = copies.map(({ result, offset }) => {
      const raw = present(this.truth.results[result]);
      const isLate = expected.get(offset) === 'late';
      return {
        playerId: raw.playerId,
        score: this.truth.pack(raw),
        lists: SEASON_LISTS,
        offset,
        at: AT,
        identity: { hash: String(2n ** 62n + BigInt(result)), achievedAt: this.achievedAt(result, isLate) },
      };
    });
    const batch: SubmitBatch = { ...present(LOGS[logIndex]), from, to, results };
    const reply = await this.board.submitBatch(batch);
    const moved = Math.max(next, to);
    expect(reply).toMatchObject({ kind: 'done', next: moved, isReadable: this.isFinished });
    if (reply.kind !== 'done') return;
    const merged = (outcome: SubmitOutcome | undefined) => (outcome === 'no-record' ? 'applied' : outcome);
    expect(reply.outcomes.map(merged)).toEqual([...expected.values()]);
    this.nexts = this.nexts.with(logIndex, moved);
  }

  /** Several hours of what is remembered, so that no result is near its edge. */
  private achievedAt(result: number, isLate: boolean): number {
    return this.startedAt - (isLate ? DEDUP_MS + 60_000 : (result % 11) * 1_800_000);
  }

  private outcomeOf(result: number, offset: number, next: number): SubmitOutcome {
    if (offset < next) return 'skipped';
    const delivery = this.deliveries.get(result) ?? 0;
    this.deliveries.set(result, delivery + 1);
    if (this.old.has(result) || delivery >= (this.lateFrom[result] ?? 0)) {
      this.pending.add(present(this.truth.results[result]).playerId);
      this.seen.late += 1;
      return 'late';
    }
    if (this.remembered.has(result)) {
      this.seen.duplicate += 1;
      return 'duplicate';
    }
    this.remembered.add(result);
    return 'applied';
  }

  /** As a recompute does once truth is there: with truth's rows below the positions of the mark. */
  private async settle(mark: Mark): Promise<void> {
    const isPresent = (await this.board.marked()).get(mark.playerId)?.markId === mark.markId;
    const fold = this.truth.fold(mark.playerId, nextsOf(mark.positions));
    const answer = isPresent ? 'settled' : 'superseded';
    expect(await this.board.ranking.settle(this.board.tag, this.board.definition.hash, mark, seasonFold(fold))).toBe(
      answer,
    );
    this.seen[answer] += 1;
    if (!isPresent) return;
    this.pending.delete(mark.playerId);
    if (!this.isFinished) this.seen.settledInFill += 1;
  }

  /** The marked are those whose late results truth has not settled; all others stand where truth puts them. */
  private async check(): Promise<void> {
    const marked = await this.board.marked();
    for (const mark of marked.values()) this.everMarked.set(mark.markId, mark);
    expect([...marked.keys()].toSorted()).toEqual([...this.pending].toSorted());
    if (!this.isFinished) return;
    const scores = await this.board.scores();
    for (const playerId of this.players) {
      if (!marked.has(playerId)) expect(scores[playerId] ?? null).toBe(this.truth.fold(playerId, this.nexts));
    }
  }
}
