/** Contract tests of marks beside a fill that replaces a board: a settle is right in both generations. */

import { describe, expect, it } from 'vitest';
import type { TagDefinition } from '../../src/domain/tag-definition.js';
import { entryOf } from './brute-force.js';
import { DAY, entryIn, pack, type RankingFactory, SEASON, type TestBoard, useRanking } from './ranking-fixture.js';

const BOTH = [SEASON, DAY];
/** When the player is settled. */
const MOMENTS = ['before the chunk', 'behind the chunk', 'behind the end'] as const;

export function describeRebuildMarks(factory: RankingFactory, definition: TagDefinition): void {
  const { ranking, boardOf } = useRanking(factory);
  const score = (points: number, second: number) => pack(points, second, definition.merge);
  const merged = (...results: readonly (readonly [points: number, second: number])[]) => {
    const { points, second } = entryOf(
      results.map(([points, second]) => ({ points, second })),
      definition.merge,
    );
    return score(points, second);
  };
  const entry = (playerId: string, packed: number) => BOTH.map((list) => entryIn(list, playerId, packed));

  async function settle(board: TestBoard, packed: number | null): Promise<void> {
    const folded = packed === null ? [] : BOTH.map((list) => ({ list, score: packed }));
    expect(await ranking().settle(board.tag, board.definition.hash, await board.markOf('amy'), folded)).toBe('settled');
  }

  async function expectBoth(board: TestBoard, expected: Readonly<Record<string, number>>): Promise<void> {
    for (const { name } of BOTH) expect(await board.scores(name)).toEqual(expected);
  }

  /** Amy's 10 points should be 4, Bob has 20. */
  async function board(): Promise<TestBoard> {
    const made = boardOf(definition);
    await made.fill();
    await made.submitIn(BOTH, ['amy', score(10, 5)], ['bob', score(20, 5)]);
    return made;
  }

  /** Runs the rest of a fill around the settle, and expects the row in both generations as soon as it was settled. */
  async function complete(
    made: TestBoard,
    moment: string,
    fold: number | null,
    expected: number | null,
  ): Promise<void> {
    const rows = { ...(expected === null ? {} : { amy: expected }), bob: score(20, 5) };
    const settleAt = async (now: string) => {
      if (moment === now) await settle(made, fold);
      if (moment === now) await expectBoth(made, rows);
    };
    await settleAt('before the chunk');
    await made.load('job', 0, [...entry('amy', score(10, 5)), ...entry('bob', score(20, 5))]);
    await settleAt('behind the chunk');
    expect(await made.finish('job', 1)).toBe('finished');
    await settleAt('behind the end');
    await expectBoth(made, rows);
    expect(await ranking().marks(made.tag)).toEqual([]);
  }

  describe.each(MOMENTS)('settled %s', (moment) => {
    it('is right where the mark was pending at begin', async () => {
      const made = await board();
      await made.order('correct', 'amy', BOTH);
      await made.submitIn(BOTH, ['amy', score(2, 8)]);
      await made.begin({ jobId: 'job', replace: true });
      await made.submitIn(BOTH, ['amy', score(1, 9)]);
      await complete(made, moment, score(4, 5), merged([4, 5], [2, 8], [1, 9]));
    });

    it('is right where it was marked since', async () => {
      const made = await board();
      await made.begin({ jobId: 'job', replace: true });
      await made.submitIn(BOTH, ['amy', score(2, 8)]);
      await made.order('correct', 'amy', BOTH);
      await made.submitIn(BOTH, ['amy', score(1, 9)]);
      await complete(made, moment, merged([4, 5], [2, 8]), merged([4, 5], [2, 8], [1, 9]));
    });

    it('is right where truth has no row of his any more', async () => {
      const made = await board();
      await made.begin({ jobId: 'job', replace: true });
      await made.order('correct', 'amy', BOTH);
      await complete(made, moment, null, null);
    });
  });

  it('keeps the marks that were pending, and what was aside, where it begins on a board of the same definition', async () => {
    const made = await board();
    await made.order('recompute', 'amy', BOTH);
    const mark = await made.markOf('amy');
    await made.begin({ jobId: 'job', replace: true });
    expect(await ranking().marks(made.tag)).toEqual([mark]);
    await made.finish('job', 0);
    expect(await ranking().marks(made.tag)).toEqual([mark]);
  });

  it('leaves whom one fill settled to the chunks of the next', async () => {
    const made = await board();
    await made.begin({ jobId: 'crashed', replace: true });
    await made.order('correct', 'amy', BOTH);
    await settle(made, score(4, 5));
    await made.begin({ jobId: 'job', replace: true });
    await made.load('job', 0, [...entry('amy', score(4, 5)), ...entry('bob', score(20, 5))]);
    expect(await made.finish('job', 1)).toBe('finished');
    await expectBoth(made, { amy: score(4, 5), bob: score(20, 5) });
  });
}
