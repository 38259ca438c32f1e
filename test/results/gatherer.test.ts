import { describe, expect, it } from 'vitest';
import { Gatherer } from '../../src/results/gatherer.js';

describe('gathering', () => {
  it('flushes what came while one flush was running together, in order, one flush at a time', async () => {
    const flushes: number[][] = [];
    let running = 0;
    const gatherer = new Gatherer<number, string>({
      sizeOf: () => 1,
      maxSize: 100,
      flush: async (items) => {
        running += 1;
        expect(running).toBe(1);
        flushes.push([...items]);
        await new Promise((resolve) => setTimeout(resolve, 5));
        running -= 1;
        return items.map((item) => `reply ${item}`);
      },
    });
    const first = [gatherer.add(1), gatherer.add(2)];
    const second = new Promise((resolve) => setTimeout(resolve, 2)).then(() =>
      Promise.all([gatherer.add(3), gatherer.add(4)]),
    );
    expect(await Promise.all(first)).toEqual(['reply 1', 'reply 2']);
    expect(await second).toEqual(['reply 3', 'reply 4']);
    expect(flushes).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it('cuts flushes by size, and takes an item that is too large alone', async () => {
    const flushes: number[][] = [];
    const gatherer = new Gatherer<number, number>({
      sizeOf: (item) => item,
      maxSize: 10,
      flush: async (items) => {
        flushes.push([...items]);
        return items;
      },
    });
    await Promise.all([4, 6, 5, 20, 3, 3].map((item) => gatherer.add(item)));
    expect(flushes).toEqual([[4, 6], [5], [20], [3, 3]]);
  });

  it('rejects all of a failed flush and goes on with the next', async () => {
    let isBroken = true;
    const gatherer = new Gatherer<number, number>({
      sizeOf: () => 1,
      maxSize: 2,
      flush: async (items) => {
        if (isBroken) throw new Error('away');
        return items;
      },
    });
    const failed = await Promise.allSettled([gatherer.add(1), gatherer.add(2)]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isBroken = false;
    expect(await gatherer.add(3)).toBe(3);
    await gatherer.settle();
  });
});
