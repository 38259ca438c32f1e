/**
 * Many lists of numbers in a few large arrays: some 5 bytes a number in long ones and 64 at the least, where arrays take twice as
 * much and typed arrays another 200 bytes each. A list is known by its first chunk and its length, which its owner keeps; its order means nothing.
 */

/** A link to the next chunk and 15 numbers: what a processor reads at once. */
const CHUNK_SIZE = 16;
const NUMBERS = CHUNK_SIZE - 1;
const CHUNKS_OF_PAGE = 1_024;
const NOT_THERE = -1;
/** The first chunk of an empty list, and the link of a last one. */
export const NO_CHUNK = 0;

export class NumberLists {
  private readonly pages: Int32Array[] = [];
  /** The first of those given back, linked like the chunks of a list. */
  private free = NO_CHUNK;
  private unused = NO_CHUNK + 1;
  private taken = 0;

  /** Chunks that hold numbers. Those given back stay for other lists: there are as many as there ever were. */
  get chunkCount(): number {
    return this.taken;
  }

  /** Answers the first chunk of the longer list. */
  add(first: number, length: number, number: number): number {
    // Only the first chunk has room, if any.
    const count = length % NUMBERS;
    const chunk = count === 0 ? this.take(first) : first;
    this.write(chunk, 1 + count, number);
    return chunk;
  }

  /** Removes a number that the list has; answers the first chunk of the shorter list. */
  remove(first: number, length: number, number: number): number {
    const last = countOfFirst(length);
    const filler = this.read(first, last);
    for (let chunk = first, count = last; chunk !== NO_CHUNK; count = NUMBERS) {
      const at = this.find(chunk, count, number);
      if (at !== NOT_THERE) {
        this.write(chunk, at, filler);
        return last === 1 ? this.giveBack(first) : first;
      }
      chunk = this.read(chunk, 0);
    }
    throw new RangeError(`${number} is not in the list`);
  }

  has(first: number, length: number, number: number): boolean {
    for (let chunk = first, count = countOfFirst(length); chunk !== NO_CHUNK; count = NUMBERS) {
      if (this.find(chunk, count, number) !== NOT_THERE) return true;
      chunk = this.read(chunk, 0);
    }
    return false;
  }

  /** Writes the numbers to the beginning of `target`. */
  copy(first: number, length: number, target: number[]): void {
    let written = 0;
    for (let chunk = first, count = countOfFirst(length); chunk !== NO_CHUNK; count = NUMBERS) {
      const page = this.pageOf(chunk);
      const start = startOf(chunk);
      for (let at = start + 1; at <= start + count; at += 1) {
        target[written] = page[at] ?? 0;
        written += 1;
      }
      chunk = page[start] ?? NO_CHUNK;
    }
  }

  private find(chunk: number, count: number, number: number): number {
    const page = this.pageOf(chunk);
    const start = startOf(chunk);
    for (let at = 1; at <= count; at += 1) if (page[start + at] === number) return at;
    return NOT_THERE;
  }

  /** A chunk in front of `next`. */
  private take(next: number): number {
    let chunk = this.free;
    if (chunk === NO_CHUNK) {
      chunk = this.unused;
      this.unused += 1;
    } else this.free = this.read(chunk, 0);
    this.taken += 1;
    this.write(chunk, 0, next);
    return chunk;
  }

  /** Answers the chunk behind it. */
  private giveBack(chunk: number): number {
    const next = this.read(chunk, 0);
    this.write(chunk, 0, this.free);
    this.free = chunk;
    this.taken -= 1;
    return next;
  }

  private read(chunk: number, at: number): number {
    return this.pageOf(chunk)[startOf(chunk) + at] ?? 0;
  }

  private write(chunk: number, at: number, value: number): void {
    this.pageOf(chunk)[startOf(chunk) + at] = value;
  }

  private pageOf(chunk: number): Int32Array {
    const index = Math.floor(chunk / CHUNKS_OF_PAGE);
    const page = this.pages[index];
    if (page !== undefined) return page;
    // Chunks are taken in their order, so the next page is the only one that may be missing.
    const added = new Int32Array(CHUNKS_OF_PAGE * CHUNK_SIZE);
    this.pages.push(added);
    return added;
  }
}

/** The others are full. */
function countOfFirst(length: number): number {
  return ((length - 1) % NUMBERS) + 1;
}

function startOf(chunk: number): number {
  return (chunk % CHUNKS_OF_PAGE) * CHUNK_SIZE;
}
