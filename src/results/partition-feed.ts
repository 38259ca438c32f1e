/**
 * Feeds one consumer of one group, whatever the log: batches continue each other, a consumer that fails gets the same
 * records again after a pause, one that is slow holds up nobody, and each position is confirmed about once a second.
 */

import type { Logger } from 'pino';
import { RankcastError, StartRefusedError } from '../domain/errors.js';
import type { LogRecord, PartitionBatch } from '../domain/log-record.js';
import { judgeGap } from './gap.js';
import { Lane } from './lane.js';
import { Problems } from './problems.js';
import type { LogReports } from './reports.js';
import type { PartitionConsumer } from './result-log.js';
import { backoffMs, settlesWithin } from './settles-within.js';

/** First offset that the log still holds, and one past its last. */
export interface LogRange {
  readonly low: number;
  readonly end: number;
}

/** What the feed asks of its log. */
export interface FeedControls {
  /** What is offered next starts here; an offer under way may still come and is dropped. */
  seek(partition: number, offset: number): void;
  pause(partition: number): void;
  resume(partition: number): void;
  ranges(partitions: readonly number[]): Promise<ReadonlyMap<number, LogRange>>;
}

/** Everything that the log holds in `[first, to)`. */
export interface Offer {
  readonly partition: number;
  readonly first: number;
  readonly to: number;
  readonly records: readonly LogRecord[];
  /** One past the log's last offset at that time. */
  readonly end: number;
}

export interface PartitionFeedOptions {
  readonly source: string;
  readonly group: string;
  readonly consumer: PartitionConsumer;
  readonly controls: FeedControls;
  readonly reports: LogReports;
  readonly logger: Logger;
  /** How often a quiet position is confirmed. Default 1,000. */
  readonly confirmEveryMs?: number;
  /** After this long a batch goes on in the background and its partition is paused. Default 2,000. */
  readonly slowAfterMs?: number;
}

const CLOSE_LIMIT_MS = 8_000;

export class PartitionFeed {
  private readonly options: PartitionFeedOptions;
  private readonly problems: Problems;
  private readonly confirming: NodeJS.Timeout;
  private readonly slowAfterMs: number;
  private readonly confirmEveryMs: number;
  private readonly timers = new Set<NodeJS.Timeout>();
  private lanes = new Map<number, Lane>();
  private assignment = 0;
  private isClosed = false;

  constructor(options: PartitionFeedOptions) {
    this.options = options;
    this.problems = new Problems(options.group, options.reports);
    this.slowAfterMs = options.slowAfterMs ?? 2_000;
    this.confirmEveryMs = options.confirmEveryMs ?? 1_000;
    this.confirming = setInterval(() => this.confirmQuiet(), this.confirmEveryMs);
  }

  /**
   * A new assignment: all expectations are dropped and the consumer is asked again. Resolves after the first try, also
   * where it failed and is repeated; rejects where only a person can help, and is repeated slowly even so.
   */
  assign(partitions: readonly number[]): Promise<void> {
    const before = this.lanes;
    for (const lane of before.values()) lane.isRetired = true;
    this.lanes = new Map(partitions.map((partition) => [partition, new Lane(partition, before.get(partition))]));
    const lanes = [...this.lanes.values()];
    for (const lane of lanes) this.hold(lane, 'loading');
    this.assignment += 1;
    return this.load(lanes, this.assignment, 1);
  }

  /** Resolves when the log may go on to other things; never rejects. */
  async offer(offer: Offer): Promise<void> {
    const lane = this.lanes.get(offer.partition);
    if (lane === undefined || lane.holds.size > 0) return;
    const work = lane.inTurn(() => this.take(lane, offer));
    if (await settlesWithin(work, this.slowAfterMs)) return;
    // The log must go on (heartbeats, other partitions); what runs is not given up, and nothing is offered beside it.
    this.hold(lane, 'slow');
    void work.finally(() => this.release(lane, 'slow'));
  }

  /** The log's end, also where nothing is offered: for lag, and to notice a log that was made anew. */
  observeEnd(partition: number, end: number): void {
    const lane = this.lanes.get(partition);
    if (lane?.next === undefined || lane.isRetired) return;
    lane.end = end;
    this.reportLag(lane);
    const isTooShort = end < lane.next;
    this.problems.set(`end ${partition}`, isTooShort ? this.tooShort(lane.partition, end, lane.next) : undefined);
  }

  /** A trouble of the log itself; `undefined` when it is over. */
  observeLog(problem: string | undefined): void {
    this.problems.set('log', problem);
  }

