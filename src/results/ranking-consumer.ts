/**
 * The group `<prefix>-ranking`: each batch goes to every open tag, with results or none, and is read again where a tag lags.
 * A tag that only a person can bring on is left out, and the others go on; when it goes on, the log is read again for it.
 * Where none is left the log stands still, and a start is refused.
 */

import type { Logger } from 'pino';
import type { BoardSeason, BoardSeasons } from '../domain/board-season.js';
import { RankcastError, StartRefusedError, StoreUnavailableError } from '../domain/errors.js';
import type { PartitionBatch } from '../domain/log-record.js';
import type { SubmitResult } from '../domain/submit.js';
import { OpenTags } from './open-tags.js';
import type { RankingSubmitter } from './ranking-submitter.js';
import { readRecord } from './record-parser.js';
import { RefusedTags } from './refused-tags.js';
import type { ResultCounters } from './reports.js';
import type { PartitionConsumer } from './result-log.js';
import { ordersFor } from './tag-orders.js';
import { type FillTag, type TagNexts, TagPositions } from './tag-positions.js';
import { scoredFor } from './tag-results.js';
import { submitToTag, type TagSubmitOptions } from './tag-submit.js';
import { VoidedResults, type VoidReader } from './voided-results.js';

export interface RankingConsumerOptions {
  readonly ranking: RankingSubmitter;
  readonly seasons: BoardSeasons;
  /** Asked for a tag without a board, one call at a time. */
  readonly fill: FillTag;
  /** Where the voids of before are. */
  readonly voids: VoidReader;
  readonly counters: ResultCounters;
  /** `MAX_SUBMIT_RESULTS` of the ranking. */
  readonly maxSubmitResults: number;
  /** What a person is to do about a tag that was filled under another definition. */
  readonly otherDefinition: (tag: BoardSeason) => string;
  /** What a person is to do about boards that miss results which the log no longer holds. */
  readonly lostResults: (tags: readonly BoardSeason[], lost: LostResults) => string;
  /** Epoch milliseconds; default the process's clock. Decides which seasons are open, and when a refused tag is asked again. */
  readonly now?: () => number;
  readonly logger: Logger;
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
  private readonly voided: VoidedResults;
  private readonly refused: RefusedTags;

  constructor(options: RankingConsumerOptions) {
    this.options = options;
    this.tags = new OpenTags(options.seasons);
    this.tagPositions = new TagPositions(options.ranking, options.fill);
    this.submitOptions = options;
    this.voided = new VoidedResults(options.voids, options.seasons.boardSet.maxLatenessMs);
    this.refused = new RefusedTags(options.logger);
  }

  /** The lowest of all open tags that go on, after the fills that are needed. */
  async positions(source: string, partitions: readonly number[]): Promise<ReadonlyMap<number, number>> {
    this.voided.load(this.now());
    const open = this.tags.openAt(this.now());
    const all = await Promise.all(open.map((tag) => this.startAt(tag, source)));
    const going = all.filter((nexts) => nexts !== undefined);
    if (going.length === 0) this.refuseAll(open);
    return new Map(
      partitions.map((partition) => {
        const nexts = going.map((tag) => tag.of(source, partition));
        return [partition, nexts.length === 0 ? 0 : Math.min(...nexts)];
      }),
    );
  }

  async consume(batch: PartitionBatch): Promise<number> {
    const asked = this.sort(batch);
    const all = await Promise.all([...asked].map(([tag, those]) => this.bringUnlessRefused(tag, batch, those)));
    const nexts = all.filter((next) => next !== undefined);
    if (nexts.length > 0) return Math.min(...nexts);
    this.refuseAll([...asked.keys()]);
    return batch.to;
  }

  problem(): string | undefined {
    return this.refused.describe(this.tags.openAt(this.now()));
  }

