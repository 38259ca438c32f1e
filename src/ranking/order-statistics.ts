/**
 * A set of order keys that knows every key's rank: the engine of the in-memory ranking and the oracle of property tests.
 *
 * Sorted blocks of at most 128 keys with a Fenwick tree over their sizes: a change shifts part of one block,
 * and only a split or a join (less than one change in fifty) touches the list of blocks.
 */

import type { OrderKey } from '../domain/order-key.js';
import { BlockCounts } from './memory/block-counts.js';
import { SortedBlock } from './memory/sorted-block.js';

const MAX_BLOCK_KEYS = 128;
/** A block smaller than this joins a neighbour, if both fit in half a block: room to grow before the next split. */
const MIN_BLOCK_KEYS = MAX_BLOCK_KEYS / 8;

interface Place {
  readonly block: SortedBlock;
  readonly blockIndex: number;
  /** The key's index inside the block, or where it belongs. */
  readonly index: number;
  readonly isHeld: boolean;
}

export class OrderStatistics {
  /** Highest first; no block is empty but the only one. */
  private readonly blocks: SortedBlock[] = [new SortedBlock()];
  /**
   * Bound `i` parts block `i` (all above it) from block `i + 1` (all at or below it): what was the first key of
   * block `i + 1` when that block was made. Kept apart from the blocks, because a search that hops through
   * some thousand blocks waits for memory at each hop.
   */
  private readonly bounds = new SortedBlock();
  private readonly counts = new BlockCounts();
  private keyCount = 0;

  constructor() {
    this.recount();
  }

  get size(): number {
    return this.keyCount;
  }

  /** Adds a key and answers its 1-based rank. A key that is there already stays as it is. */
  insert(key: OrderKey): number {
    const { block, blockIndex, index, isHeld } = this.place(key);
    const rank = this.counts.before(blockIndex) + index + 1;
    if (isHeld) return rank;
    block.insertAt(index, key);
    this.keyCount += 1;
    if (block.size > MAX_BLOCK_KEYS) this.split(blockIndex, block);
    else this.counts.add(blockIndex, 1);
    return rank;
  }

  /** Takes a key out and answers the 1-based rank it had; `null` where it was not there. */
  delete(key: OrderKey): number | null {
    const { block, blockIndex, index, isHeld } = this.place(key);
    if (!isHeld) return null;
    const rank = this.counts.before(blockIndex) + index + 1;
    block.removeAt(index);
    this.keyCount -= 1;
    this.counts.add(blockIndex, -1);
    if (block.size < MIN_BLOCK_KEYS) this.shrink(blockIndex, block);
    return rank;
  }

  /** 1-based; `null` where the key is not there. */
  rankOf(key: OrderKey): number | null {
    const { blockIndex, index, isHeld } = this.place(key);
    return isHeld ? this.counts.before(blockIndex) + index + 1 : null;
  }

  /** How many keys stand above `key`, whether or not it is there. */
  countAbove(key: OrderKey): number {
    const { blockIndex, index } = this.place(key);
    return this.counts.before(blockIndex) + index;
  }

  /** `null` for ranks below 1 and beyond the end. */
  entryAt(rank: number): OrderKey | null {
    return this.range(rank, 1)[0] ?? null;
  }

  /** The keys with ranks `fromRank` to `fromRank + count - 1`, highest first; ranks that do not exist are left out. */
  range(fromRank: number, count: number): OrderKey[] {
    const first = Math.max(fromRank, 1) - 1;
    const wanted = Math.min(fromRank - 1 + count, this.keyCount) - first;
    const keys: OrderKey[] = [];
    if (wanted <= 0) return keys;
    let { block: blockIndex, index } = this.counts.locate(first);
    while (keys.length < wanted) {
      const block = this.blockAt(blockIndex);
      const end = Math.min(block.size, index + wanted - keys.length);
      for (; index < end; index += 1) keys.push(block.keyAt(index));
      blockIndex += 1;
      index = 0;
    }
    return keys;
  }

  private place(key: OrderKey): Place {
    const blockIndex = this.blockIndexOf(key);
    const block = this.blockAt(blockIndex);
    const index = block.countAbove(key);
    return { block, blockIndex, index, isHeld: block.holds(index, key) };
  }

  private blockIndexOf(key: OrderKey): number {
    const index = this.bounds.countAbove(key);
    return this.bounds.holds(index, key) ? index + 1 : index;
  }

  private blockAt(blockIndex: number): SortedBlock {
    const block = this.blocks[blockIndex];
    if (block === undefined) throw new RangeError(`there are ${this.blocks.length} blocks, not ${blockIndex + 1}`);
    return block;
  }

  private split(blockIndex: number, block: SortedBlock): void {
    const [upper, lower] = block.halves();
    this.blocks.splice(blockIndex, 1, upper, lower);
    this.bounds.insertAt(blockIndex, lower.keyAt(0));
    this.recount();
  }

  private shrink(blockIndex: number, block: SortedBlock): void {
    const isSmallWith = (other: SortedBlock | undefined) =>
      other !== undefined && (block.size === 0 || other.size + block.size <= MAX_BLOCK_KEYS / 2);
    if (isSmallWith(this.blocks[blockIndex + 1])) this.joinWithNext(blockIndex);
    else if (isSmallWith(this.blocks[blockIndex - 1])) this.joinWithNext(blockIndex - 1);
  }

  private joinWithNext(blockIndex: number): void {
    const joined = this.blockAt(blockIndex).joined(this.blockAt(blockIndex + 1));
    this.blocks.splice(blockIndex, 2, joined);
    this.bounds.removeAt(blockIndex);
    this.recount();
  }

  private recount(): void {
    this.counts.reset(this.blocks);
  }
}
