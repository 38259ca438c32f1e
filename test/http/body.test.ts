import { expect, it } from 'vitest';
import { BodyCollector } from '../../src/http/body.js';
import { MAX_BODY_BYTES } from '../../src/http/http.js';

it('keeps chunks whose buffer is used again', () => {
  const collector = new BodyCollector();
  const buffer = Uint8Array.of(1, 2);
  collector.push(buffer);
  buffer.fill(9);
  collector.push(buffer);
  expect([...collector.bytes()]).toEqual([1, 2, 9, 9]);
});

it('takes exactly the limit and refuses one byte more', () => {
  const collector = new BodyCollector();
  collector.push(new Uint8Array(MAX_BODY_BYTES));
  expect(() => collector.push(new Uint8Array(1))).toThrow(expect.objectContaining({ kind: 'too-large' }));
});
