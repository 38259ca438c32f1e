/** The keys of a tag in Lua and in TypeScript; the key of a list is compared in test/structure. */

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RankingKeys } from '../../src/ranking/keys.js';
import { readProjectFile } from '../structure/source-files.js';
import { type TestRedis, testRedis } from '../support/isolation.js';

const INCLUDE = readProjectFile('src/ranking/lua/includes/tag-keys.lua');
const TAG = { boardId: 'arena', seasonId: '2026-w42' };
const HOUR_MS = 3_600_000;

const keys = new RankingKeys('lb');
let redis: TestRedis;

beforeAll(async () => {
  redis = await testRedis();
});

afterAll(async () => {
  await redis.drop();
});

async function seenInLua(hashes: readonly string[], hour: number): Promise<unknown> {
  const script = `${INCLUDE}
    local found = {}
    for i = 2, #ARGV do found[i - 1] = seenKey(KEYS[1], ARGV[i], tonumber(ARGV[1])) end
    return found`;
  return await redis.client.eval(script, 1, keys.meta(TAG), String(hour), ...hashes);
}

it.each([
  ...(['marks', 'aside', 'settled', 'hidden', 'generations'] as const).map((name) => [name, keys[name](TAG)] as const),
  ['lists:12', keys.registry(TAG, 12)] as const,
])('names the key of %s the same in both', async (name, inTypeScript) => {
  const inLua = await redis.client.eval(`${INCLUDE}\nreturn tagKey(KEYS[1], ARGV[1])`, 1, keys.meta(TAG), name);
  expect(inLua).toBe(inTypeScript);
});

it('names the set of a result the same in both, to the last of 64 bits', async () => {
  const edges = [
    0n,
    1n,
    -1n,
    16_383n,
    16_384n,
    -16_384n,
    -16_385n,
    10n ** 14n,
    -(10n ** 14n),
    -(10n ** 13n),
    99n - 2n ** 63n,
  ];
  const hash = fc.oneof(
    fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
    fc.constantFrom(...edges, 2n ** 63n - 1n, -(2n ** 63n)),
  );
  const check = async (values: readonly bigint[], hour: number) => {
    const hashes = values.map(String);
    const inTypeScript = hashes.map((text) => keys.seen(TAG, { hash: text, achievedAt: hour * HOUR_MS }));
    expect(await seenInLua(hashes, hour)).toEqual(inTypeScript);
  };
  const some = fc.array(hash, { minLength: 1, maxLength: 100 });
  await fc.assert(fc.asyncProperty(some, fc.integer({ min: 0, max: 2 ** 31 }), check), { numRuns: 200 });
});

it.each([
  ['0', 0],
  ['5', 5],
  ['-1', 16_383],
  ['16384', 0],
  ['9223372036854775807', 16_383],
  ['-9223372036854775808', 0],
])('puts the hash %s into bucket %i of the hour it was achieved in', (hash, bucket) => {
  const stem = 'lb:{arena:s2026-w42}:seen';
  expect(keys.seen(TAG, { hash, achievedAt: 7 * HOUR_MS })).toBe(`${stem}:7:${bucket}`);
  expect(keys.seen(TAG, { hash, achievedAt: 8 * HOUR_MS - 1 })).toBe(`${stem}:7:${bucket}`);
});
