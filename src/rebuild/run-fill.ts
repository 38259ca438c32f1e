/** One fill of a tag, under its lock: begin, wait for truth, chunks, finish; what fails on the way gives the fill up. */

import { randomUUID } from 'node:crypto';
import type { BoardSeason } from '../domain/board-season.js';
import { StoreUnavailableError } from '../domain/errors.js';
import { addToSum, EMPTY_SUM, type FillSum } from '../domain/fill-entry.js';
import { countBehind, type Position } from '../domain/log-record.js';
import type { Tag } from '../domain/tag.js';
import { orAborted, pause } from './abortable.js';
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
}

const LOOK_EVERY_MS = 250;

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
  // Before anybody knows whether the tag begins anew: then these are its positions and its hidden players.
  const start = await lock.snapshot(scope);
  let source = start;
  let sum: FillSum;
  try {
    const { positions, hidden } = start;
    const begun = await target.begin(tag, definition, { jobId, positions, hidden, replace });
    if (begun.kind === 'exists') return null;
    // Where the tag goes on from its own positions, truth as it was may hold too much, or not enough yet.
    if (!areSame(begun.positions, positions)) {
      await start.close();
      await waitForTruth(lock, begun.positions, options);
      source = await lock.snapshot(scope, begun.positions);
    }
    sum = await loadAll(source, scope, jobId, options);
  } catch (error) {
    await giveUp(target, tag, jobId);
    throw error;
  } finally {
    await source.close();
  }
  report({ phase: 'sweeping', entries: sum.entries });
  await sweepAll(target, tag);
  return sum.entries;
}

/** Also where nobody knows whether `begin` arrived. The ranking may be what failed; then the next fill replaces this one. */
async function giveUp(target: FillTarget, tag: Tag, jobId: string): Promise<void> {
  try {
    await target.abandon(tag, jobId);
    await sweepAll(target, tag);
  } catch {
    // What made the fill fail is what the caller wants to know.
  }
}

async function sweepAll(target: FillTarget, tag: Tag): Promise<void> {
  while (await target.sweep(tag));
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
  { target, maxFillChunk, report, signal }: RunFillOptions,
): Promise<FillSum> {
  let chunks = 0;
  let sum = EMPTY_SUM;
  const reader = source.chunks(maxFillChunk)[Symbol.asyncIterator]();
  for (;;) {
    signal?.throwIfAborted();
    report({ phase: 'loading', entries: sum.entries });
    // The first chunk of a long season takes minutes, and an abort need not wait for it.
    const { done, value: chunk } = await orAborted(reader.next(), signal);
    if (done === true) break;
    if ((await target.load(tag, jobId, chunks, chunk)) === 'superseded') throw superseded(name);
    chunks += 1;
    sum = addToSum(sum, chunk);
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
