/** Fills a tag that has no finished board from truth: positions and folded scores of one moment; live results merge meanwhile. */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { StoreUnavailableError } from '../domain/errors.js';
import type { FillEntry } from '../domain/fill-entry.js';
import type { Position } from '../domain/log-record.js';
import type { ScoreLayout } from '../domain/packed-score.js';
import type { Rule } from '../domain/rules.js';
import type { Season } from '../domain/season.js';
import { type Tag, tagName } from '../domain/tag.js';
import type { TagDefinition } from '../domain/tag-definition.js';

/** What is filled; a ranking has it. */
export interface FillTarget {
  state(tag: Tag): Promise<unknown | null>;
  begin(
    tag: Tag,
    definition: TagDefinition,
    start: { readonly jobId: string; readonly positions: readonly Position[] },
  ): Promise<'begun' | 'exists'>;
  load(tag: Tag, jobId: string, index: number, entries: readonly FillEntry[]): Promise<'loaded' | 'superseded'>;
  finish(tag: Tag, jobId: string, chunks: number): Promise<'finished' | 'superseded'>;
}

/** One moment of truth, read under the tag's lock. */
export interface FillSource {
  readonly positions: readonly Position[];
  chunks(chunkSize: number): AsyncIterable<readonly FillEntry[]>;
  close(): Promise<void>;
}

export interface TruthSnapshots {
  /** `null` while another process fills the tag. */
  open(scope: {
    readonly tagName: string;
    readonly modes: readonly string[];
    readonly season: Season;
    readonly layout: ScoreLayout;
    readonly rule: Rule;
  }): Promise<FillSource | null>;
}

/** The tag to fill, with all that shapes its scores. */
export interface FillPlan {
  readonly tag: Tag;
  readonly modes: readonly string[];
  readonly season: Season;
  readonly layout: ScoreLayout;
  readonly definition: TagDefinition;
}

export interface FillTagOptions {
  readonly target: FillTarget;
  readonly truth: TruthSnapshots;
  readonly logger: Logger;
  /** `MAX_FILL_CHUNK` of the ranking. */
  readonly maxFillChunk: number;
  /** Ends the waiting for another process. */
  readonly signal?: AbortSignal;
}

/** `exists`: there was a finished board already, or another process made it. */
export type FillOutcome = { readonly kind: 'exists' } | { readonly kind: 'filled'; readonly entries: number };

const WAIT_FOR_OTHERS_MS = 250;
const PROGRESS_EVERY_MS = 3_000;

/** Safe to call from many processes for the same tag at once, and again after a death at any step. */
export async function fillTag(plan: FillPlan, options: FillTagOptions): Promise<FillOutcome> {
  const { target, truth, signal } = options;
  const { tag, modes, season, layout, definition } = plan;
  for (;;) {
    signal?.throwIfAborted();
    if ((await target.state(tag)) !== null) return { kind: 'exists' };
    const source = await truth.open({ tagName: tagName(tag), modes, season, layout, rule: definition.merge.rule });
    if (source === null) {
      await sleep(WAIT_FOR_OTHERS_MS);
      continue;
    }
    try {
      // Another process may have finished between our look and the lock.
      if ((await target.state(tag)) !== null) return { kind: 'exists' };
      return await fillFrom(source, plan, options);
    } finally {
      await source.close();
    }
  }
}

async function fillFrom(source: FillSource, plan: FillPlan, options: FillTagOptions): Promise<FillOutcome> {
  const { target, logger, maxFillChunk, signal } = options;
  const { tag, definition } = plan;
  const startedAt = Date.now();
  const jobId = randomUUID();
  if ((await target.begin(tag, definition, { jobId, positions: source.positions })) === 'exists') {
    return { kind: 'exists' };
  }
  let chunks = 0;
  let entries = 0;
  let toldAt = startedAt;
  for await (const chunk of source.chunks(maxFillChunk)) {
    signal?.throwIfAborted();
    if ((await target.load(tag, jobId, chunks, chunk)) === 'superseded') throw superseded(tag);
    chunks += 1;
    entries += chunk.length;
    if (Date.now() - toldAt < PROGRESS_EVERY_MS) continue;
    toldAt = Date.now();
    logger.info({ tag: tagName(tag), entries }, 'filling a board from the database');
  }
  if ((await target.finish(tag, jobId, chunks)) === 'superseded') throw superseded(tag);
  const seconds = (Date.now() - startedAt) / 1_000;
  logger.info({ tag: tagName(tag), entries, seconds }, 'board filled from the database');
  return { kind: 'filled', entries };
}

/** Only where our lock was lost with its connection: whoever has it now goes on, and the next try finds out. */
function superseded(tag: Tag): StoreUnavailableError {
  return new StoreUnavailableError(`the fill of ${tagName(tag)} was taken over by another process`);
}
