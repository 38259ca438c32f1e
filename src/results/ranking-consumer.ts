/** The group `<prefix>-ranking`: each batch goes to every open tag, with results or none, and is read again where a tag lags. */

import type { BoardSeason, BoardSeasons } from '../domain/board-season.js';
import { StartRefusedError, StoreUnavailableError } from '../domain/errors.js';
import type { PartitionBatch } from '../domain/log-record.js';
import type { SubmitResult } from '../domain/submit.js';
import { OpenTags } from './open-tags.js';
import type { RankingSubmitter } from './ranking-submitter.js';
import { readRecord } from './record-parser.js';
import type { ResultCounters } from './reports.js';
import type { PartitionConsumer } from './result-log.js';
import { ordersFor } from './tag-orders.js';
import { type FillTag, TagPositions } from './tag-positions.js';
import { scoredFor } from './tag-results.js';
import { submitToTag, type TagSubmitOptions } from './tag-submit.js';

export interface RankingConsumerOptions {
  readonly ranking: RankingSubmitter;
  readonly seasons: BoardSeasons;
  /** Asked for a tag without a board, one call at a time. */
  readonly fill: FillTag;
  readonly counters: ResultCounters;
  /** `MAX_SUBMIT_RESULTS` of the ranking. */
  readonly maxSubmitResults: number;
  /** What a person is to do about a tag that was filled under another definition. */
  readonly otherDefinition: (tag: BoardSeason) => string;
  /** What a person is to do about boards that miss results which the log no longer holds. */
  readonly lostResults?: (tags: readonly BoardSeason[], lost: LostResults) => string;
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
    this.tags = new OpenTags(options.seasons);
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
    const nexts = await Promise.all([...this.sort(batch)].map(([tag, those]) => this.bringTo(tag, batch, those)));
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

  /** What the batch asks of each tag: of every open one, if only to take note of the position. */
  private sort(batch: PartitionBatch): Map<BoardSeason, SubmitResult[]> {
    const now = this.now();
    const open = this.tags.openAt(now);
    const asked = new Map(open.map((tag): [BoardSeason, SubmitResult[]] => [tag, []]));
    const rejected = new Map<string, number>();
    for (const record of batch.records) {
      const read = readRecord(record, this.options.seasons.boardSet);
      if (read.kind === 'nothing') continue;
      if (read.kind === 'rejected') {
        const { code } = read.rejection;
        rejected.set(code, (rejected.get(code) ?? 0) + 1);
      } else if (read.kind === 'result') {
        for (const tag of this.tags.taking(read.result)) add(asked, tag, scoredFor(tag, read.result, record));
      } else {
        for (const tag of open) add(asked, tag, ordersFor(tag, read, record, now));
      }
    }
    for (const [reason, n] of rejected) this.options.counters.count('rejected', n, reason);
    return asked;
  }

  /** Answers the tag's next after the batch: where the log is to be read on for it. */
  private async bringTo(tag: BoardSeason, batch: PartitionBatch, results: readonly SubmitResult[]): Promise<number> {
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
  private async checkDefinition(tag: BoardSeason, source: string): Promise<void> {
    const nothing = { source, partition: 0, from: 0, to: 0, results: [] };
    const reply = await this.options.ranking.submit(tag.tag, tag.definition.hash, nothing);
    if (reply.kind === 'other-definition') throw new StartRefusedError(this.options.otherDefinition(tag));
  }

  private now(): number {
    return this.options.now?.() ?? Date.now();
  }
}

function add(asked: Map<BoardSeason, SubmitResult[]>, tag: BoardSeason, more: readonly SubmitResult[]): void {
  const those = asked.get(tag);
  if (those === undefined) asked.set(tag, [...more]);
  else those.push(...more);
}

function describeLost(tags: readonly BoardSeason[], { source, partition, from, to }: LostResults): string {
  const names = tags.map(({ name }) => name).join(', ');
  return (
    `${source} partition ${partition} no longer holds the results ${from} to ${to - 1}, which are missing on ${names}: ` +
    `delete the tag's meta key in the ranking's store, then it is filled anew from PostgreSQL`
  );
}
