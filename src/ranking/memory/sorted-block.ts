/** A short run of neighbouring order keys, kept as two parallel arrays: 16 bytes a key where objects would take 64. */

import { compareOrderKeys, type OrderKey } from '../../domain/order-key.js';

export class SortedBlock {
  constructor(
    private readonly scores: number[] = [],
    private readonly playerIds: string[] = [],
  ) {}

  get size(): number {
    return this.scores.length;
  }

  keyAt(index: number): OrderKey {
    const score = this.scores[index];
    const playerId = this.playerIds[index];
    if (score === undefined || playerId === undefined) throw new RangeError(`a block of ${this.size} has no ${index}`);
    return { score, playerId };
  }

  /** How many keys of the block stand above `key`: its index where it is here, else where it belongs. */
  countAbove(key: OrderKey): number {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.standsAbove(middle, key)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  holds(index: number, key: OrderKey): boolean {
    return this.scores[index] === key.score && this.playerIds[index] === key.playerId;
  }

  insertAt(index: number, key: OrderKey): void {
    this.scores.splice(index, 0, key.score);
    this.playerIds.splice(index, 0, key.playerId);
  }

  removeAt(index: number): void {
    this.scores.splice(index, 1);
    this.playerIds.splice(index, 1);
  }

  /** The block as two halves; slices, because a shortened array keeps its old memory. */
  halves(): readonly [SortedBlock, SortedBlock] {
    const middle = this.size >>> 1;
    return [this.slice(0, middle), this.slice(middle, this.size)];
  }

  /** This block and the one right below it as one. */
  joined(below: SortedBlock): SortedBlock {
    return new SortedBlock([...this.scores, ...below.scores], [...this.playerIds, ...below.playerIds]);
  }

  /** Most comparisons end at the scores, without touching an id or making an object. */
  private standsAbove(index: number, key: OrderKey): boolean {
    const score = this.scores[index];
    if (score !== undefined && score !== key.score) return score > key.score;
    return compareOrderKeys(this.keyAt(index), key) < 0;
  }

  private slice(from: number, to: number): SortedBlock {
    return new SortedBlock(this.scores.slice(from, to), this.playerIds.slice(from, to));
  }
}
