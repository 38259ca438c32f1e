/** The rules in Lua and in TypeScript, driven with the same pairs of packed scores. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mergeScores, type ScoreMerge } from '../../src/domain/rules.js';
import { MAX_POINTS, MAX_SECOND, pack } from '../contract/ranking-fixture.js';
import { readProjectFile } from '../structure/source-files.js';
import { type TestRedis, testRedis } from '../support/isolation.js';

type Pair = readonly [current: number | null, incoming: number];

/** Numbers cross as decimal text, as begin-fill keeps them in meta; empty text is a player without a row. */
const SCRIPT = `
${readProjectFile('src/ranking/lua/includes/merge-scores.lua')}
${readProjectFile('src/ranking/lua/includes/whole-number.lua')}
local merge = scoreMerge(ARGV[1], ARGV[2], ARGV[3], ARGV[4])
local merged = {}
for i = 5, #ARGV, 2 do
  merged[#merged + 1] = wholeNumber(mergeScores(merge, tonumber(ARGV[i]), tonumber(ARGV[i + 1])))
end
return merged
`;

let redis: TestRedis;

beforeAll(async () => {
  redis = await testRedis();
});

afterAll(async () => {
  await redis.drop();
});

/** Decimal text: what Redis would store. */
async function inLua(merge: ScoreMerge, pairs: readonly Pair[]): Promise<unknown> {
  const { rule, timeSpan, maxTotal, isLow } = merge;
  const scores = pairs.flatMap(([current, incoming]) => [current === null ? '' : String(current), String(incoming)]);
  return await redis.client.eval(SCRIPT, 0, rule, String(timeSpan), String(maxTotal), isLow ? '1' : '0', ...scores);
}

const inTypeScript = (merge: ScoreMerge, pairs: readonly Pair[]): readonly string[] =>
  pairs.map(([current, incoming]) => String(mergeScores(merge, current, incoming)));

/** Any share of the 53 bits, with totals that end inside their bits or fill them; at most `2^53 - 1` in all. */
const layout = fc
  .integer({ min: 0, max: 52 })
  .chain((timeBits) => fc.tuple(fc.constant(2 ** timeBits), edged(2 ** (53 - timeBits) - 1)));

const cases = fc
  .record({ rule: fc.constantFrom('best' as const, 'latest' as const, 'sum' as const), isLow: fc.boolean(), layout })
  .chain(({ rule, isLow, layout: [timeSpan, maxTotal] }) => {
    const score = fc.tuple(edged(maxTotal), edged(timeSpan - 1)).map(([key, time]) => key * timeSpan + time);
    const pair = fc.tuple(fc.option(score, { freq: 8 }), score);
    const merge: ScoreMerge = { rule, timeSpan, maxTotal, isLow };
    return fc.record({ merge: fc.constant(merge), pairs: fc.array(pair, { minLength: 1, maxLength: 100 }) });
  });

/** Half of them at an edge, so that equal times, equal scores and totals at their end are common. */
function edged(max: number): fc.Arbitrary<number> {
  const edges = [0, 1, Math.floor(max / 2), max - 1, max].filter((value) => value >= 0 && value <= max);
  return fc.oneof(
    fc.constantFrom(...edges),
    fc.maxSafeNat().map((value) => value % (max + 1)),
  );
}

describe('merge-scores.lua', () => {
  it('merges any packed scores as the domain does, to the last of 53 bits', async () => {
    const check = async ({ merge, pairs }: typeof cases extends fc.Arbitrary<infer T> ? T : never) => {
      expect(await inLua(merge, pairs)).toEqual(inTypeScript(merge, pairs));
    };
    await fc.assert(fc.asyncProperty(cases, check), { numRuns: 300 });
  });

  const full = { timeSpan: 2 ** 32, maxTotal: MAX_POINTS };
  const high = { ...full, isLow: false };
  const low = { ...full, maxTotal: 2_000_000, isLow: true };
  it.each<[string, ScoreMerge, Pair, number]>([
    ['the first result', { ...high, rule: 'sum' }, [null, 2 ** 53 - 1], 2 ** 53 - 1],
    ['the higher by its last bit', { ...high, rule: 'best' }, [2 ** 53 - 2, 2 ** 53 - 1], 2 ** 53 - 1],
    ['the lower that is later', { ...high, rule: 'latest' }, [pack(MAX_POINTS, 8), pack(0, 9)], pack(0, 9)],
    ['the lower that is earlier', { ...high, rule: 'latest' }, [pack(7, 9), pack(5, 8)], pack(7, 9)],
    ['the higher of one second', { ...high, rule: 'latest' }, [pack(7, 9), pack(MAX_POINTS, 9)], pack(MAX_POINTS, 9)],
    ['a total of all 53 bits', { ...high, rule: 'sum' }, [pack(MAX_POINTS - 1, 0), pack(1, 0)], pack(MAX_POINTS, 0)],
    [
      'a total at its end',
      { ...high, rule: 'sum' },
      [pack(MAX_POINTS, 0), pack(MAX_POINTS, MAX_SECOND)],
      pack(MAX_POINTS, MAX_SECOND),
    ],
    ['a low total', { ...low, rule: 'sum' }, [pack(3, 9, low), pack(4, 8, low)], pack(7, 9, low)],
    ['a low total of nothing', { ...low, rule: 'sum' }, [pack(0, 9, low), pack(0, 9, low)], pack(0, 9, low)],
    [
      'a low total at its end',
      { ...low, rule: 'sum' },
      [pack(1_999_999, 5, low), pack(2, 6, low)],
      pack(2_000_000, 6, low),
    ],
  ])('makes of %s what the rule says, as the domain does', async (_what, merge, pair, expected) => {
    expect(inTypeScript(merge, [pair])).toEqual([String(expected)]);
    expect(await inLua(merge, [pair])).toEqual([String(expected)]);
  });
});
