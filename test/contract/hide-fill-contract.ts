/** Contract tests of hidden players while a fill is under way: no chunk brings them back, in either generation. */

import { expect, it } from 'vitest';
import type { TagDefinition } from '../../src/domain/tag-definition.js';
import {
  DAY,
  entryIn,
  GUILD,
  pack,
  type RankingFactory,
  SEASON,
  type TestBoard,
  useRanking,
} from './ranking-fixture.js';

const ALL = [SEASON, DAY, GUILD];

export function describeHidesInFills(factory: RankingFactory, definition: TagDefinition): void {
  const { ranking, boardOf } = useRanking(factory);
  const score = (points: number) => pack(points, 5, definition.merge);
  const chunk = (playerId: string, points: number) => ALL.map((list) => entryIn(list, playerId, score(points)));
  const settle = async (board: TestBoard, playerId: string, points: number) => {
    const folded = ALL.map((list) => ({ list, score: score(points) }));
    expect(await ranking().settle(board.tag, board.definition.hash, await board.markOf(playerId), folded)).toBe(
      'settled',
    );
  };

  async function expectScores(board: TestBoard, expected: Readonly<Record<string, number>>): Promise<void> {
    for (const { name } of ALL) expect(await board.scores(name)).toEqual(expected);
  }

  /** Amy and Bob are on all lists, and the board is about to be replaced by the job `job`. */
  async function replacedBoard(): Promise<TestBoard> {
    const board = boardOf(definition);
    await board.fill([...chunk('amy', 10), ...chunk('bob', 20)]);
    expect(await board.begin({ jobId: 'job', replace: true })).toEqual({ kind: 'begun', positions: [] });
    return board;
  }

  it('leaves out whom truth has hidden at the start of the tag, and takes his results for hidden', async () => {
    const board = boardOf(definition);
    await board.begin({ jobId: 'job', hidden: ['amy', '😀'] });
    await board.load('job', 0, [...chunk('amy', 10), ...chunk('bob', 20), ...chunk('😀', 30)]);
    expect(await board.submitIn(ALL, ['amy', score(5)], ['cat', score(5)])).toMatchObject({
      outcomes: ['hidden', 'applied'],
    });
    expect(await board.finish('job', 1)).toBe('finished');
    await expectScores(board, { bob: score(20), cat: score(5) });
    expect(await board.submitIn(ALL, ['amy', score(5)])).toMatchObject({ outcomes: ['hidden'] });
    await board.order('unhide', 'amy', ALL);
    await settle(board, 'amy', 15);
    await expectScores(board, { amy: score(15), bob: score(20), cat: score(5) });
  });

  it('takes the hidden of the last start alone', async () => {
    const board = boardOf(definition);
    await board.begin({ jobId: 'crashed', hidden: ['amy'] });
    await board.begin({ jobId: 'job', hidden: ['bob'] });
    await board.load('job', 0, [...chunk('amy', 10), ...chunk('bob', 20)]);
    await board.finish('job', 1);
    await expectScores(board, { amy: score(10) });
  });

  it('goes by its own hidden players where a board of the same definition is replaced', async () => {
    const board = boardOf(definition);
    await board.fill([...chunk('amy', 10), ...chunk('bob', 20)]);
    await board.order('hide', 'amy', ALL);
    await board.begin({ jobId: 'job', hidden: ['bob'], replace: true });
    await expectScores(board, { bob: score(20) });
    await board.load('job', 0, [...chunk('amy', 10), ...chunk('bob', 20)]);
    expect(await board.finish('job', 1)).toBe('finished');
    await expectScores(board, { bob: score(20) });
  });

  it.each([
    ['before his chunk', true],
    ['behind his chunk', false],
  ])('hides in both generations, %s', async (_, isBefore) => {
    const board = await replacedBoard();
    if (!isBefore) await board.load('job', 0, [...chunk('amy', 10), ...chunk('bob', 20)]);
    await board.order('hide', 'amy', [SEASON, DAY]);
    expect(await board.players()).toEqual(['bob']);
    if (isBefore) await board.load('job', 0, [...chunk('amy', 10), ...chunk('bob', 20)]);
    expect(await board.submitIn(ALL, ['amy', score(90)])).toMatchObject({ outcomes: ['hidden'] });
    await settle(board, 'amy', 10);
    await expectScores(board, { bob: score(20) });
    expect(await board.finish('job', 1)).toBe('finished');
    await expectScores(board, { bob: score(20) });
  });

  it('takes scoped rows of both out by a settle behind the end of the fill as well', async () => {
    const board = await replacedBoard();
    await board.load('job', 0, [...chunk('amy', 10), ...chunk('bob', 20)]);
    await board.order('hide', 'amy', [SEASON, DAY]);
    expect(await board.finish('job', 1)).toBe('finished');
    expect(await board.players()).toEqual(['bob']);
    await settle(board, 'amy', 10);
    await expectScores(board, { bob: score(20) });
  });

  it('shows in both generations whom it shows again while the fill is under way', async () => {
    const board = boardOf(definition);
    await board.fill([...chunk('amy', 10), ...chunk('bob', 20)]);
    await board.order('hide', 'amy', ALL);
    await board.begin({ jobId: 'job', replace: true });
    await board.load('job', 0, [...chunk('amy', 10), ...chunk('bob', 20)]);
    await board.order('unhide', 'amy', ALL);
    await settle(board, 'amy', 11);
    await expectScores(board, { amy: score(11), bob: score(20) });
    expect(await board.finish('job', 1)).toBe('finished');
    await expectScores(board, { amy: score(11), bob: score(20) });
  });
}
