/** Keeps all that a feed says. */

import { vi } from 'vitest';
import type { Change, ChangeSet, TagPosition } from '../../src/domain/change.js';
import type { FeedListener, FeedSubscription, ListRef, Ranking } from '../../src/ranking/ranking.js';

export class FeedRecorder implements FeedListener {
  readonly sets: ChangeSet[] = [];
  readonly heard: (TagPosition | null)[] = [];
  private readonly subscription: FeedSubscription;

  constructor(ranking: Ranking, list: ListRef, afterSeq: number) {
    this.subscription = ranking.follow(list, afterSeq, this);
  }

  changes(set: ChangeSet): void {
    this.sets.push(set);
  }

  position(position: TagPosition | null): void {
    this.heard.push(position);
  }

  get allChanges(): readonly Change[] {
    return this.sets.flatMap((set) => set.changes);
  }

  restart(afterSeq: number): void {
    this.sets.length = 0;
    this.subscription.restart(afterSeq);
  }

  close(): void {
    this.subscription.close();
  }

  /** Polls until the feed has brought everything up to `seq`. */
  async reached(seq: number): Promise<void> {
    await eventually(() => this.sets.at(-1)?.toSeq === seq, `the feed brought seq ${seq}`);
  }
}

/** Polls until `isTrue` holds, for at most 5 s. */
export async function eventually(isTrue: () => boolean, what: string): Promise<void> {
  const check = () => {
    if (!isTrue()) throw new Error(`it did not come true in time that ${what}`);
  };
  await vi.waitFor(check, { timeout: 5_000, interval: 5 });
}
