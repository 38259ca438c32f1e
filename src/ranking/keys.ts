/** Every Redis key of a tag; the Lua twin is lua/includes/list-key.lua, and a test compares the two. */

import { type Tag, tagName } from '../domain/tag.js';

/** Names the keys of one installation; the tag in braces puts all keys of a tag into one hash slot. */
export class RankingKeys {
  constructor(private readonly prefix: string) {}

  /** Hash: definition and its merge, generations, epoch, seq, the server's replication id, and `next` per (source, partition). */
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

  private stem(tag: Tag): string {
    return `${this.prefix}:{${tagName(tag)}}`;
  }
}
