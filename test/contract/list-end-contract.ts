/** Contract tests of how a list ends: past its `keptUntil` it is neither written nor shown, whatever comes for it. */

import { expect, it, vi } from 'vitest';
import type { TagList } from '../../src/domain/lists.js';
import {
  definitionOf,
  entryIn,
  GUILD,
  pack,
  type RankingFactory,
  SEASON,
  seasonEntry,
  type TestBoard,
  useRanking,
} from './ranking-fixture.js';

/** Marks, copies and totals: it has all that may bring a row back. */
const SUM = definitionOf('sum');
/** Long enough to write the list and read it. */
const SHORTLY_MS = 2_000;

export function describeListEnds(factory: RankingFactory): void {
  const { ranking, boardOf } = useRanking(factory);
  const ended = (): TagList => ({ name: 'd:2026-10-11', keptUntil: Date.now() - 1 });
  const ending = (): TagList => ({ name: 'd:2026-10-12', keptUntil: Date.now() + SHORTLY_MS });

  async function filledBoard(): Promise<TestBoard> {
    const board = boardOf(SUM);
    await board.fill();
    return board;
  }

  async function isGone(board: TestBoard, { name }: TagList): Promise<void> {
    const check = async () => expect(await board.rows(name)).toEqual([]);
    await vi.waitFor(check, { timeout: SHORTLY_MS + 5_000, interval: 20 });
  }

  async function expectNothing(board: TestBoard, { name }: TagList, playerId: string): Promise<void> {
    const list = board.ref(name);
    expect(await ranking().readRange(list, 1, 10)).toMatchObject({ total: 0, rows: [] });
    expect(await ranking().readAround(list, playerId, 1, 1)).toMatchObject({ total: 0, rows: [] });
    const unranked = { playerId, score: null, rank: null };
    expect(await ranking().readPlayers(list, [playerId])).toMatchObject({ total: 0, rows: [unranked] });
  }

  it('leaves out a list that has ended, and counts the result in the others', async () => {
    const board = await filledBoard();
    const list = ended();
    const seq = await board.seq();
    const feed = board.follow(seq);
    expect(await board.submitIn([SEASON, list, GUILD], ['amy', pack(10, 5)])).toMatchObject({ outcomes: ['applied'] });
    expect(await board.submitIn([list], ['bob', pack(10, 5)])).toMatchObject({ outcomes: ['no-record'], next: 2 });
    await expectNothing(board, list, 'amy');
    expect(await board.players(GUILD.name)).toEqual(['amy']);
    await feed.reached(seq + 2);
    feed.close();
    expect(feed.allChanges.map((change) => change.list).toSorted()).toEqual([SEASON.name, GUILD.name]);
  });

  it('shows a list to its end, and nothing of it behind', async () => {
    const board = await filledBoard();
    const list = ending();
    await board.submitIn([SEASON, list], ['amy', pack(10, 5)]);
    expect(await board.players(list.name)).toEqual(['amy']);
    await isGone(board, list);
    await expectNothing(board, list, 'amy');
    expect(await board.players()).toEqual(['amy']);
  });

  it('brings it back neither by a late result, nor by a settle, nor by a hide', async () => {
    const board = await filledBoard();
    const list = ending();
    await board.submitIn([SEASON, list], ['amy', pack(10, 5)], ['bob', pack(20, 5)]);
    await board.order('recompute', 'amy', [SEASON, list]);
    await board.submitIn([SEASON, list], ['amy', pack(1, 5)]);
    await isGone(board, list);
    const seq = await board.seq();
    const feed = board.follow(seq);
    await board.submitIn([SEASON, list], ['bob', pack(5, 6)]);
    const folded = [
      { list: SEASON, score: pack(12, 5) },
      { list, score: pack(12, 5) },
    ];
    expect(await ranking().settle(board.tag, board.definition.hash, await board.markOf('amy'), folded)).toBe('settled');
    await board.order('hide', 'bob', [SEASON, list]);
    await expectNothing(board, list, 'bob');
    expect(await board.scores()).toEqual({ amy: pack(13, 5) });
    await feed.reached(seq + 3);
    feed.close();
    expect(feed.allChanges.map((change) => change.list)).toEqual([SEASON.name, SEASON.name, SEASON.name]);
  });

  it('fills no list that has ended, though its entries count as arrived', async () => {
    const board = boardOf(SUM);
    const [old, brief] = [ended(), ending()];
    await board.begin({ jobId: 'job' });
    await board.load('job', 0, [entryIn(old, 'amy', pack(1, 5)), entryIn(brief, 'amy', pack(2, 5))]);
    await board.load('job', 1, [seasonEntry('amy', pack(3, 5))]);
    expect(await board.finish('job', 2)).toBe('finished');
    await expectNothing(board, old, 'amy');
    expect(await board.scores()).toEqual({ amy: pack(3, 5) });
    await isGone(board, brief);
  });

  it('ends in the generation that replaces a board as in the board', async () => {
    const board = await filledBoard();
    const list = ending();
    await board.submitIn([SEASON, list], ['amy', pack(10, 5)]);
    await board.begin({ jobId: 'job', replace: true });
    await board.load('job', 0, [seasonEntry('amy', pack(10, 5)), entryIn(list, 'amy', pack(10, 5))]);
    await board.submitIn([SEASON, list], ['amy', pack(1, 5)]);
    expect(await board.finish('job', 1)).toBe('finished');
    expect(await board.scores(list.name)).toEqual({ amy: pack(11, 5) });
    await isGone(board, list);
    await board.submitIn([list], ['amy', pack(1, 5)]);
    await expectNothing(board, list, 'amy');
  });
}