  /** Truth has what the log dropped: a board that did not see it is to be filled anew, and goes on nowhere else. */
  async lost(source: string, partition: number, from: number, to: number): Promise<void> {
    // No tag ever got anything of this partition: the log is older than the boards, and truth begins where it begins.
    if (from === 0) return;
    const tags = await this.tagPositions.between(source, partition, from, to);
    if (tags.length === 0) return;
    throw new StartRefusedError(this.options.lostResults(tags, { source, partition, from, to }));
  }

  /** What the batch asks of each tag: of every open one, if only to take note of the position. */
  private sort(batch: PartitionBatch): Map<BoardSeason, SubmitResult[]> {
    const now = this.now();
    const open = this.tags.openAt(now);
    const asked = new Map(open.map((tag): [BoardSeason, SubmitResult[]] => [tag, []]));
    const rejected = new Map<string, number>();
    let voided = 0;
    for (const record of batch.records) {
      const read = readRecord(record, this.options.seasons.boardSet);
      if (read.kind === 'nothing') continue;
      if (read.kind === 'rejected') {
        const { code } = read.rejection;
        rejected.set(code, (rejected.get(code) ?? 0) + 1);
      } else if (read.kind === 'result') {
        const tags = this.tags.taking(read.result);
        if (this.voided.has(read.result)) voided += tags.length;
        else for (const tag of tags) add(asked, tag, scoredFor(tag, read.result, record));
      } else {
        if (read.kind === 'void') this.voided.add(read);
        for (const tag of open) add(asked, tag, ordersFor(tag, read, record, now));
      }
    }
    for (const [reason, n] of rejected) this.options.counters.count('rejected', n, reason);
    if (voided > 0) this.options.counters.count('voided', voided);
    return asked;
  }

  private startAt(tag: BoardSeason, source: string): Promise<TagNexts | undefined> {
    this.tagPositions.forget(tag);
    return this.unlessRefused(tag, async () => {
      const nexts = await this.tagPositions.of(tag);
      await this.checkDefinition(tag, source);
      return nexts;
    });
  }

  private async bringUnlessRefused(
    tag: BoardSeason,
    batch: PartitionBatch,
    results: readonly SubmitResult[],
  ): Promise<number | undefined> {
    const wasRefused = this.refused.has(tag);
    if (!this.refused.takeTurn(tag, this.now())) return undefined;
    return await this.unlessRefused(tag, async () => {
      // Before the log is read again for it: where it stands lies below, whether it may go on or not.
      if (wasRefused) await this.checkDefinition(tag, batch.source);
      return await this.bringTo(tag, batch, results);
    });
  }

  /** `undefined`: only a person can bring the tag on. What it has not seen meanwhile shows in its positions when it goes on. */
  private async unlessRefused<T>(tag: BoardSeason, work: () => Promise<T>): Promise<T | undefined> {
    try {
      const done = await work();
      this.refused.accept(tag);
      return done;
    } catch (error) {
      // Whatever no other try can mend: another definition, or days that were detached and a fill would need.
      if (!(error instanceof RankcastError) || error.isRetryable) throw error;
      this.tagPositions.forget(tag);
      this.refused.refuse(tag, error.message, this.now());
      return undefined;
    }
  }

  /** Nobody is left who would consider what the log brings. Throws where there was anybody. */
  private refuseAll(tags: readonly BoardSeason[]): void {
    const reason = this.refused.describe(tags);
    if (reason !== undefined) throw new StartRefusedError(reason);
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
      if (answer.isReadable || this.tagPositions.isInOtherHands(tag)) return answer.next;
    }
    if (answer.kind === 'other-definition') throw new StartRefusedError(this.options.otherDefinition(tag));
    // No board, or one whose fill never ended: its process died, or a failover lost the last step.
    await this.tagPositions.lose(tag, nexts);
    const refilled = await this.tagPositions.of(tag);
    if (refilled === nexts) throw new StoreUnavailableError(`${tag.name} has no board, and no fill has begun one`);
    return refilled.of(source, partition);
  }

  /** Without results, and wherever the tag stands; a batch of nothing at 0 claims nothing. */
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
