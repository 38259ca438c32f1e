import { expect, it } from 'vitest';
import { FriendList } from '../../src/social/friend-list.js';
import { IdInterner } from '../../src/social/id-interner.js';

it('keeps its ids until the last who holds it gives it up', () => {
  const interner = new IdInterner();
  const list = new FriendList(interner, ['a', 'b']);
  const held = list.hold();
  list.release();
  expect([held.length, held.ids(), interner.size]).toEqual([2, ['a', 'b'], 2]);
  held.release();
  expect(interner.size).toBe(0);
});
