/** Brings one batch of one partition to one tag, in chunks, and answers where the tag stands then. */

import type { Rule } from '../domain/rules.js';
import type { SubmitBatch, SubmitReply, SubmitResult } from '../domain/submit.js';
import type { OpenTag } from './open-tags.js';
import type { RankingSubmitter } from './ranking-submitter.js';
import type { ResultCounters } from './reports.js';

export interface TagSubmit {
  readonly source: string;
  readonly partition: number;
  /** The `next` that was last answered for the tag. */
  readonly from: number;
  readonly to: number;
  /** By ascending offset, none below `from`. */
  readonly results: readonly SubmitResult[];
}

export type TagAnswer =
  | { readonly kind: 'next'; readonly next: number; readonly isReadable: boolean }
  | { readonly kind: 'no-board' | 'other-definition' };

export interface TagSubmitOptions {
  readonly ranking: RankingSubmitter;
  readonly counters: ResultCounters;
  /** `MAX_SUBMIT_RESULTS` of the ranking. */
  readonly maxSubmitResults: number;
}

/** What a result costs the ranking's store, in results of rule best (loadtest/results): each call blocks it as long. */
const COST: Readonly<Record<Rule, number>> = { best: 1, latest: 2, sum: 3 };

/** All chunks are on their way before the first answer: each begins where the one before ends, so none can overtake a loss. */
export async function submitToTag(options: TagSubmitOptions, tag: OpenTag, submit: TagSubmit): Promise<TagAnswer> {
  const chunks = cutChunks(submit, Math.ceil(options.maxSubmitResults / COST[tag.definition.merge.rule]));
  const settled = await Promise.allSettled(
    chunks.map((chunk) => options.ranking.submit(tag.tag, tag.definition.hash, chunk)),
  );
  const replies = settled.filter((one) => one.status === 'fulfilled').map(({ value }) => value);
  // Before anything is thrown: what was applied comes again as skipped, and would never be counted.
  countOutcomes(options.counters, replies);
  const failure = settled.find((one) => one.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
  const refused = replies.find(({ kind }) => kind === 'no-board' || kind === 'other-definition');
  if (refused?.kind === 'no-board' || refused?.kind === 'other-definition') return { kind: refused.kind };
  const nexts = replies.filter((reply) => reply.kind === 'behind' || reply.kind === 'done');
  const behind = nexts.filter(({ kind }) => kind === 'behind').map(({ next }) => next);
  if (behind.length > 0) return { kind: 'next', next: Math.min(...behind), isReadable: true };
  const isReadable = replies.every((reply) => reply.kind !== 'done' || reply.isReadable);
  return { kind: 'next', next: nexts.at(-1)?.next ?? submit.to, isReadable };
}

/** At least one chunk, also for nothing: the position is to be confirmed. */
export function cutChunks(submit: TagSubmit, maxResults: number): SubmitBatch[] {
  const { source, partition, to, results } = submit;
  const chunks: SubmitBatch[] = [];
  let from = submit.from;
  for (let start = 0; start === 0 || start < results.length; start += maxResults) {
    const part = results.slice(start, start + maxResults);
    const isLast = start + maxResults >= results.length;
    const end = isLast ? to : (part.at(-1)?.offset ?? from) + 1;
    chunks.push({ source, partition, from, to: end, results: part });
    from = end;
  }
  return chunks;
}

function countOutcomes(counters: ResultCounters, replies: readonly SubmitReply[]): void {
  const counts = new Map<string, number>();
  for (const reply of replies) {
    if (reply.kind !== 'done') continue;
    for (const outcome of reply.outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  for (const [outcome, n] of counts) counters.count(outcome, n);
}
