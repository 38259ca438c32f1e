/**
 * One feed for all views of a tag, whose lists share one stream: each view gets the changes of its own list, and the seq moves for all.
 * A thousand lists of guilds cost one connection and one decoding, and a look-up for each change.
 */

import type { AroundAsk, Change, ChangeSet, Entry, Standing } from '../domain/change.js';
import type { ListRef } from '../domain/lists.js';
import { tagName } from '../domain/tag.js';
import type { ChangeListener, ChangeSubscription, RankingReader, ReadRows } from './ranking-reader.js';

const NONE: readonly Change[] = [];

export class TagFeeds implements RankingReader {
  private readonly feeds = new Map<string, TagFeed>();

  constructor(private readonly reader: RankingReader) {}

  readRange(list: ListRef, fromRank: number, count: number): Promise<ReadRows<Entry> | null> {
    return this.reader.readRange(list, fromRank, count);
  }

  readPlayers(list: ListRef, playerIds: readonly string[]): Promise<ReadRows<Standing> | null> {
    return this.reader.readPlayers(list, playerIds);
  }

  readNeighbours(list: ListRef, asked: readonly AroundAsk[]): Promise<ReadRows<readonly Entry[]> | null> {
    return this.reader.readNeighbours(list, asked);
  }

  /**
   * The listener may hear of sets that it has had: another one began further back. They are not above its seq.
   * What is told as the tag's position is never older than a read that was answered before this call.
   */
  follow(list: ListRef, afterSeq: number, listener: ChangeListener): ChangeSubscription {
    const key = `${tagName(list.tag)} ${list.definitionHash}`;
    const feed = this.feeds.get(key) ?? new TagFeed(() => this.feeds.delete(key));
    this.feeds.set(key, feed);
    const follower = { list: list.list, listener };
    feed.add(follower, afterSeq, (from) => this.reader.follow(list, from, feed));
    return {
      restart: (seq) => feed.startFrom(seq),
      close: () => feed.remove(follower),
    };
  }
}

interface Follower {
  readonly list: string;
  readonly listener: ChangeListener;
}

class TagFeed implements ChangeListener {
  private readonly followers = new Set<Follower>();
  private subscription: ChangeSubscription | undefined;
  /** The seq that was handed on last. */
  private handedOn = 0;

  constructor(private readonly onEmpty: () => void) {}

  add(follower: Follower, afterSeq: number, follow: (afterSeq: number) => ChangeSubscription): void {
    this.followers.add(follower);
    if (this.subscription !== undefined) return this.startFrom(afterSeq);
    this.handedOn = afterSeq;
    this.subscription = follow(afterSeq);
  }

  /** Whoever is further drops what it has had. */
  startFrom(seq: number): void {
    if (seq >= this.handedOn) return;
    this.handedOn = seq;
    this.subscription?.restart(seq);
  }

  remove(follower: Follower): void {
    this.followers.delete(follower);
    if (this.followers.size > 0) return;
    this.subscription?.close();
    this.onEmpty();
  }

  changes(set: ChangeSet): void {
    this.handedOn = set.toSeq;
    const ofList = groupByList(set.changes);
    for (const { list, listener } of [...this.followers]) {
      listener.changes({ ...set, changes: ofList.get(list) ?? NONE });
    }
  }

  position(position: Parameters<ChangeListener['position']>[0]): void {
    for (const { listener } of [...this.followers]) listener.position(position);
  }
}

function groupByList(changes: readonly Change[]): ReadonlyMap<string, readonly Change[]> {
  const groups = new Map<string, Change[]>();
  for (const change of changes) {
    const group = groups.get(change.list);
    if (group === undefined) groups.set(change.list, [change]);
    else group.push(change);
  }
  return groups;
}
