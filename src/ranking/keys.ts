/** Every Redis key of a tag; the Lua twins are lua/includes/list-key.lua and tag-keys.lua, and tests compare them. */

import type { ResultIdentity } from '../domain/submit.js';
import { type Tag, tagName } from '../domain/tag.js';

const SEEN_HOUR_MS = 3_600_000;
/** 16,384 buckets: at 7 million results an hour a set has 430 members, and Redis packs one of up to 512. */
const SEEN_BUCKET_BITS = 14;

/** Names the keys of one installation; the tag in braces puts all keys of a tag into one hash slot. */
export class RankingKeys {
  constructor(private readonly prefix: string) {}

  /**
   * Hash: the definition that is written and its merge, `generation` that is read, hash of its definition (`shown`) and
   * whether it is written no more (`stale`), the generation that is filled and what came for it, birth, epoch, seq, the
   * server's replication id, and `next` per (source, partition). domain/tag-standing.ts has what each state of it means.
   */
  meta(tag: Tag): string {
    return `${this.stem(tag)}:meta`;
  }

  /** Stream of change sets; an entry's id is `<toSeq>-0`. */
  changes(tag: Tag): string {
    return `${this.stem(tag)}:changes`;
  }

  /** Sorted set of one list in one generation. Player ids are members and never appear in a key. */
  list(tag: Tag, generation: number, list: string): string {
    return `${this.stem(tag)}:${generation}:${list}`;
  }

  /** Set of the results remembered, by their hash: one per hour of `achievedAt` and bucket of `hash`, so that it stays small. */
  seen(tag: Tag, { hash, achievedAt }: ResultIdentity): string {
    const hour = Math.floor(achievedAt / SEEN_HOUR_MS);
    return `${this.stem(tag)}:seen:${hour}:${BigInt.asUintN(SEEN_BUCKET_BITS, BigInt(hash))}`;
  }

  /** Sorted set of the names of a generation's lists, by the time they are kept until. */
  registry(tag: Tag, generation: number): string {
    return `${this.stem(tag)}:lists:${generation}`;
  }

  /** Set of all generations that may have lists. */
  generations(tag: Tag): string {
    return `${this.stem(tag)}:generations`;
  }

  /** Hash: player id -> JSON of `[mark id, {list: true, ...}, label or false, source, partition, next, ...]`. */
  marks(tag: Tag): string {
    return `${this.stem(tag)}:marks`;
  }

  /** Hash: marked player's id -> msgpack of what came since his mark, `{list: [packed score, kept until], ...}`. */
  aside(tag: Tag): string {
    return `${this.stem(tag)}:aside`;
  }

  /** Set of the players settled during a fill. */
  settled(tag: Tag): string {
    return `${this.stem(tag)}:settled`;
  }

  /** Set of the players who stand in no list. */
  hidden(tag: Tag): string {
    return `${this.stem(tag)}:hidden`;
  }

  private stem(tag: Tag): string {
    return `${this.prefix}:{${tagName(tag)}}`;
  }
}
