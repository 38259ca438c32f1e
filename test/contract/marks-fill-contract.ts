/** Contract tests of marks while a fill is under way: truth brings a marked player twice, by his chunk and by his settle. */

import { expect, it } from 'vitest';
import type { TagDefinition } from '../../src/domain/tag-definition.js';
import type { FillEntry, Mark } from '../../src/ranking/ranking.js';
import {
  lateIdentity,
  pack,
  present,
  type RankingFactory,
  SOURCE,
  seasonEntry,
  seasonFold,
  type TestBoard,
  type ToSubmit,
  useRanking,
} from './ranking-fixture.js';

export function describeMarksInFills(factory: RankingFactory, definition: TagDefinition): void {
  const { ranking, boardOf } = useRanking(factory);
  const score = (points: number, second: number) => pack(points, second, definition.merge);
  const entry = (playerId: string, points: number) => seasonEntry(playerId, score(points, 5));
  const late = (playerId: string): ToSubmit => [playerId, score(7, 1), lateIdentity()];
  const settle = (board: TestBoard, mark: Mark, fold: number | null) =>
    ranking().settle(board.tag, board.definition.hash, mark, seasonFold(fold));
  const markOf = async (board: TestBoard, playerId: string) => present((await board.marked()).get(playerId));
  const load = (board: TestBoard, index: number, ...entries: readonly FillEntry[]) => board.load('job', index, entries);

  /** A fill by the job `job` is under way, and Amy is marked. */
  async function marked(): Promise<TestBoard> {
    const board = boardOf(definition);
    await board.begin({ jobId: 'job' });
    await board.submit(late('amy'));
    return board;
  }

  it('leaves out of a chunk whom it settled before: his entry was written whole', async () => {
    const board = await marked();
    expect(await settle(board, await markOf(board, 'amy'), score(17, 6))).toBe('settled');
    await board.submit(['amy', score(2, 9)]);
    await load(board, 0, entry('amy', 10), entry('bob', 20));
    await board.finish('job', 1);
    expect(await board.scores()).toEqual({ amy: score(19, 9), bob: score(20, 5) });
  });

  it('leaves him out also where he was settled to no row', async () => {
    const board = await marked();
    await settle(board, await markOf(board, 'amy'), null);
    await load(board, 0, entry('amy', 10), entry('bob', 20));
    await board.finish('job', 1);
    expect(await board.scores()).toEqual({ bob: score(20, 5) });
  });

  it('overwrites what a chunk brought', async () => {
    const board = await marked();
    await load(board, 0, entry('amy', 10), entry('bob', 20));
    await board.submit(['amy', score(2, 9)]);
    expect(await settle(board, await markOf(board, 'amy'), score(17, 6))).toBe('settled');
    await board.finish('job', 1);
    expect(await board.scores()).toEqual({ amy: score(19, 9), bob: score(20, 5) });
  });

  it('takes the row of a chunk away where truth has none by then', async () => {
    const board = await marked();
    await load(board, 0, entry('amy', 10), entry('bob', 20));
    await settle(board, await markOf(board, 'amy'), null);
    await board.finish('job', 1);
    expect(await board.rows()).toEqual([{ playerId: 'bob', score: score(20, 5), rank: 1 }]);
  });

  it('loads as ever whose mark is pending, and keeps the mark and what is aside over the end of the fill', async () => {
    const board = await marked();
    const mark = await markOf(board, 'amy');
    await board.submit(['amy', score(2, 9)]);
    await load(board, 0, entry('amy', 10));
    await board.finish('job', 1);
    expect(await board.scores()).toEqual({ amy: score(12, 9) });
    expect(await ranking().marks(board.tag)).toEqual([mark]);
    await board.submit(['amy', score(1, 9)]);
    expect(await settle(board, mark, score(17, 6))).toBe('settled');
    expect(await board.scores()).toEqual({ amy: score(20, 9) });
  });

  it('leaves out of a later chunk whom a settle wrote after an earlier late result, too', async () => {
    const board = await marked();
    await settle(board, await markOf(board, 'amy'), score(17, 6));
    await board.submit(late('amy'));
    await load(board, 0, entry('amy', 10));
    await settle(board, await markOf(board, 'amy'), score(24, 6));
    await load(board, 1, entry('bob', 20));
    await board.finish('job', 2);
    expect(await board.scores()).toEqual({ amy: score(24, 6), bob: score(20, 5) });
  });

  it('marks with the positions where the fill began, and what it considered since', async () => {
    const board = boardOf(definition);
    const position = { source: 'postgres', partition: 3, next: 7 };
    await board.begin({ jobId: 'job', positions: [position] });
    await board.submit(late('amy'));
    const { positions } = await markOf(board, 'amy');
    expect(positions.toSorted((a, b) => b.next - a.next)).toEqual([
      position,
      { source: SOURCE, partition: 0, next: 1 },
    ]);
  });

  it('tells nothing of it: nobody has a board to which it would be news', async () => {
    const board = await marked();
    const feed = board.follow(0);
    await settle(board, await markOf(board, 'amy'), score(17, 6));
    await board.finish('job', 0);
    const seq = await board.seq();
    await board.submit(['bob', score(1, 1)]);
    await feed.reached(seq + 1);
    feed.close();
    expect(feed.allChanges.map(({ playerId }) => playerId)).toEqual(['bob']);
  });

  it('begins without the marks of a fill before, what was aside, and whom it had settled', async () => {
    const board = boardOf(definition);
    await board.begin({ jobId: 'crashed' });
    await board.submit(late('amy'), late('bob'));
    const [amy, bob] = [await markOf(board, 'amy'), await markOf(board, 'bob')];
    await board.submit(['amy', score(50, 9)]);
    await settle(board, bob, score(20, 5));
    await board.begin({ jobId: 'job' });
    expect(await ranking().marks(board.tag)).toEqual([]);
    expect(await settle(board, amy, score(99, 9))).toBe('superseded');
    await board.submitBatch({ source: SOURCE, partition: 0, from: 0, to: 3, results: [] });
    await board.submit(late('amy'));
    await load(board, 0, entry('amy', 10), entry('bob', 20));
    await settle(board, await markOf(board, 'amy'), score(17, 6));
    await board.finish('job', 1);
    expect(await board.scores()).toEqual({ amy: score(17, 6), bob: score(20, 5) });
  });
}
