import { expect, it } from 'vitest';
import { readCredentials } from '../../../src/pages/spectator/credentials.js';

it.each([
  ['', null, null],
  ['#', null, null],
  ['#key=rck_a-B_9', 'rck_a-B_9', null],
  ['#token=a.b-c.d_e', null, 'a.b-c.d_e'],
  ['#token=a.b.c&key=rck_x', 'rck_x', 'a.b.c'],
  ['#other=1', null, null],
])('the address %j carries the key %j and the token %j', (hash, key, token) => {
  expect(readCredentials(hash)).toEqual({ key, token });
});
