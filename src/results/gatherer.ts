/** Group commit: what comes while one flush is running goes out together in the next. */

export interface GathererOptions<Item, Reply> {
  /** Handles items in the order they were added and answers one reply each. A rejection is everybody's. */
  readonly flush: (items: readonly Item[]) => Promise<readonly Reply[]>;
  /** How much an item adds to a flush. */
  readonly sizeOf: (item: Item) => number;
  /** A flush takes items up to this size, and always at least one. */
  readonly maxSize: number;
}

interface Waiting<Item, Reply> {
  readonly item: Item;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
}

export class Gatherer<Item, Reply> {
  private readonly options: GathererOptions<Item, Reply>;
  private waiting: Waiting<Item, Reply>[] = [];
  private flushing: Promise<void> | undefined;

  constructor(options: GathererOptions<Item, Reply>) {
    this.options = options;
  }

  add(item: Item): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.flushing ??= this.flushAll();
    });
  }

  /** Resolves when nothing waits any more. */
  async settle(): Promise<void> {
    while (this.flushing !== undefined) await this.flushing;
  }

  private async flushAll(): Promise<void> {
    // The rest of this turn of the event loop may add more: they share the first flush.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0) await this.flush(this.take());
    this.flushing = undefined;
  }

  private take(): Waiting<Item, Reply>[] {
    const { sizeOf, maxSize } = this.options;
    let size = 0;
    const beyond = this.waiting.findIndex(({ item }, index) => {
      size += sizeOf(item);
      return index > 0 && size > maxSize;
    });
    const count = beyond === -1 ? this.waiting.length : beyond;
    const taken = this.waiting.slice(0, count);
    this.waiting = this.waiting.slice(count);
    return taken;
  }

  private async flush(taken: readonly Waiting<Item, Reply>[]): Promise<void> {
    try {
      const replies = await this.options.flush(taken.map(({ item }) => item));
      for (const [index, { resolve, reject }] of taken.entries()) {
        const reply = replies[index];
        if (index < replies.length) resolve(reply as Reply);
        else reject(new Error('a flush answered fewer replies than it had items'));
      }
    } catch (error) {
      for (const { reject } of taken) reject(error);
    }
  }
}
