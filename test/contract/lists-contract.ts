/** Contract tests of several lists in one tag that hold for every rule: where a result counts, and where it does not. */

import { expect, it } from 'vitest';
import type { TagList } from '../../src/domain/lists.js';
import type { TagDefinition } from '../../src/domain/tag-definition.js';
import { MAX_SUBMIT_RESULTS } from '../../src/ranking/ranking.js';
import {
  AT,
  batchIn,
  DAY,
  entryIn,
  GUILD,
  newIdentity,
  pack,
  type RankingFactory,
  SEASON,
  type TestBoard,
  useRanking,
} from './ranking-fixture.js';

export function describeLists(factory: RankingFactory, definition: TagDefinition): void {
  const { ranking, boardOf } = useRanking(factory);
  const { isLow } = definition.merge;
  const score = (points: number, second: number) => pack(points, second, definition.merge);
  /** Of two players the ids from rank 1 on, where the first has less points. */
  const byPoints = (less: string, more: string) => (isLow ? [less, more] : [more, less]);

  async function filledBoard(): Promise<TestBoard> {
    const board = boardOf(definition);
    await board.fill();
    return board;
  }

  it('counts a result in all of its lists in one set of changes, one for each list', async () => {
    const board = await filledBoard();
    await board.submitIn([SEASON, GUILD], ['bob', score(20, 5)]);
    const seq = await board.seq();
    const feed = board.follow(seq);
    expect(await board.submitIn([SEASON, DAY, GUILD], ['amy', score(10, 6)])).toMatchObject({ outcomes: ['applied'] });
    await feed.reached(seq + 3);
    feed.close();
    const behindBob = isLow ? 1 : 2;
    const told = { playerId: 'amy', scoreBefore: null, rankBefore: null, score: score(10, 6), at: AT, label: null };
    expect(feed.sets).toHaveLength(1);
    expect(feed.allChanges.toSorted((a, b) => (a.list < b.list ? -1 : 1))).toEqual([
      { ...told, list: DAY.name, rank: 1 },
      { ...told, list: SEASON.name, rank: behindBob },
      { ...told, list: GUILD.name, rank: behindBob },
    ]);
    expect(await board.players()).toEqual(byPoints('amy', 'bob'));
    expect(await board.players(GUILD.name)).toEqual(byPoints('amy', 'bob'));
    expect(await board.players(DAY.name)).toEqual(['amy']);
  });

  it('keeps an entry of its own in each list', async () => {
    const board = await filledBoard();
    await board.submitIn([SEASON], ['amy', score(10, 5)], ['bob', score(15, 5)]);
    await board.submitIn([DAY], ['amy', score(30, 6)]);
    await board.submitIn([SEASON, DAY], ['bob', score(15, 5)]);
    expect(await board.scores(DAY.name)).toEqual({ amy: score(30, 6), bob: score(15, 5) });
    expect(await board.scores()).toMatchObject({ amy: score(10, 5) });
    expect(await board.players(DAY.name)).toEqual(byPoints('bob', 'amy'));
    expect((await board.players())[0]).toBe(isLow ? 'amy' : 'bob');
  });

  it('answers applied where one of the lists changed, no-record where none did, and tells only what changed', async () => {
    const board = await filledBoard();
    await board.submitIn([SEASON], ['amy', score(10, 5)]);
    const seq = await board.seq();
    const feed = board.follow(seq);
    // No points, and achieved before: no rule changes an entry by it.
    expect(await board.submitIn([SEASON, DAY], ['amy', score(0, 1)])).toMatchObject({ outcomes: ['applied'] });
    expect(await board.submitIn([SEASON, DAY], ['amy', score(0, 1)])).toMatchObject({ outcomes: ['no-record'] });
    await feed.reached(seq + 1);
    feed.close();
    expect(feed.allChanges).toMatchObject([{ list: DAY.name, playerId: 'amy', score: score(0, 1) }]);
  });

  it('says how many each list ranks, and nothing of a list that was never written', async () => {
    const board = await filledBoard();
    await board.submitIn([SEASON, DAY], ['amy', score(10, 5)], ['bob', score(20, 5)]);
    await board.submitIn([SEASON, GUILD], ['cat', score(30, 5)]);
    const totals = async (list: string) => [
      (await ranking().readRange(board.ref(list), 1, 0))?.total,
      (await ranking().readAround(board.ref(list), 'amy', 0, 0))?.total,
      (await ranking().readPlayers(board.ref(list), ['amy']))?.total,
    ];
    expect(await totals(SEASON.name)).toEqual([3, 3, 3]);
    expect(await totals(DAY.name)).toEqual([2, 2, 2]);
    expect(await totals(GUILD.name)).toEqual([1, 1, 1]);
    expect(await totals('w:2026-W42')).toEqual([0, 0, 0]);
    expect(await ranking().readAround(board.ref(GUILD.name), 'amy', 5, 5)).toMatchObject({ rows: [] });
    const unranked = { playerId: 'amy', score: null, rank: null };
    expect(await ranking().readPlayers(board.ref(GUILD.name), ['amy'])).toMatchObject({ rows: [unranked] });
  });

  it('stamps reads of all lists with the one position of the tag', async () => {
    const board = await filledBoard();
    await board.submitIn([DAY], ['amy', score(10, 5)]);
    const state = await ranking().state(board.tag);
    for (const list of [SEASON, DAY, GUILD]) {
      const { epoch, seq } = (await ranking().readRange(board.ref(list.name), 1, 1)) ?? {};
      expect({ epoch, seq }).toEqual({ epoch: state?.epoch, seq: state?.seq });
    }
  });

  it('takes scope values of any letters as they are, and keeps their lists apart', async () => {
    const board = await filledBoard();
    const values = [
      '7',
      '77',
      'a:b',
      'a',
      '{x}',
      '}{',
      '{arena:s9}',
      '*',
      '😀',
      'é',
      'Ａ',
      ' ',
      's',
      'x'.repeat(64),
      '__proto__',
    ];
    const lists = values.flatMap((value): TagList[] => [
      { name: `s:guild:${value}`, keptUntil: null },
      { ...DAY, name: `${DAY.name}:guild:${value}` },
    ]);
    for (const [index, list] of lists.entries()) await board.submitIn([list], [`p${index}`, score(index, 5)]);
    for (const [index, { name }] of lists.entries()) {
      expect(await board.rows(name)).toEqual([{ playerId: `p${index}`, score: score(index, 5), rank: 1 }]);
    }
    expect(await board.rows()).toEqual([]);
    expect(await board.rows(DAY.name)).toEqual([]);
    expect(await board.rows('s:guild:')).toEqual([]);
  });

  it('skips, repeats and refuses a result in all of its lists together', async () => {
    const board = await filledBoard();
    const batch = batchIn([SEASON, DAY, GUILD], 0, ['amy', score(10, 5)], ['bob', score(20, 5)]);
    const broken = batch.results.map((result, index) => (index === 1 ? { ...result, score: -1 } : result));
    await expect(board.submitBatch({ ...batch, results: broken })).rejects.toThrow();
    for (const { name } of [SEASON, DAY, GUILD]) expect(await board.rows(name)).toEqual([]);
    await board.submitBatch(batch);
    const seq = await board.seq();
    expect(await board.submitBatch(batch)).toMatchObject({ outcomes: ['skipped', 'skipped'] });
    expect(await board.seq()).toBe(seq);
    for (const { name } of [SEASON, DAY, GUILD]) {
      expect(await board.scores(name)).toEqual({ amy: score(10, 5), bob: score(20, 5) });
    }
  });

  it('takes as many results as a call may hold, each with lists of its own', async () => {
    const board = await filledBoard();
    const guild = (index: number): TagList => ({ name: `s:guild:${index % 50}`, keptUntil: null });
    const { results, ...batch } = batchIn(
      [SEASON, DAY],
      0,
      ...Array.from({ length: MAX_SUBMIT_RESULTS }, (_, index) => [`p${index}`, score(index, 5)] as const),
    );
    const listed = results.map((result, index) => ({ ...result, lists: [...result.lists, guild(index)] }));
    const seq = await board.seq();
    expect(await board.submitBatch({ ...batch, results: listed })).toMatchObject({ next: MAX_SUBMIT_RESULTS });
    expect(await board.seq()).toBe(seq + 3 * MAX_SUBMIT_RESULTS);
    for (const [list, total] of [
      [SEASON, MAX_SUBMIT_RESULTS],
      [DAY, MAX_SUBMIT_RESULTS],
      [guild(7), MAX_SUBMIT_RESULTS / 50],
    ] as const) {
      expect(await ranking().readRange(board.ref(list.name), 1, 1)).toMatchObject({ total });
    }
  });

  it('fills every list that a chunk names, and merges live results into each', async () => {
    const board = boardOf(definition);
    await board.begin({ jobId: 'job' });
    await board.load('job', 0, [entryIn(SEASON, 'amy', score(10, 5)), entryIn(DAY, 'amy', score(4, 5))]);
    await board.submitIn([SEASON, GUILD], ['bob', score(20, 6), newIdentity()]);
    await board.load('job', 1, [entryIn(GUILD, 'amy', score(10, 5)), entryIn(DAY, 'cat', score(9, 5))]);
    expect(await board.finish('job', 2)).toBe('finished');
    expect(await board.scores()).toEqual({ amy: score(10, 5), bob: score(20, 6) });
    expect(await board.scores(DAY.name)).toEqual({ amy: score(4, 5), cat: score(9, 5) });
    expect(await board.scores(GUILD.name)).toEqual({ amy: score(10, 5), bob: score(20, 6) });
  });
}
