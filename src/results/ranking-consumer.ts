/** The group `<prefix>-ranking`: each batch goes to every open tag, with results or none, and is read again where a tag lags. */

import type { BoardSet } from '../domain/board.js';
import { StartRefusedError, StoreUnavailableError } from '../domain/errors.js';
import type { PartitionBatch } from '../domain/log-record.js';
import { type DefinitionHash, type OpenTag, OpenTags, scoreIn } from './open-tags.js';
import type { RankingSubmitter, SubmitResult } from './ranking-submitter.js';
import { readRecord } from './record-parser.js';
import type { ResultCounters } from './reports.js';
import type { PartitionConsumer } from './result-log.js';
import { type FillTag, TagPositions } from './tag-positions.js';
import { submitToTag, type TagSubmitOptions } from './tag-submit.js';

export interface RankingConsumerOptions {
  readonly ranking: RankingSubmitter;
  readonly boardSet: BoardSet;
  readonly definitionHash: DefinitionHash;
  /** Asked for a tag without a board, one call per tag at a time. */
  readonly fill: FillTag;
  readonly counters: ResultCounters;
  /** `MAX_SUBMIT_RESULTS` of the ranking. */
  readonly maxSubmitResults: number;
  /** What a person is to do about a tag that was filled under another definition. */
  readonly otherDefinition: (tag: OpenTag) => string;
  /** Epoch milliseconds; default the process's clock. Decides only which seasons are open. */
  readonly now?: () => number;
}

export class RankingConsumer implements PartitionConsumer {
  private readonly options: RankingConsumerOptions;
  private readonly tags: OpenTags;
  private readonly tagPositions: TagPositions;
  private readonly submitOptions: TagSubmitOptions;

  constructor(options: RankingConsumerOptions) {
    this.options = options;
    this.tags = new OpenTags(options.boardSet, options.definitionHash);
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

  /** Accepted results by the tags that rank them. */
  private sort(batch: PartitionBatch): Map<OpenTag, SubmitResult[]> {
    const results = new Map<OpenTag, SubmitResult[]>();
    let rejected = 0;
    for (const record of batch.records) {
      const read = readRecord(record, this.options.boardSet);
      if (read.kind === 'rejected') rejected += 1;
      if (read.kind !== 'result') continue;
      const { playerId } = read.result;
      for (const tag of this.tags.taking(read.result)) {
        const scored = { playerId, score: scoreIn(tag, read.result), offset: record.offset, at: record.brokerAt };
        const those = results.get(tag);
        if (those === undefined) results.set(tag, [scored]);
        else those.push(scored);
      }
    }
    if (rejected > 0) this.options.counters.count('rejected', rejected);
    return results;
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
      return answer.next;
    }
    if (answer.kind === 'other-definition') throw new StartRefusedError(this.options.otherDefinition(tag));
    await this.tagPositions.lose(tag, nexts);
    const refilled = await this.tagPositions.of(tag);
    if (refilled === nexts) throw new StoreUnavailableError(`${tag.name} has no board, and no fill has begun one`);
    return refilled.of(source, partition);
  }

  /** At the start rather than with the first result; a batch of nothing at 0 claims nothing. */
  private async checkDefinition(tag: OpenTag, source: string): Promise<void> {
    const nothing = { source, partition: 0, from: 0, to: 0, results: [] };
    const reply = await this.options.ranking.submit(tag.tag, tag.definitionHash, nothing);
    if (reply.kind === 'other-definition') throw new StartRefusedError(this.options.otherDefinition(tag));
  }

  private now(): number {
    return this.options.now?.() ?? Date.now();
  }
}
