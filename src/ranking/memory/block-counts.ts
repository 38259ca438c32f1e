/** How many keys each block holds, as a Fenwick tree: the sum of any prefix, and the block of any rank, in log time. */

export class BlockCounts {
  /** `tree[i]` sums the `i & -i` blocks that end with block `i - 1`; slot 0 is not used. */
  private tree = new Uint32Array(1);
  /** The largest power of two not above the number of blocks: where a descent starts. */
  private top = 0;

  /** Starts over with these blocks. */
  reset(blocks: readonly { readonly size: number }[]): void {
    const tree = new Uint32Array(blocks.length + 1);
    for (let slot = 1; slot < tree.length; slot += 1) {
      const sum = (tree[slot] ?? 0) + (blocks[slot - 1]?.size ?? 0);
      tree[slot] = sum;
      const parent = slot + (slot & -slot);
      if (parent < tree.length) tree[parent] = (tree[parent] ?? 0) + sum;
    }
    this.tree = tree;
    this.top = blocks.length === 0 ? 0 : 2 ** Math.floor(Math.log2(blocks.length));
  }

  add(block: number, count: number): void {
    for (let slot = block + 1; slot < this.tree.length; slot += slot & -slot) {
      this.tree[slot] = (this.tree[slot] ?? 0) + count;
    }
  }

  /** How many keys the blocks above `block` hold. */
  before(block: number): number {
    let sum = 0;
    for (let slot = block; slot > 0; slot -= slot & -slot) sum += this.tree[slot] ?? 0;
    return sum;
  }

  /** The block that holds the key with `index` keys above it, and that key's index inside the block. */
  locate(index: number): { readonly block: number; readonly index: number } {
    let slot = 0;
    let rest = index;
    for (let step = this.top; step > 0; step >>>= 1) {
      const sum = this.tree[slot + step];
      if (sum === undefined || sum > rest) continue;
      slot += step;
      rest -= sum;
    }
    return { block: slot, index: rest };
  }
}
