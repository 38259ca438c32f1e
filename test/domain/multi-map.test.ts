import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MultiMap } from '../../src/domain/multi-map.js';

const VALUES = Array.from({ length: 4 }, (_, index) => ({ index }));

it('keeps the values of each key in the order they came, each once', () => {
  const step = fc.record({ isAdd: fc.boolean(), key: fc.constantFrom('a', 'b'), value: fc.constantFrom(...VALUES) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const map = new MultiMap<string, { index: number }>();
      const model = new Map<string, Set<{ index: number }>>();
      for (const { isAdd, key, value } of steps) {
        const values = model.get(key) ?? new Set();
        if (isAdd) {
          map.add(key, value);
          model.set(key, values.add(value));
        } else {
          expect(map.delete(key, value)).toBe(values.delete(value));
          if (values.size === 0) model.delete(key);
        }
        expect(map.has(key, value)).toBe(isAdd);
        for (const one of ['a', 'b']) expect(map.get(one)).toEqual([...(model.get(one) ?? [])]);
        expect([...map.keys()].sort()).toEqual([...model.keys()].sort());
      }
    }),
  );
});
