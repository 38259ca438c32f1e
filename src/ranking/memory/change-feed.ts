/** The change feed of one tag in memory: the newest change sets, and everybody who follows them. */

import type { Logger } from 'pino';
import type { ChangeSet, TagPosition } from '../../domain/change.js';
import type { FeedListener, FeedSubscription } from '../ranking.js';

export interface ChangeFeedOptions {
  /** At most this many changes are kept for followers that come or restart behind the newest. */
  readonly keptChanges: number;
  readonly logger: Logger | undefined;
  /** Where the tag stands at the moment of the call, for readers of a definition. */
  readonly position: (definitionHash: string) => TagPosition | null;
}

export class ChangeFeed {
  /** Oldest first, without a gap between them. */
  private readonly sets: ChangeSet[] = [];
  private keptCount = 0;
  private readonly followers = new Set<Follower>();

  constructor(private readonly options: ChangeFeedOptions) {}

  /** Hands a set to every follower before it returns; what listeners throw is logged and stays here. */
  publish(set: ChangeSet): void {
    this.sets.push(set);
    this.keptCount += set.changes.length;
    for (const follower of [...this.followers]) follower.deliver();
    this.trim();
  }

  /** Tells every follower where the tag stands for him. */
  tellPositions(): void {
    for (const follower of [...this.followers]) follower.tellPosition();
  }

  /** The listener hears nothing before this call has returned. */
  follow(definitionHash: string, afterSeq: number, listener: FeedListener): FeedSubscription {
    const { logger } = this.options;
    const follower = new Follower(this, { definitionHash, listener, logger }, afterSeq);
    this.followers.add(follower);
    return {
      restart: (seq) => follower.restart(seq),
      close: () => {
        this.followers.delete(follower);
        follower.close();
      },
    };
  }

  close(): void {
    for (const follower of this.followers) follower.close();
    this.followers.clear();
  }

  position(definitionHash: string): TagPosition | null {
    return this.options.position(definitionHash);
  }

  /** The oldest kept set with a change above `seq`, cut to what is above it. */
  nextAbove(seq: number): ChangeSet | undefined {
    let low = 0;
    let high = this.sets.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.sets[middle]?.toSeq ?? 0) <= seq) low = middle + 1;
      else high = middle;
    }
    const set = this.sets[low];
    if (set === undefined || set.fromSeq > seq) return set;
    return { ...set, fromSeq: seq + 1, changes: set.changes.slice(seq + 1 - set.fromSeq) };
  }

  /** Drops a quarter at once, because each drop moves what stays. The newest set always stays. */
  private trim(): void {
    const { keptChanges } = this.options;
    if (this.keptCount <= keptChanges) return;
    let dropped = 0;
    while (this.keptCount > keptChanges * 0.75 && dropped < this.sets.length - 1) {
      this.keptCount -= this.sets[dropped]?.changes.length ?? 0;
      dropped += 1;
    }
    this.sets.splice(0, dropped);
  }
}

interface FeedReader {
  readonly definitionHash: string;
  readonly listener: FeedListener;
  readonly logger: Logger | undefined;
}

/** One listener and how far it was told. It pulls from the feed, so a listener that submits or restarts keeps the order. */
class Follower {
  private isDelivering = false;
  private isClosed = false;
  private isScheduled = false;

  constructor(
    private readonly feed: ChangeFeed,
    private readonly reader: FeedReader,
    private toldSeq: number,
  ) {
    this.catchUpSoon();
  }

  deliver(): void {
    // A listener that submits gets here again; the loop below is still running and takes its set in turn.
    if (this.isDelivering) return;
    this.isDelivering = true;
    for (let set = this.next(); set !== undefined; set = this.next()) {
      const taken = set;
      this.toldSeq = taken.toSeq;
      this.guard(() => this.reader.listener.changes(taken));
    }
    this.isDelivering = false;
  }

  tellPosition(): void {
    const { listener, definitionHash } = this.reader;
    if (!this.isClosed) this.guard(() => listener.position(this.feed.position(definitionHash)));
  }

  restart(afterSeq: number): void {
    this.toldSeq = afterSeq;
    this.catchUpSoon();
  }

  close(): void {
    this.isClosed = true;
  }

  private next(): ChangeSet | undefined {
    return this.isClosed ? undefined : this.feed.nextAbove(this.toldSeq);
  }

  /** Not a microtask: a listener that restarts at every position must not starve the event loop. */
  private catchUpSoon(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.deliver();
      this.tellPosition();
    });
  }

  /** Listeners may be async in spite of their type, so a rejection is caught as well. */
  private guard(tell: () => unknown): void {
    const failed = (error: unknown) => this.reader.logger?.error({ err: error }, 'feed.listener_failed');
    try {
      const told = tell();
      if (told instanceof Promise) told.catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}
