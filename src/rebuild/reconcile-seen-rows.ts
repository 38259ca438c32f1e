/**
 * Which rows truth has, as 53 bits of a hash each: some 20 bytes a row, where the ids themselves would take 100. A row that
 * truth does not have is taken for another one once in 10^9 times, and not in the next run, whose hash is another.
 */

import { randomInt } from 'node:crypto';
import type { ListRow } from './reconcile-stores.js';

/** A table that grows is copied at once: of many small ones nobody notices. */
const TABLES = 1_024;
const FIRST_SLOTS = 16;
/** Slots of 0 are free. */
const FREE = 0;

interface Table {
  slots: Float64Array;
  used: number;
}

export class SeenRows {
  private readonly seed = randomInt(2 ** 32);
  private readonly tables: readonly Table[] = Array.from({ length: TABLES }, () => ({
    slots: new Float64Array(FIRST_SLOTS),
    used: 0,
  }));

  add(row: ListRow): void {
    const hash = this.hashOf(row);
    const table = this.tableOf(hash);
    if (2 * (table.used + 1) > table.slots.length) grow(table);
    const slot = slotOf(table.slots, hash);
    if (table.slots[slot] !== FREE) return;
    table.slots[slot] = hash;
    table.used += 1;
  }

  has(row: ListRow): boolean {
    const hash = this.hashOf(row);
    const { slots } = this.tableOf(hash);
    return slots[slotOf(slots, hash)] === hash;
  }

  private tableOf(hash: number): Table {
    const table = this.tables[hash % TABLES];
    if (table === undefined) throw new RangeError(`hash ${hash} is not a whole number`);
    return table;
  }

  /** Two multiplicative hashes of 32 bits (cyrb53), of which 53 bits are kept; never `FREE`. */
  private hashOf({ list, playerId }: ListRow): number {
    // No name has a control character.
    const text = `${list}\n${playerId}`;
    let high = 0xdeadbeef ^ this.seed;
    let low = 0x41c6ce57 ^ this.seed;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      high = Math.imul(high ^ unit, 2_654_435_761);
      low = Math.imul(low ^ unit, 1_597_334_677);
    }
    const mixedHigh = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
    const mixedLow = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
    return Math.max(1, (mixedLow & 0x1fffff) * 2 ** 32 + (mixedHigh >>> 0));
  }
}

/** Where the hash is, or where it is to be. Half of the slots are free, so there is an end. */
function slotOf(slots: Float64Array, hash: number): number {
  let slot = Math.floor(hash / TABLES) % slots.length;
  while (slots[slot] !== FREE && slots[slot] !== hash) slot = (slot + 1) % slots.length;
  return slot;
}

function grow(table: Table): void {
  const slots = new Float64Array(2 * table.slots.length);
  for (const hash of table.slots) if (hash !== FREE) slots[slotOf(slots, hash)] = hash;
  table.slots = slots;
}
