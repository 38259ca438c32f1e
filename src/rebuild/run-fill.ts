/** One fill of a tag, under its lock: begin, wait for truth, chunks, finish; what fails on the way gives the fill up. */

import { randomUUID } from 'node:crypto';
import type { BoardSeason } from '../domain/board-season.js';
import { StoreUnavailableError } from '../domain/errors.js';
import { addToSum, EMPTY_SUM, type FillSum } from '../domain/fill-entry.js';
import { countBehind, type Position } from '../domain/log-record.js';
import type { Tag } from '../domain/tag.js';
import { standingOf } from '../domain/tag-standing.js';
import { orAborted, pause } from './abortable.js';
import { type Advance, BoardAdvance } from './board-advance.js';
import { FillPace } from './fill-pace.js';
import type { ReportProgress } from './fill-progress.js';
import type { FillTarget } from './fill-target.js';
import type { FillSource, TagLock, TruthSource } from './truth-source.js';

export interface RunFillOptions {
  readonly target: FillTarget;
  /** `MAX_FILL_CHUNK` of the ranking. */
  readonly maxFillChunk: number;
  readonly report: ReportProgress;
  /** Gives the fill up; where the board is shown already the abort is too late, and the fill goes to its end. */
  readonly signal?: AbortSignal | undefined;
  /** A board that stands below truth for so long does not come on by the log any more: it begins anew. Default 10,000. */
  readonly standstillMs?: number;
}

const STANDSTILL_MS = 10_000;
const LOOK_EVERY_MS = 250;
/** As long as a piece of work that the pace leaves a second for that. */
const SHOWN_ANEW_MS = 350;

/** Waits for its turn where another process fills the tag. */
export async function lockTag(
  truth: TruthSource,
  { name }: BoardSeason,
  { report, signal }: Pick<RunFillOptions, 'report' | 'signal'>,
): Promise<TagLock> {
  for (;;) {
    signal?.throwIfAborted();
    const lock = await truth.lock(name);
    if (lock !== null) return lock;
    report({ phase: 'queued' });
    await pause(LOOK_EVERY_MS, signal);
  }
}

/** Answers how many entries came from truth, or `null` where there is a board that is not to be replaced. */
export async function runFill(
  lock: TagLock,
  scope: BoardSeason,
  replace: boolean,
  options: RunFillOptions,
): Promise<number | null> {
  const { target, report } = options;
  const { tag, definition } = scope;
  const jobId = randomUUID();
  const pace = new FillPace(async () => (await target.state(tag))?.positions ?? null, options.signal);
  // Before anybody knows whether the tag begins anew: then these are its positions and its hidden players.
  const start = await snapshotOf(lock, scope, undefined, pace, options);
  let source: FillSource | null = start;
  let sum: FillSum;
  let isLeftBehind = false;
  try {
    const { positions, hidden, floor } = start;
    isLeftBehind = standingOf(definition.hash, await target.state(tag)) === 'left-behind';
    const advance = new BoardAdvance(floor, positions, options.standstillMs ?? STANDSTILL_MS);
    let found = await lookAtBoard(advance, positions, scope, options);
    if (found === 'coming') {
      // Nobody may wait with a snapshot open: it keeps what the database could clear away.
      await start.close();
      source = null;
      found = await waitForBoard(advance, positions, scope, options);
    }
    const anew = found === 'standing';
    // Its own positions are given up with `begin`, so that from there on only a fill brings it on.
    isLeftBehind ||= anew;
    const begun = await target.begin(tag, definition, { jobId, positions, hidden, replace, anew });
    if (begun.kind === 'exists') return null;
    // Where the tag goes on from its own positions, truth as it was may hold too much, or not enough yet.
    if (source === null || !areSame(begun.positions, positions)) {
      await start.close();
      source = null;
      await waitForTruth(lock, begun.positions, options);
      source = await snapshotOf(lock, scope, begun.positions, pace, options);
    }
    sum = await loadAll(source, scope, jobId, pace, options);
  } catch (error) {
    // A fill that failed is what keeps the tag written under its definition, so that servers of it may try again.
    await giveUp(target, tag, isLeftBehind ? null : jobId);
    throw error;
  } finally {
    await source?.close();
  }
  report({ phase: 'sweeping', entries: sum.entries });
  // Right now every client is shown the board anew; what was shown before can wait. Too late for an abort.
  await pace.rest(SHOWN_ANEW_MS).catch(() => undefined);
  await sweepAll(target, tag);
  return sum.entries;
}

