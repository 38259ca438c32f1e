/** Contract tests of marks: what a late result leaves behind, and what becomes of an entry when truth has said it. */

import { expect, it } from 'vitest';
import type { TagDefinition } from '../../src/domain/tag-definition.js';
import { MAX_MARKS, MAX_SUBMIT_RESULTS, type Mark } from '../../src/ranking/ranking.js';
import {
  batchOf,
  lateIdentity,
  newIdentity,
  pack,
  present,
  type RankingFactory,
  seasonEntry,
  seasonFold,
  type TestBoard,
  type ToSubmit,
  useRanking,
} from './ranking-fixture.js';

export function describeMarks(factory: RankingFactory, definition: TagDefinition): void {
  const { ranking, boardOf } = useRanking(factory);
  const score = (points: number, second: number) => pack(points, second, definition.merge);
  const late = (playerId: string): ToSubmit => [playerId, score(7, 1), lateIdentity()];
  const settle = (board: TestBoard, mark: Mark, fold: number | null) =>
    ranking().settle(board.tag, board.definition.hash, mark, seasonFold(fold));
  const markOf = async (board: TestBoard, playerId: string) => present((await board.marked()).get(playerId));

  /** Amy and Bob have 10 and 20 points, and Amy is marked. */
  async function markedBoard(): Promise<{ readonly board: TestBoard; readonly mark: Mark }> {
    const board = boardOf(definition);
    await board.fill();
    await board.submit(['amy', score(10, 5)], ['bob', score(20, 5)]);
    await board.submit(late('amy'));
    return { board, mark: await markOf(board, 'amy') };
  }

  it('makes the entry what truth comes to, tells it, and takes the mark away', async () => {
    const { board, mark } = await markedBoard();
    const seq = await board.seq();
    const feed = board.follow(seq);
    const before = Date.now();
    expect(await settle(board, mark, score(17, 6))).toBe('settled');
    expect(await board.scores()).toEqual({ amy: score(17, 6), bob: score(20, 5) });
    expect(await ranking().marks(board.tag)).toEqual([]);
    await feed.reached(seq + 1);
    feed.close();
    const rank = definition.merge.isLow ? 1 : 2;
    const scores = { scoreBefore: score(10, 5), rankBefore: rank, score: score(17, 6), rank };
    expect(feed.allChanges).toEqual([{ list: 's', playerId: 'amy', ...scores, at: expect.any(Number), label: null }]);
    expect(Math.abs((feed.allChanges[0]?.at ?? 0) - before)).toBeLessThan(10_000);
  });

  it('may lower an entry', async () => {
    const { board, mark } = await markedBoard();
    await settle(board, mark, score(3, 2));
    expect(await board.scores()).toEqual({ amy: score(3, 2), bob: score(20, 5) });
  });

  it('adds what came for the player in later calls', async () => {
    const { board, mark } = await markedBoard();
    await board.submit(['amy', score(3, 9)], ['bob', score(1, 9)]);
    await board.submit(['amy', score(4, 8)]);
    expect(await board.scores()).toEqual({ amy: score(17, 9), bob: score(21, 9) });
    expect(await settle(board, mark, score(17, 6))).toBe('settled');
    expect(await board.scores()).toEqual({ amy: score(24, 9), bob: score(21, 9) });
  });

  it('adds copies of them once, and copies of earlier results not at all', async () => {
    const { board } = await markedBoard();
    const [before, after] = [newIdentity(), newIdentity()];
    await board.submit(['bob', score(2, 5), before]);
    await board.submit(late('bob'));
    const [bob, bobAgain]: ToSubmit[] = [
      ['bob', score(2, 5), before],
      ['bob', score(3, 5), after],
    ];
    await board.submit(present(bob), present(bobAgain), present(bobAgain));
    await board.submit(present(bobAgain));
    await settle(board, await markOf(board, 'bob'), score(29, 5));
    expect(await board.scores()).toMatchObject({ bob: score(32, 5) });
  });

  it('adds also what left the entry as it was', async () => {
    const board = boardOf(definition);
    await board.fill([seasonEntry('amy', score(definition.merge.maxTotal, 5))]);
    await board.submit(late('amy'));
    expect(await board.submit(['amy', score(6, 5)])).toMatchObject({ outcomes: ['no-record'] });
    await settle(board, await markOf(board, 'amy'), score(100, 4));
    expect(await board.scores()).toEqual({ amy: score(106, 5) });
  });

  it('stops at the largest total', async () => {
    const { board, mark } = await markedBoard();
    await board.submit(['amy', score(6, 9)]);
    await settle(board, mark, score(definition.merge.maxTotal - 2, 5));
    expect(await board.scores()).toMatchObject({ amy: score(definition.merge.maxTotal, 9) });
  });

  it('leaves to truth all that came in the call of the late result, before or behind it', async () => {
    const board = boardOf(definition);
    await board.fill();
    const reply = await board.submit(['amy', score(1, 5)], late('amy'), ['amy', score(3, 5)]);
    expect(reply).toMatchObject({ outcomes: ['applied', 'late', 'applied'] });
    expect(await board.scores()).toEqual({ amy: score(4, 5) });
    await settle(board, await markOf(board, 'amy'), score(11, 5));
    expect(await board.scores()).toEqual({ amy: score(11, 5) });
  });

  it('renews the mark at the next late result, with new positions and nothing aside', async () => {
    const { board, mark } = await markedBoard();
    await board.submit(['amy', score(3, 9)]);
    await board.submit(['amy', score(4, 9)], late('amy'), ['amy', score(5, 9)]);
    const renewed = await markOf(board, 'amy');
    expect(renewed.markId).not.toBe(mark.markId);
    expect(mark.positions.map(({ next }) => next)).toEqual([3]);
    expect(renewed.positions.map(({ next }) => next)).toEqual([7]);
    const rows = await board.rows();
    expect(await settle(board, mark, score(17, 6))).toBe('superseded');
    expect(await board.rows()).toEqual(rows);
    expect(await markOf(board, 'amy')).toEqual(renewed);
    await board.submit(['amy', score(2, 9)]);
    expect(await settle(board, renewed, score(36, 9))).toBe('settled');
    expect(await board.scores()).toMatchObject({ amy: score(38, 9) });
  });

  it('marks anew after it was settled, with nothing aside from before', async () => {
    const { board, mark } = await markedBoard();
    await board.submit(['amy', score(3, 9)]);
    await settle(board, mark, score(17, 6));
    await board.submit(['amy', score(1, 9)]);
    await board.submit(late('amy'));
    await settle(board, await markOf(board, 'amy'), score(28, 9));
    expect(await board.scores()).toMatchObject({ amy: score(28, 9) });
  });

  it('takes the row away where truth has none, and tells it', async () => {
    const { board, mark } = await markedBoard();
    const seq = await board.seq();
    const feed = board.follow(seq);
    expect(await settle(board, mark, null)).toBe('settled');
    expect(await board.rows()).toEqual([{ playerId: 'bob', score: score(20, 5), rank: 1 }]);
    const standing = present(await ranking().readPlayers(board.ref(), ['amy']));
    expect(standing).toMatchObject({ total: 1, rows: [{ playerId: 'amy', score: null, rank: null }] });
    await feed.reached(seq + 1);
    feed.close();
    const rankBefore = definition.merge.isLow ? 1 : 2;
    expect(feed.allChanges).toMatchObject([
      { playerId: 'amy', scoreBefore: score(10, 5), rankBefore, score: null, rank: null },
    ]);
    await board.submit(['amy', score(1, 9)]);
    expect(await board.scores()).toEqual({ amy: score(1, 9), bob: score(20, 5) });
  });

  it('keeps a row of what came since where truth has none', async () => {
    const { board, mark } = await markedBoard();
    await board.submit(['amy', score(3, 9)]);
    await settle(board, mark, null);
    expect(await board.scores()).toEqual({ amy: score(3, 9), bob: score(20, 5) });
  });

  it('gives a row to a player who had none', async () => {
    const { board } = await markedBoard();
    await board.submit(late('cat'));
    const seq = await board.seq();
    const feed = board.follow(seq);
    await settle(board, await markOf(board, 'cat'), score(7, 1));
    await feed.reached(seq + 1);
    feed.close();
    expect(feed.allChanges).toMatchObject([
      {
        playerId: 'cat',
        scoreBefore: null,
        rankBefore: null,
        score: score(7, 1),
        rank: definition.merge.isLow ? 1 : 3,
      },
    ]);
  });

  it.each([
    ['the entry is right already', 'amy', score(10, 5)],
    ['there is no row, and none is due', 'cat', null],
  ])('tells nothing where %s', async (_, playerId, fold) => {
    const { board } = await markedBoard();
    await board.submit(late('cat'));
    const [seq, rows] = [await board.seq(), await board.rows()];
    expect(await settle(board, await markOf(board, playerId), fold)).toBe('settled');
    expect([await board.seq(), await board.rows()]).toEqual([seq, rows]);
    expect([...(await board.marked()).keys()]).toEqual([playerId === 'amy' ? 'cat' : 'amy']);
  });

  it('numbers its change as the next one of the feed', async () => {
    const { board, mark } = await markedBoard();
    const { epoch, seq } = present(await ranking().state(board.tag));
    const feed = board.follow(seq);
    await board.submit(['bob', score(1, 9)]);
    await settle(board, mark, score(17, 6));
    await board.submit(['bob', score(1, 9)]);
    await feed.reached(seq + 3);
    feed.close();
    expect(feed.sets.map((set) => [set.epoch, set.fromSeq - seq, set.toSeq - seq])).toEqual([
      [epoch, 1, 1],
      [epoch, 2, 2],
      [epoch, 3, 3],
    ]);
  });

  it.each([
    ['another id', { markId: 'of-nobody' }],
    ['a player who is not marked', { playerId: 'bob' }],
    ['a player nobody knows', { playerId: 'zed' }],
  ])('does nothing for a mark with %s', async (_, other: Partial<Mark>) => {
    const { board, mark } = await markedBoard();
    const [seq, rows] = [await board.seq(), await board.rows()];
    expect(await settle(board, { ...mark, ...other }, score(99, 9))).toBe('superseded');
    expect([await board.seq(), await board.rows()]).toEqual([seq, rows]);
    expect(await ranking().marks(board.tag)).toEqual([mark]);
  });

  it('does nothing for a mark that was settled', async () => {
    const { board, mark } = await markedBoard();
    await settle(board, mark, score(17, 6));
    expect(await settle(board, mark, score(99, 9))).toBe('superseded');
    expect(await board.scores()).toMatchObject({ amy: score(17, 6) });
  });

  it('has no marks of a tag without a board, and settles nothing there', async () => {
    const { mark } = await markedBoard();
    const nowhere = boardOf(definition);
    expect(await ranking().marks(nowhere.tag)).toEqual([]);
    expect(await settle(nowhere, mark, score(1, 1))).toBe('superseded');
    expect(await ranking().state(nowhere.tag)).toBeNull();
  });

  it('takes ids of any kind, and every digit of a score', async () => {
    const board = boardOf(definition);
    await board.fill();
    const ids = ['p{x}', 'x:y', '*', 'x'.repeat(64), 'Ａ', '😀', ' ', '-1', '0', '__proto__'];
    await board.submit(...ids.map(late));
    const marks = await board.marked();
    expect([...marks.keys()].toSorted()).toEqual(ids.toSorted());
    expect(new Set([...marks.values()].map(({ markId }) => markId)).size).toBe(ids.length);
    const largest = 2 ** 53 - 1;
    for (const [index, id] of ids.entries()) await settle(board, present(marks.get(id)), largest - index);
    expect((await board.rows()).map((row) => [row.playerId, row.score])).toEqual(
      ids.map((id, index) => [id, largest - index]),
    );
  });

  it('answers so many marks at once, and the rest when these are settled', async () => {
    const board = boardOf(definition);
    await board.fill();
    const ids = Array.from({ length: MAX_MARKS + 5 }, (_, index) => `p${index}`);
    for (let from = 0; from < ids.length; from += MAX_SUBMIT_RESULTS) {
      const cut = ids.slice(from, from + MAX_SUBMIT_RESULTS);
      await board.submitBatch(batchOf(from, ...cut.map(late)));
    }
    const marks = await ranking().marks(board.tag);
    expect(marks).toHaveLength(MAX_MARKS);
    await Promise.all(marks.map((mark) => settle(board, mark, score(1, 1))));
    const rest = await ranking().marks(board.tag);
    expect(new Set([...marks, ...rest].map(({ playerId }) => playerId))).toEqual(new Set(ids));
    expect(rest).toHaveLength(5);
  });
}