  /** Next offset per partition that is known. */
  positions(): Map<number, number> {
    const known = new Map<number, number>();
    for (const { partition, next } of this.lanes.values()) if (next !== undefined) known.set(partition, next);
    return known;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.confirming);
    for (const timer of this.timers) clearTimeout(timer);
    const lanes = [...this.lanes.values()];
    for (const lane of lanes) lane.isRetired = true;
    await settlesWithin(Promise.all(lanes.map((lane) => lane.settled())), CLOSE_LIMIT_MS);
  }

  private async load(lanes: readonly Lane[], assignment: number, attempt: number): Promise<void> {
    const { consumer, controls, source } = this.options;
    const partitions = lanes.map(({ partition }) => partition);
    try {
      await Promise.all(lanes.map((lane) => lane.settled()));
      const positions = await consumer.positions(source, partitions);
      const ranges = await controls.ranges(partitions);
      for (const lane of lanes) this.begin(lane, positions.get(lane.partition) ?? 0, ranges.get(lane.partition));
      if (!this.isOver(assignment)) this.problems.keepOnly('log');
    } catch (error) {
      if (this.isOver(assignment)) return;
      this.problems.set('assignment', messageOf(error));
      this.options.logger.warn({ err: error, group: this.options.group, attempt }, 'cannot learn where to read on');
      this.later(backoffMs(attempt), () => void this.load(lanes, assignment, attempt + 1).catch(() => undefined));
      if (error instanceof RankcastError && !error.isRetryable) throw error;
    }
  }

  private begin(lane: Lane, next: number, range: LogRange | undefined): void {
    if (lane.isRetired) return;
    if (range !== undefined && range.end < next) {
      throw new StartRefusedError(this.tooShort(lane.partition, range.end, next));
    }
    lane.next = next;
    lane.end = range?.end;
    lane.low = range?.low ?? 0;
    this.reportLag(lane);
    this.release(lane, 'loading');
  }

  private async take(lane: Lane, offer: Offer): Promise<void> {
    if (lane.isRetired || lane.next === undefined || lane.holds.has('backoff')) return;
    try {
      const from = await this.whereItContinues(lane, lane.next, offer);
      if (from === undefined || lane.isRetired) return;
      const records = offer.first < from ? offer.records.filter(({ offset }) => offset >= from) : offer.records;
      lane.end = offer.end;
      await this.consume(lane, {
        source: this.options.source,
        partition: lane.partition,
        from,
        to: offer.to,
        records,
      });
    } catch (error) {
      this.fail(lane, error);
    }
  }

  /** Where the batch begins for the consumer, or `undefined` after seeking elsewhere. */
  private async whereItContinues(lane: Lane, next: number, offer: Offer): Promise<number | undefined> {
    if (offer.first === next || (offer.first < next && offer.to > next)) return next;
    if (offer.first < next) {
      if (offer.end < next) throw new StartRefusedError(this.tooShort(lane.partition, offer.end, next));
      return this.seek(lane, next);
    }
    const range = (await this.options.controls.ranges([lane.partition])).get(lane.partition);
    lane.low = range?.low ?? next;
    const gap = judgeGap(next, offer.first, lane.low, lane.gap);
    if (gap.kind === 'ask-again') {
      lane.gap = { next, first: offer.first };
      return this.seek(lane, gap.offset);
    }
    if (gap.lost > 0) this.reportLoss(lane, next, gap.lost);
    return next;
  }

  /** Never below what the log holds: out of range, a client library goes wherever it likes. */
  private seek(lane: Lane, offset: number): undefined {
    this.options.controls.seek(lane.partition, Math.max(offset, lane.low));
    return undefined;
  }

  private async consume(lane: Lane, batch: PartitionBatch): Promise<void> {
    const next = await this.options.consumer.consume(batch);
    if (lane.isRetired) return;
    if (next < batch.to)
      this.options.logger.info({ ...batch, records: undefined, next }, 'reading again from an earlier offset');
    lane.next = next;
    lane.gap = undefined;
    lane.failures = 0;
    lane.fedAt = Date.now();
    this.problems.set(`partition ${lane.partition}`, undefined);
    this.reportLag(lane);
    if (batch.from < batch.to || next !== batch.to) this.seek(lane, next);
  }

  private fail(lane: Lane, error: unknown): void {
    if (lane.isRetired) return;
    lane.failures += 1;
    const { group, logger } = this.options;
    const details = { err: error, group, partition: lane.partition, next: lane.next, failures: lane.failures };
    if (lane.failures % 10 === 1) logger.warn(details, 'a batch could not be taken; it is tried again');
    this.problems.set(`partition ${lane.partition}`, messageOf(error));
    this.hold(lane, 'backoff');
    this.later(backoffMs(lane.failures), () => this.release(lane, 'backoff'));
  }

  private confirmQuiet(): void {
    const before = Date.now() - this.confirmEveryMs / 2;
    for (const lane of this.lanes.values()) {
      if (lane.holds.size > 0 || lane.isBusy || lane.fedAt > before) continue;
      void lane.inTurn(() => this.confirm(lane));
    }
  }

  private async confirm(lane: Lane): Promise<void> {
    if (lane.isRetired || lane.next === undefined || lane.holds.size > 0) return;
    const { partition, next } = lane;
    try {
      await this.consume(lane, { source: this.options.source, partition, from: next, to: next, records: [] });
    } catch (error) {
      this.fail(lane, error);
    }
  }

  private hold(lane: Lane, reason: string): void {
    if (lane.isRetired) return;
    if (lane.holds.size === 0) this.options.controls.pause(lane.partition);
    lane.holds.add(reason);
  }

  private release(lane: Lane, reason: string): void {
    lane.holds.delete(reason);
    if (lane.holds.size > 0 || lane.isRetired || lane.next === undefined) return;
    this.seek(lane, lane.next);
    this.options.controls.resume(lane.partition);
  }

  private later(delayMs: number, work: () => void): void {
    if (this.isClosed) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      work();
    }, delayMs);
    this.timers.add(timer);
  }

  private reportLag({ partition, end, next }: Lane): void {
    if (end === undefined || next === undefined) return;
    this.options.reports.lag(this.options.group, partition, Math.max(0, end - next));
  }

  private reportLoss(lane: Lane, next: number, lost: number): void {
    const { group, logger, reports, source } = this.options;
    reports.lost(group, lane.partition, lost);
    logger.error(
      { group, source, partition: lane.partition, next, low: lane.low, lost },
      'the log no longer holds records that this group has not considered; lengthen its retention',
    );
  }

  private tooShort(partition: number, end: number, next: number): string {
    return (
      `${this.options.source} partition ${partition} ends at ${end}, but ${this.options.group} has read up to ${next}: ` +
      'was the topic recreated, or is this the database of another one? Bring the old log back, or use another topic or schema.'
    );
  }

  private isOver(assignment: number): boolean {
    return this.isClosed || assignment !== this.assignment;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
