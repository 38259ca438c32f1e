/** Brings one batch of one partition to one tag, in chunks, and answers where the tag stands then. */

import type { BoardSeason } from '../domain/board-season.js';
import type { Rule } from '../domain/rules.js';
import type { SubmitBatch, SubmitReply, SubmitResult } from '../domain/submit.js';
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

/** What a result in one list costs the ranking's store, in results of rule best (loadtest/results): each call blocks it as long. */
const COST: Readonly<Record<Rule, number>> = { best: 1, latest: 2, sum: 3 };

/** All chunks are on their way before the first answer: each begins where the one before ends, so none can overtake a loss. */
export async function submitToTag(options: TagSubmitOptions, tag: BoardSeason, submit: TagSubmit): Promise<TagAnswer> {
  const chunks = cutChunks(submit, options.maxSubmitResults, COST[tag.definition.merge.rule]);
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

/**
 * At least one chunk, also for nothing: the position is to be confirmed. Each costs at most `maxCost`, in results of rule best
 * in one list, unless one record alone costs more: what it comes to stays together, for a position lies between records.
 */
export function cutChunks(submit: TagSubmit, maxCost: number, costPerList: number): SubmitBatch[] {
  const { source, partition, to, results } = submit;
  const chunks: SubmitBatch[] = [];
  let from = submit.from;
  let part: SubmitResult[] = [];
  let cost = 0;
  for (const record of byOffset(results)) {
    const more = costPerList * record.reduce((sum, { lists }) => sum + Math.max(1, lists.length), 0);
    if (part.length > 0 && cost + more > maxCost) {
      const end = (part.at(-1)?.offset ?? from) + 1;
      chunks.push({ source, partition, from, to: end, results: part });
      from = end;
      part = [];
      cost = 0;
    }
    part.push(...record);
    cost += more;
  }
  return [...chunks, { source, partition, from, to, results: part }];
}

/** What came of each record: one result, or several orders. */
function byOffset(results: readonly SubmitResult[]): SubmitResult[][] {
  const records: SubmitResult[][] = [];
  for (const result of results) {
    const last = records.at(-1);
    if (last?.[0]?.offset === result.offset) last.push(result);
    else records.push([result]);
  }
  return records;
}

function countOutcomes(counters: ResultCounters, replies: readonly SubmitReply[]): void {
  const counts = new Map<string, number>();
  for (const reply of replies) {
    if (reply.kind !== 'done') continue;
    for (const outcome of reply.outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  for (const [outcome, n] of counts) counters.count(outcome, n);
}
