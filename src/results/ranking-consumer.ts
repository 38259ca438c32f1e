/** The group `<prefix>-ranking`: each batch goes to every open tag, with results or none, and is read again where a tag lags. */

import type { BoardSet } from '../domain/board.js';
import { StartRefusedError, StoreUnavailableError } from '../domain/errors.js';
import type { LogRecord, PartitionBatch } from '../domain/log-record.js';
import type { Result } from '../domain/result.js';
import type { SubmitResult } from '../domain/submit.js';
import { type DefineTag, type OpenTag, OpenTags, scoreIn } from './open-tags.js';
import type { RankingSubmitter } from './ranking-submitter.js';
import { readRecord } from './record-parser.js';
import type { ResultCounters } from './reports.js';
import { resultIdentity } from './result-identity.js';
import type { PartitionConsumer } from './result-log.js';
import { type FillTag, TagPositions } from './tag-positions.js';
import { submitToTag, type TagSubmitOptions } from './tag-submit.js';

export interface RankingConsumerOptions {
  readonly ranking: RankingSubmitter;
  readonly boardSet: BoardSet;
  readonly defineTag: DefineTag;
  /** Asked for a tag without a board, one call at a time. */
  readonly fill: FillTag;
  readonly counters: ResultCounters;
  /** `MAX_SUBMIT_RESULTS` of the ranking. */
  readonly maxSubmitResults: number;
  /** What a person is to do about a tag that was filled under another definition. */
  readonly otherDefinition: (tag: OpenTag) => string;
  /** What a person is to do about boards that miss results which the log no longer holds. */
  readonly lostResults?: (tags: readonly OpenTag[], lost: LostResults) => string;
  /** Epoch milliseconds; default the process's clock. Decides only which seasons are open. */
  readonly now?: () => number;
}

/** `[from, to)` of one partition. */
export interface LostResults {
  readonly source: string;
  readonly partition: number;
  readonly from: number;
  readonly to: number;
}

export class RankingConsumer implements PartitionConsumer {
  private readonly options: RankingConsumerOptions;
  private readonly tags: OpenTags;
  private readonly tagPositions: TagPositions;
  private readonly submitOptions: TagSubmitOptions;

  constructor(options: RankingConsumerOptions) {
    this.options = options;
    this.tags = new OpenTags(options.boardSet, options.defineTag);
    this.tagPositions = new TagPositions(options.ranking, options.fill);
    this.submitOptions = options;
  }

  /** The lowest of all open tags, after the fills that are needed. */
  async positions(source: string, partitions: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const open = this.tags.openAt(this.now());
    for (const tag of open) this.tagPositions.forget(tag);
    const all = await Promise.all(open.map((tag) => this.tagPositions.of(tag)));
    await Promise.all(open.map((tag) => this.checkDefinition(tag, source)));
    return new Map(
      partitions.map((partition) => {
        const nexts = all.map((tag) => tag.of(source, partition));
        return [partition, nexts.length === 0 ? 0 : Math.min(...nexts)];
      }),
    );
  }

  async consume(batch: PartitionBatch): Promise<number> {
    const results = this.sort(batch);
    for (const tag of this.tags.openAt(this.now())) if (!results.has(tag)) results.set(tag, []);
    const nexts = await Promise.all([...results].map(([tag, scored]) => this.bringTo(tag, batch, scored)));
    return nexts.length === 0 ? batch.to : Math.min(...nexts);
  }

  /** Truth has what the log dropped: a board that did not see it is to be filled anew, and goes on nowhere else. */
  async lost(source: string, partition: number, from: number, to: number): Promise<void> {
    // No tag ever got anything of this partition: the log is older than the boards, and truth begins where it begins.
    if (from === 0) return;
    const tags = await this.tagPositions.between(source, partition, from, to);
    if (tags.length === 0) return;
    const describe = this.options.lostResults ?? describeLost;
    throw new StartRefusedError(describe(tags, { source, partition, from, to }));
  }

  /** Accepted results by the tags that rank them, and the players to mark. */
  private sort(batch: PartitionBatch): Map<OpenTag, SubmitResult[]> {
    const results = new Map<OpenTag, SubmitResult[]>();
    let rejected = 0;
    for (const record of batch.records) {
      const read = readRecord(record, this.options.boardSet);
      if (read.kind === 'rejected') rejected += 1;
      if (read.kind === 'recompute' || read.kind === 'void') this.mark(results, read.playerId, record);
      if (read.kind !== 'result') continue;
      for (const tag of this.tags.taking(read.result)) {
        add(results, tag, submitOf(tag, read.result, record));
      }
    }
    if (rejected > 0) this.options.counters.count('rejected', rejected);
    return results;
  }

  /** On every open board: nobody knows any more which of them the doubt is about. */
  private mark(results: Map<OpenTag, SubmitResult[]>, playerId: string, { offset, brokerAt }: LogRecord): void {
    for (const tag of this.tags.openAt(this.now())) add(results, tag, { playerId, score: null, offset, at: brokerAt });
  }

  /** Answers the tag's next after the batch: where the log is to be read on for it. */
  private async bringTo(tag: OpenTag, batch: PartitionBatch, results: readonly SubmitResult[]): Promise<number> {
    const { source, partition } = batch;
    const nexts = await this.tagPositions.of(tag);
    const from = nexts.of(source, partition);
    // The tag has not seen what lies between: submitting would claim that it has.
    if (from < batch.from) return from;
    const fresh = results.filter(({ offset }) => offset >= from);
    const answer = await submitToTag(this.submitOptions, tag, {
      source,
      partition,
      from,
      to: Math.max(from, batch.to),
      results: fresh,
    });
    if (answer.kind === 'next') {
      nexts.set(source, partition, answer.next);
      if (answer.isReadable) return answer.next;
    }
    if (answer.kind === 'other-definition') throw new StartRefusedError(this.options.otherDefinition(tag));
    // No board, or one whose fill never ended: its process died, or a failover lost the last step.
    await this.tagPositions.lose(tag, nexts);
    const refilled = await this.tagPositions.of(tag);
    if (refilled === nexts) throw new StoreUnavailableError(`${tag.name} has no board, and no fill has begun one`);
    return refilled.of(source, partition);
  }

  /** At the start rather than with the first result; a batch of nothing at 0 claims nothing. */
  private async checkDefinition(tag: OpenTag, source: string): Promise<void> {
    const nothing = { source, partition: 0, from: 0, to: 0, results: [] };
    const reply = await this.options.ranking.submit(tag.tag, tag.definition.hash, nothing);
    if (reply.kind === 'other-definition') throw new StartRefusedError(this.options.otherDefinition(tag));
  }

  private now(): number {
    return this.options.now?.() ?? Date.now();
  }
}

function add(results: Map<OpenTag, SubmitResult[]>, tag: OpenTag, result: SubmitResult): void {
  const those = results.get(tag);
  if (those === undefined) results.set(tag, [result]);
  else those.push(result);
}

function submitOf(tag: OpenTag, result: Result, { offset, brokerAt }: LogRecord): SubmitResult {
  const scored = { playerId: result.playerId, score: scoreIn(tag, result), offset, at: brokerAt };
  return tag.definition.merge.rule === 'sum' ? { ...scored, identity: resultIdentity(result) } : scored;
}

function describeLost(tags: readonly OpenTag[], { source, partition, from, to }: LostResults): string {
  const names = tags.map(({ name }) => name).join(', ');
  return (
    `${source} partition ${partition} no longer holds the results ${from} to ${to - 1}, which are missing on ${names}: ` +
    `delete the tag's meta key in the ranking's store, then it is filled anew from PostgreSQL`
  );
}
