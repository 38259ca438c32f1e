/**
 * Feeds one consumer of one group, whatever the log: batches continue each other, a consumer that fails gets the same
 * records again after a pause, one that is slow holds up nobody, and each position is confirmed about once a second.
 */

import { RankcastError, StartRefusedError } from '../domain/errors.js';
import type { PartitionBatch } from '../domain/log-record.js';
import { backoffMs } from './backoff.js';
import { Continuation, seek } from './continuation.js';
import { EndWatch, endSubject } from './end-watch.js';
import type { LogRange, Offer, PartitionFeedOptions } from './feed-options.js';
import { Lane } from './lane.js';
import { messageOf, Problems } from './problems.js';
import { settlesWithin } from './settles-within.js';

const CLOSE_LIMIT_MS = 8_000;
/** The subject of what the consumer itself says. */
const CONSUMER = 'consumer';

/** A partition that cannot begin. */
interface Refusal {
  readonly lane: Lane;
  readonly problem: string;
}

export class PartitionFeed {
  private readonly options: PartitionFeedOptions;
  private readonly problems: Problems;
  /** Outlives assignments: a log that went back is not whole again because the group was balanced anew. */
  private readonly ends: EndWatch;
  private readonly continuation: Continuation;
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
    const { sureAfterMs = 30_000, now = Date.now } = options;
    this.ends = new EndWatch({ ...options, sureAfterMs, now, problems: this.problems });
    this.continuation = new Continuation(options, this.problems, this.ends);
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
    await this.holdWhileSlow(
      lane,
      lane.inTurn(() => this.take(lane, offer)),
    );
  }

  /** The log's end, also where nothing is offered: for lag, and to notice a log that was made anew. */
  observeEnd(partition: number, end: number): void {
    const lane = this.lanes.get(partition);
    if (lane?.next === undefined || lane.isRetired) return;
    lane.end = end;
    this.reportLag(lane);
    if (end >= lane.next || this.ends.isSure(partition)) this.ends.judge(partition, end, lane.next);
    else this.checkEnd(lane);
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

  private async load(lanes: readonly Lane[], assignment: number, attempt: number, isAll = true): Promise<void> {
    const { consumer, controls, source } = this.options;
    const partitions = lanes.map(({ partition }) => partition);
    const again = (some: readonly Lane[], isAgainAll: boolean, error: unknown): void => {
      this.options.logger.warn({ err: error, group: this.options.group, attempt }, 'cannot learn where to read on');
      const load = () => this.load(some, assignment, attempt + 1, isAgainAll);
      this.later(backoffMs(attempt), () => void load().catch(() => undefined));
    };
    let refusals: readonly Refusal[];
    try {
      await Promise.all(lanes.map((lane) => lane.settled()));
      const positions = await consumer.positions(source, partitions);
      const ranges = await controls.ranges(partitions);
      if (this.isOver(assignment)) return;
      refusals = lanes.flatMap(
        (lane) => this.begin(lane, positions.get(lane.partition) ?? 0, ranges.get(lane.partition)) ?? [],
      );
    } catch (error) {
      if (this.isOver(assignment)) return;
      this.problems.set('assignment', messageOf(error));
      again(lanes, isAll, error);
      if (error instanceof RankcastError && !error.isRetryable) throw error;
      return;
    }
    if (isAll) this.problems.keepOnly(['log', ...refusals.map(({ lane }) => endSubject(lane.partition))]);
    else this.problems.set('assignment', undefined);
    // Without partitions nothing would show when it is over.
    if (lanes.length > 0) this.tellConsumer();
    const [first] = refusals;
    if (first === undefined) return;
    const error = new StartRefusedError(first.problem);
    again(
      refusals.map(({ lane }) => lane),
      false,
      error,
    );
    throw error;
  }

  /** Answers a refusal where the log ends below the position; the other partitions are not held up by it. */
  private begin(lane: Lane, next: number, range: LogRange | undefined): Refusal | undefined {
    const problem = this.ends.judge(lane.partition, range?.end ?? next, next);
    if (problem !== undefined) return { lane, problem };
    lane.next = next;
    lane.end = range?.end;
    lane.low = range?.low ?? 0;
    this.reportLag(lane);
    this.release(lane, 'loading');
    return undefined;
  }

  /** In turn and by asking both anew: the position may have grown since the end was seen, or gone back together with the log. */
  private checkEnd(lane: Lane): void {
    if (lane.isCheckingEnd) return;
    lane.isCheckingEnd = true;
    const work = lane.inTurn(async () => {
      try {
        await this.confirmPosition(lane);
        const range = (await this.options.controls.ranges([lane.partition])).get(lane.partition);
        if (range === undefined || lane.next === undefined || lane.isRetired) return;
        this.ends.judge(lane.partition, range.end, lane.next);
        if (this.ends.isSure(lane.partition)) this.hold(lane, 'went-back');
      } catch (error) {
        this.fail(lane, error);
      } finally {
        lane.isCheckingEnd = false;
      }
    });
    void this.holdWhileSlow(lane, work);
  }

  /** Resolves when the log may go on (heartbeats, other partitions); what runs is not given up, and nothing is offered beside it. */
  private async holdWhileSlow(lane: Lane, work: Promise<void>): Promise<void> {
    if ((await settlesWithin(work, this.slowAfterMs)) || lane.isRetired) return;
    this.hold(lane, 'slow');
    const subject = `slow ${lane.partition}`;
    this.problems.set(subject, `a batch takes longer than ${this.slowAfterMs / 1_000} s: is the store answering?`);
    void work.finally(() => {
      if (!lane.isRetired) this.problems.set(subject, undefined);
      this.release(lane, 'slow');
    });
  }

  private async take(lane: Lane, offer: Offer): Promise<void> {
    if (lane.isRetired || lane.next === undefined || lane.holds.has('backoff') || lane.holds.has('went-back')) return;
    try {
      const from = await this.continuation.whereFrom(lane, lane.next, offer);
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
    this.tellConsumer();
    if (next >= lane.lostTo) this.problems.set(`lost ${lane.partition}`, undefined);
    this.reportLag(lane);
    if (batch.from < batch.to || next !== batch.to) seek(this.options.controls, lane, next);
  }

  private tellConsumer(): void {
    this.problems.set(CONSUMER, this.options.consumer.problem?.());
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
      const work = lane.inTurn(() => this.confirm(lane));
      void this.holdWhileSlow(lane, work);
    }
  }

  private async confirm(lane: Lane): Promise<void> {
    if (lane.holds.size > 0) return;
    try {
      await this.confirmPosition(lane);
    } catch (error) {
      this.fail(lane, error);
    }
  }

  private async confirmPosition(lane: Lane): Promise<void> {
    const { partition, next } = lane;
    if (lane.isRetired || next === undefined) return;
    await this.consume(lane, { source: this.options.source, partition, from: next, to: next, records: [] });
  }

  private hold(lane: Lane, reason: string): void {
    if (lane.isRetired) return;
    if (lane.holds.size === 0) this.options.controls.pause(lane.partition);
    lane.holds.add(reason);
  }

  private release(lane: Lane, reason: string): void {
    lane.holds.delete(reason);
    if (lane.holds.size > 0 || lane.isRetired || lane.next === undefined) return;
    seek(this.options.controls, lane, lane.next);
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

  private isOver(assignment: number): boolean {
    return this.isClosed || assignment !== this.assignment;
  }
}
