/** The change feed out of Redis: one blocking reader per followed tag, and the tag's position once a second. */

import type { Logger } from 'pino';
import type { Change, ChangeLabel, ChangeSet, TagPosition } from '../domain/change.js';
import type { RankingKeys } from './keys.js';
import type { FeedListener, FeedSubscription, ListRef } from './ranking.js';
import { connectRedis, type Redis } from './redis-connection.js';
import { unpackEntry } from './script-codec.js';
import { readShownTag, SHOWN_FIELDS } from './shown-tag.js';

/** A restart to a lower seq is noticed when the blocked read returns, so it must return often. */
const BLOCK_MS = 250;
const ENTRIES_PER_READ = 200;
const POSITION_INTERVAL_MS = 1_000;

export class RedisFeed {
  private readonly followers = new Set<TagFollower>();
  private readonly timer: NodeJS.Timeout;

  /** `reader` answers the position queries; it comes back from a failover by itself, and then asks at once. */
  constructor(
    private readonly url: string,
    private readonly keys: RankingKeys,
    private readonly reader: Redis,
    private readonly logger: Logger,
  ) {
    this.timer = setInterval(() => this.askPositions(), POSITION_INTERVAL_MS).unref();
    reader.on('ready', () => this.askPositions());
  }

  follow({ tag, definitionHash }: ListRef, afterSeq: number, listener: FeedListener): FeedSubscription {
    const connection = connectRedis({ url: this.url, name: 'feed', logger: this.logger, isBlocking: true });
    const follower = new TagFollower(
      this.keys.changes(tag),
      { metaKey: this.keys.meta(tag), definitionHash },
      afterSeq,
      listener,
      connection,
      this.logger,
    );
    this.followers.add(follower);
    void follower.run();
    void this.askPosition(follower);
    return {
      restart: (seq) => follower.restart(seq),
      close: () => {
        this.followers.delete(follower);
        follower.close();
      },
    };
  }

  /** Looks for the server anew: the one that the followers read may be a demoted one that nobody writes to any more. */
  reconnect(): void {
    for (const follower of this.followers) follower.reconnect();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    for (const follower of this.followers) follower.close();
    this.followers.clear();
  }

  private askPositions(): void {
    for (const follower of this.followers) void this.askPosition(follower);
  }

  private async askPosition(follower: TagFollower): Promise<void> {
    const asked = follower.delivered;
    const restarts = follower.restarts;
    try {
      const { metaKey, definitionHash } = follower.followed;
      const values = await this.reader.hmget(metaKey, ...SHOWN_FIELDS);
      if (follower.restarts !== restarts) return;
      const shown = readShownTag(Object.fromEntries(SHOWN_FIELDS.map((field, index) => [field, values[index]])));
      const isReadable = shown?.definitionHash === definitionHash;
      follower.position(asked, isReadable ? { epoch: shown.epoch, seq: shown.seq } : null);
    } catch (error) {
      this.logger.debug({ err: error }, 'feed.position_unknown');
    }
  }
}

class TagFollower {
  /** Last change set handed to the listener, or where it said it stands. */
  delivered: TagPosition;
  /** Tells answers to questions asked before a restart; they are about a place that the reader has left. */
  restarts = 0;
  private isClosed = false;

  constructor(
    private readonly changesKey: string,
    readonly followed: { readonly metaKey: string; readonly definitionHash: string },
    afterSeq: number,
    private readonly listener: FeedListener,
    private readonly connection: Redis,
    private readonly logger: Logger,
  ) {
    this.delivered = { epoch: -1, seq: afterSeq };
  }

  async run(): Promise<void> {
    while (!this.isClosed) {
      try {
        await this.readOnce();
      } catch (error) {
        if (this.isClosed) return;
        this.logger.warn({ err: error, key: this.changesKey }, 'feed.read_failed');
        await new Promise((resolve) => setTimeout(resolve, BLOCK_MS));
      }
    }
  }

  restart(afterSeq: number): void {
    this.restarts += 1;
    this.delivered = { epoch: -1, seq: afterSeq };
  }

  reconnect(): void {
    this.connection.disconnect(true);
  }

  close(): void {
    this.isClosed = true;
    this.connection.disconnect();
  }

  /**
   * Hands on the tag's position, unless the feed overtook the question: an answer older than what was delivered
   * meanwhile, but not older than what was delivered when it was asked, says nothing about a lost history.
   */
  position(asked: TagPosition, position: TagPosition | null): void {
    if (this.isClosed) return;
    const isOvertaken =
      position !== null &&
      this.delivered.epoch === position.epoch &&
      position.seq < this.delivered.seq &&
      position.seq >= asked.seq;
    if (!isOvertaken) this.listener.position(position);
  }

  private async readOnce(): Promise<void> {
    const from = this.delivered;
    const reply = await this.connection.xreadBuffer(
      'COUNT',
      ENTRIES_PER_READ,
      'BLOCK',
      BLOCK_MS,
      'STREAMS',
      this.changesKey,
      `${from.seq}-0`,
    );
    // A restart while the read was under way: what it brought belongs to another place.
    if (reply === null || this.isClosed || this.delivered !== from) return;
    for (const [, fields] of reply[0]?.[1] ?? []) {
      const bytes = fields[1];
      if (bytes === undefined) continue;
      const set = readChangeSet(unpackEntry(bytes));
      const delivered = { epoch: set.epoch, seq: set.toSeq };
      this.delivered = delivered;
      this.listener.changes(set);
      // The listener restarted the feed; the rest of this reply is read again from there.
      if (this.delivered !== delivered) return;
    }
  }
}

/**
 * Reads `[epoch, fromSeq, toSeq, [list, player, scoreBefore, rankBefore, score, rank, at, label, ...]]`; `false` is absent.
 * Entries of versions before had no label: the width tells.
 */
function readChangeSet(entry: unknown): ChangeSet {
  const [epoch, fromSeq, toSeq, flat] = entry as [number, number, number, (string | number | false)[]];
  const changes: Change[] = [];
  const width = flat.length / (toSeq - fromSeq + 1);
  for (let i = 0; i + width <= flat.length; i += width) {
    changes.push({
      list: String(flat[i]),
      playerId: String(flat[i + 1]),
      scoreBefore: numberOrNull(flat[i + 2]),
      rankBefore: numberOrNull(flat[i + 3]),
      score: numberOrNull(flat[i + 4]),
      rank: numberOrNull(flat[i + 5]),
      at: Number(flat[i + 6]),
      label: width > 7 ? ((flat[i + 7] || null) as ChangeLabel | null) : null,
    });
  }
  return { epoch, fromSeq, toSeq, changes };
}

function numberOrNull(value: string | number | false | undefined): number | null {
  return typeof value === 'number' ? value : null;
}
