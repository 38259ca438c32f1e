import { expect, it } from 'vitest';
import { SeenRows } from '../../src/rebuild/reconcile-seen-rows.js';

const LISTS = ['s', 'd:2026-10-12', 's:guild:77'];
const COUNT = 100_000;

it('knows every row that it has seen, and no other', () => {
  const seen = new SeenRows();
  const ofTurn = (turn: number, id: number) => ({ list: LISTS[(id + turn) % 3] ?? '', playerId: `pl-${id}` });
  for (let id = 0; id < COUNT; id++) seen.add(ofTurn(0, id));
  for (let id = 0; id < COUNT; id++) seen.add(ofTurn(0, id));
  let known = 0;
  let taken = 0;
  for (let id = 0; id < COUNT; id++) {
    if (seen.has(ofTurn(0, id))) known += 1;
    if (seen.has(ofTurn(1, id)) || seen.has({ list: 's', playerId: `other-${id}` })) taken += 1;
  }
  expect([known, taken]).toEqual([COUNT, 0]);
});

it('tells the end of a list from the start of an id', () => {
  const seen = new SeenRows();
  seen.add({ list: 's:guild:7', playerId: '7amy' });
  expect(seen.has({ list: 's:guild:77', playerId: 'amy' })).toBe(false);
});
