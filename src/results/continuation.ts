/** Where an offered batch begins for the consumer: batches continue each other, and a hole is taken only where it is real. */

import { StartRefusedError } from '../domain/errors.js';
import type { EndWatch } from './end-watch.js';
import type { FeedControls, Offer, PartitionFeedOptions } from './feed-options.js';
import { judgeGap } from './gap.js';
import type { Lane } from './lane.js';
import { messageOf, type Problems } from './problems.js';

/** Never below what the log holds: out of range, a client library goes wherever it likes. */
export function seek(controls: FeedControls, lane: Lane, offset: number): void {
  controls.seek(lane.partition, Math.max(offset, lane.low));
}

export class Continuation {
  private readonly options: PartitionFeedOptions;
  private readonly problems: Problems;
  private readonly ends: EndWatch;

  constructor(options: PartitionFeedOptions, problems: Problems, ends: EndWatch) {
    this.options = options;
    this.problems = problems;
    this.ends = ends;
  }

  /** The consumer's `from`, or `undefined` after seeking elsewhere. */
  async whereFrom(lane: Lane, next: number, offer: Offer): Promise<number | undefined> {
    if (offer.first === next || (offer.first < next && offer.to > next)) return next;
    if (offer.first < next) {
      // Not judged by it: what came with an offer may be older than the position.
      if (offer.end < next) throw new StartRefusedError(this.ends.describe(lane.partition, offer.end, next));
      return this.goTo(lane, next);
    }
    const range = (await this.options.controls.ranges([lane.partition])).get(lane.partition);
    lane.low = range?.low ?? next;
    const gap = judgeGap(next, offer.first, lane.low, lane.gap);
    if (gap.kind === 'ask-again') {
      lane.gap = { next, first: offer.first };
      return this.goTo(lane, gap.offset);
    }
    return gap.lost > 0 ? this.passOver(lane, next, next + gap.lost) : next;
  }

  /** Records are gone: the consumer says whether it goes on without them. */
  private async passOver(lane: Lane, next: number, to: number): Promise<number | undefined> {
    const { consumer, source } = this.options;
    const { partition } = lane;
    if (consumer.lost === undefined) {
      this.reportLoss(lane, next, to - next);
      return next;
    }
    // After a fill it may stand beyond what is gone.
    const stands = await consumer.consume({ source, partition, from: next, to: next, records: [] });
    if (lane.isRetired) return undefined;
    if (stands !== next) {
      lane.next = stands;
      return this.goTo(lane, stands);
    }
    try {
      await consumer.lost(source, partition, next, to);
    } catch (error) {
      // Said until the position is beyond: confirming one that lies before is no sign that all is well.
      lane.lostTo = to;
      this.problems.set(`lost ${partition}`, messageOf(error));
      throw error;
    }
    this.reportLoss(lane, next, to - next);
    return next;
  }

  private goTo(lane: Lane, offset: number): undefined {
    seek(this.options.controls, lane, offset);
    return undefined;
  }

  private reportLoss(lane: Lane, next: number, lost: number): void {
    const { group, logger, reports, source } = this.options;
    reports.lost(group, lane.partition, lost);
    logger.error(
      { group, source, partition: lane.partition, next, low: lane.low, lost },
      'the log no longer holds records that this group has not considered; lengthen its retention',
    );
  }
}
