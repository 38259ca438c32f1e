import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_CHUNK, NumberLists } from '../../src/views/number-lists.js';

/** A list as its owner keeps it. */
class OwnedList {
  private first = NO_CHUNK;
  private length = 0;

  constructor(private readonly lists: NumberLists) {}

  add(number: number): void {
    this.first = this.lists.add(this.first, this.length, number);
    this.length += 1;
  }

  remove(number: number): void {
    this.first = this.lists.remove(this.first, this.length, number);
    this.length -= 1;
  }

  has(number: number): boolean {
    return this.lists.has(this.first, this.length, number);
  }

  numbers(): number[] {
    const target: number[] = [];
    this.lists.copy(this.first, this.length, target);
    return target.slice(0, this.length).sort((a, b) => a - b);
  }
}

describe('NumberLists', () => {
  it('holds what lists of their own would, whatever is added and removed', () => {
    const step = fc.record({ list: fc.nat(2), number: fc.integer({ min: 1, max: 60 }) });
    fc.assert(
      fc.property(fc.array(step, { minLength: 100, maxLength: 400 }), (steps) => {
        const lists = new NumberLists();
        const owned = Array.from({ length: 3 }, () => new OwnedList(lists));
        const models = owned.map(() => new Set<number>());
        for (const { list, number } of steps) {
          const [own, model] = [owned[list], models[list]];
          if (own === undefined || model === undefined) throw new Error('there are three');
          expect(own.has(number)).toBe(model.has(number));
          if (model.delete(number)) own.remove(number);
          else {
            own.add(number);
            model.add(number);
          }
        }
        expect(owned.map((own) => own.numbers())).toEqual(models.map((model) => [...model].sort((a, b) => a - b)));
        for (const [index, model] of models.entries()) for (const number of model) owned[index]?.remove(number);
        expect(lists.chunkCount).toBe(0);
      }),
      { numRuns: 200 },
    );
  });

  it('holds lists of any length, and takes again what was given back', () => {
    const lists = new NumberLists();
    const numbers = Array.from({ length: 40_000 }, (_, index) => index + 1);
    for (const round of [1, 2]) {
      const list = new OwnedList(lists);
      for (const number of numbers) list.add(number);
      expect(list.numbers()).toEqual(numbers);
      expect(lists.chunkCount, `round ${round}`).toBe(Math.ceil(numbers.length / 15));
      for (const number of numbers.toReversed()) list.remove(number);
      expect(lists.chunkCount).toBe(0);
    }
  });

  it('does not remove what is not there', () => {
    const lists = new NumberLists();
    const list = new OwnedList(lists);
    list.add(1);
    expect(() => list.remove(2)).toThrow(RangeError);
    expect(list.numbers()).toEqual([1]);
  });
});
