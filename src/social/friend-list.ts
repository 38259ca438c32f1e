/** One player's friends as the cache and live windows share them: stored once, until the last of them gives the list up. */

import type { IdInterner } from './id-interner.js';

export class FriendList {
  private holders = 1;
  private readonly numbers: Int32Array;

  /** Held by who makes it. */
  constructor(
    private readonly interner: IdInterner,
    ids: readonly string[],
  ) {
    this.numbers = interner.hold(ids);
  }

  get length(): number {
    return this.numbers.length;
  }

  /** In the order given. */
  ids(): string[] {
    return this.interner.idsOf(this.numbers);
  }

  /** To be released once more. */
  hold(): this {
    this.holders += 1;
    return this;
  }

  release(): void {
    this.holders -= 1;
    if (this.holders === 0) this.interner.release(this.numbers);
  }
}
