import { expect, it } from 'vitest';
import { nearestName } from '../../src/config/nearest-name.js';

it.each([
  ['REDIS_ULR', 'REDIS_URL'],
  ['PRT', 'PORT'],
  ['HOSTS', 'HOST'],
  ['', 'PORT'],
])('finds for %j the name with the fewest edits', (name, nearest) => {
  expect(nearestName(name, ['PORT', 'REDIS_URL', 'HOST'])).toBe(nearest);
});

it('has no answer without candidates', () => {
  expect(nearestName('PORT', [])).toBeUndefined();
});