/** An abort need not wait for the checkpoint; releasing the lock ends the advance. */
async function snapshotOf(
  lock: TagLock,
  scope: BoardSeason,
  below: readonly Position[] | undefined,
  pace: FillPace,
  { report, signal }: RunFillOptions,
): Promise<FillSource> {
  const onStep = (behind: number): void => report({ phase: 'advancing', behind });
  const rest = (tookMs: number): Promise<void> => pace.rest(tookMs);
  return await orAborted(lock.snapshot(scope, below, { onStep, rest }), signal);
}

/** Only a board that is written goes on from its own positions; those of a stale one, or of another definition, say nothing. */
async function lookAtBoard(
  advance: BoardAdvance,
  truth: readonly Position[],
  { tag, definition }: BoardSeason,
  { target, report }: RunFillOptions,
): Promise<Advance> {
  const state = await target.state(tag);
  if (state === null || standingOf(definition.hash, state) !== 'current') return 'there';
  const found = advance.look(state.positions, performance.now());
  if (found === 'coming') report({ phase: 'catching-up', behind: countBehind(state.positions, truth) });
  return found;
}

async function waitForBoard(
  advance: BoardAdvance,
  truth: readonly Position[],
  scope: BoardSeason,
  options: RunFillOptions,
): Promise<Advance> {
  for (;;) {
    options.signal?.throwIfAborted();
    const found = await lookAtBoard(advance, truth, scope, options);
    if (found !== 'coming') return found;
    await pause(LOOK_EVERY_MS, options.signal);
  }
}

/**
 * Also where nobody knows whether `begin` arrived. The ranking may be what failed; then the next fill replaces this one.
 * `jobId`: of what is to be abandoned.
 */
async function giveUp(target: FillTarget, tag: Tag, jobId: string | null): Promise<void> {
  try {
    if (jobId !== null) await target.abandon(tag, jobId);
    await sweepAll(target, tag);
  } catch {
    // What made the fill fail is what the caller wants to know.
  }
}

export async function sweepAll(target: Pick<FillTarget, 'sweep'>, tag: Tag, signal?: AbortSignal): Promise<void> {
  while (signal?.aborted !== true && (await target.sweep(tag)));
}

async function waitForTruth(
  lock: TagLock,
  goal: readonly Position[],
  { report, signal }: RunFillOptions,
): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const behind = countBehind(await lock.positions(), goal);
    if (behind === 0) return;
    report({ phase: 'waiting', behind });
    await pause(LOOK_EVERY_MS, signal);
  }
}

async function loadAll(
  source: FillSource,
  { tag, name }: BoardSeason,
  jobId: string,
  pace: FillPace,
  { target, maxFillChunk, report, signal }: RunFillOptions,
): Promise<FillSum> {
  let chunks = 0;
  let sum = EMPTY_SUM;
  const reader = source.chunks(maxFillChunk)[Symbol.asyncIterator]();
  for (;;) {
    signal?.throwIfAborted();
    report({ phase: 'loading', entries: sum.entries });
    const startedAt = performance.now();
    // The first chunk of a long season takes minutes, and an abort need not wait for it.
    const { done, value: chunk } = await orAborted(reader.next(), signal);
    if (done === true) break;
    if ((await target.load(tag, jobId, chunks, chunk)) === 'superseded') throw superseded(name);
    chunks += 1;
    sum = addToSum(sum, chunk);
    await pace.rest(performance.now() - startedAt);
  }
  if ((await target.finish(tag, jobId, chunks, sum)) === 'superseded') throw superseded(name);
  return sum;
}

function areSame(some: readonly Position[], others: readonly Position[]): boolean {
  return countBehind(some, others) === 0 && countBehind(others, some) === 0;
}

/** Only where our lock was lost with its connection: whoever has it now goes on, and the next try finds out. */
function superseded(name: string): StoreUnavailableError {
  return new StoreUnavailableError(`the fill of ${name} was taken over by another process`);
}
