/** Contract tests of hidden players that hold for every rule: out at once, out of all that follows, and back again. */

import { expect, it } from 'vitest';
import type { TagDefinition } from '../../src/domain/tag-definition.js';
import type { PlayerOrder, SubmitResult } from '../../src/ranking/ranking.js';
import {
  AT,
  batchIn,
  DAY,
  GUILD,
  pack,
  present,
  type RankingFactory,
  SEASON,
  SOURCE,
  type TestBoard,
  useRanking,
} from './ranking-fixture.js';

const ALL = [SEASON, DAY, GUILD];
/** The lists of everybody: what an order to hide names. */
const UNSCOPED = [SEASON, DAY];

export function describeHides(factory: RankingFactory, definition: TagDefinition): void {
  const { ranking, boardOf } = useRanking(factory);
  const score = (points: number, second: number) => pack(points, second, definition.merge);
  const folded = (points: number, second: number) => ALL.map((list) => ({ list, score: score(points, second) }));
  const settle = async (board: TestBoard, playerId: string, points: number, second: number) =>
    expect(
      await ranking().settle(board.tag, board.definition.hash, await board.markOf(playerId), folded(points, second)),
    ).toBe('settled');
  const playersIn = (board: TestBoard) => Promise.all(ALL.map(({ name }) => board.players(name)));

  /** Cat, Bob and Amy are on all lists; Bob is in the middle whichever end is first. */
  async function board(): Promise<TestBoard> {
    const made = boardOf(definition);
    await made.fill();
    await made.submitIn(ALL, ['amy', score(10, 5)], ['bob', score(20, 5)], ['cat', score(30, 5)]);
    return made;
  }

  async function hiddenBoard(): Promise<TestBoard> {
    const made = await board();
    await made.order('hide', 'bob', UNSCOPED);
    await settle(made, 'bob', 20, 5);
    return made;
  }

  it('takes the rows out of the lists named at once, closes the ranks and tells it', async () => {
    const made = await board();
    const seq = await made.seq();
    const feed = made.follow(seq);
    const last = (await made.players())[2];
    expect(await made.order('hide', 'bob', UNSCOPED)).toMatchObject({ outcomes: ['marked'] });
    for (const { name } of UNSCOPED) {
      const rows = await made.rows(name);
      expect(rows.map(({ rank }) => rank)).toEqual([1, 2]);
      expect(rows[1]?.playerId).toBe(last);
      const standing = present(await ranking().readPlayers(made.ref(name), ['bob']));
      expect(standing).toMatchObject({
        total: 2,
        rows: [{ playerId: 'bob', score: null, rank: null, isHidden: true }],
      });
    }
    // Without a row neither, and whoever is not hidden is not said to be.
    await made.order('hide', 'nobody', UNSCOPED);
    const { rows: others } = present(await ranking().readPlayers(made.ref(), ['nobody', 'amy', 'stranger']));
    expect(others.map((row) => row.isHidden ?? false)).toEqual([true, false, false]);
    await feed.reached(seq + 2);
    feed.close();
    expect(feed.sets).toHaveLength(1);
    const gone = { playerId: 'bob', scoreBefore: score(20, 5), rankBefore: 2, score: null, rank: null };
    expect(feed.allChanges.toSorted((a, b) => (a.list < b.list ? -1 : 1))).toEqual(
      [DAY, SEASON].map(({ name }) => ({ ...gone, list: name, at: AT, label: 'hide' })),
    );
  });

  it('takes the scoped rows out when he is settled, though truth has results of his there', async () => {
    const made = await board();
    await made.order('hide', 'bob', UNSCOPED);
    const seq = await made.seq();
    const feed = made.follow(seq);
    await settle(made, 'bob', 20, 5);
    for (const players of await playersIn(made)) expect(players).not.toContain('bob');
    for (const { name } of ALL) expect((await made.rows(name)).map(({ rank }) => rank)).toEqual([1, 2]);
    await feed.reached(seq + 1);
    feed.close();
    expect(feed.allChanges).toMatchObject([{ list: GUILD.name, playerId: 'bob', rank: null, label: 'hide' }]);
    expect(await ranking().marks(made.tag)).toEqual([]);
  });

  it('answers hidden to his results, writes and tells nothing of them, and goes on with the others', async () => {
    const made = await hiddenBoard();
    const seq = await made.seq();
    const results = [
      ['bob', score(90, 9)],
      ['dan', score(5, 9)],
      ['bob', score(1, 9)],
    ] as const;
    expect(await made.submitIn(ALL, ...results)).toMatchObject({ outcomes: ['hidden', 'applied', 'hidden'], next: 7 });
    for (const players of await playersIn(made)) expect(players.toSorted()).toEqual(['amy', 'cat', 'dan']);
    expect(await made.seq()).toBe(seq + ALL.length);
  });

  it('hides whom it does not know, before his first result', async () => {
    const made = await board();
    const seq = await made.seq();
    expect(await made.order('hide', 'zed', UNSCOPED)).toMatchObject({ outcomes: ['marked'] });
    expect(await made.seq()).toBe(seq);
    expect(await made.submitIn(ALL, ['zed', score(50, 5)])).toMatchObject({ outcomes: ['hidden'] });
    for (const players of await playersIn(made)) expect(players).not.toContain('zed');
  });

  it('brings him back when he is shown again and settled, with all that came meanwhile', async () => {
    const made = await hiddenBoard();
    await made.submitIn(ALL, ['bob', score(3, 9)]);
    const seq = await made.seq();
    expect(await made.order('unhide', 'bob', UNSCOPED)).toMatchObject({ outcomes: ['marked'] });
    expect((await made.markOf('bob')).positions.map(({ next }) => next)).toEqual([6]);
    expect(await made.seq()).toBe(seq);
    const feed = made.follow(seq);
    await settle(made, 'bob', 23, 9);
    for (const { name } of ALL) expect(await made.scores(name)).toMatchObject({ bob: score(23, 9) });
    await feed.reached(seq + ALL.length);
    feed.close();
    for (const change of feed.allChanges) expect(change).toMatchObject({ playerId: 'bob', rank: 2, label: 'hide' });
  });

  it('merges his results again from the order to show him on', async () => {
    const made = await hiddenBoard();
    await made.order('unhide', 'bob', UNSCOPED);
    expect(await made.submitIn(ALL, ['bob', score(1, 9)])).toMatchObject({ outcomes: ['applied'] });
    await settle(made, 'bob', 20, 5);
    const { rule } = definition.merge;
    const expected = { best: score(20, 5), latest: score(1, 9), sum: score(21, 9) }[rule];
    for (const { name } of ALL) expect(await made.scores(name)).toMatchObject({ bob: expected });
  });

  it('keeps the order of a batch', async () => {
    const made = await board();
    const order = (kind: PlayerOrder['order'], offset: number): PlayerOrder => {
      return { order: kind, playerId: 'bob', lists: UNSCOPED, offset, at: AT };
    };
    const result = (offset: number): SubmitResult =>
      present(batchIn(ALL, offset, ['bob', score(25, 10 + offset)]).results[0]);
    const results = [
      result(3),
      order('hide', 4),
      result(5),
      order('unhide', 6),
      result(7),
      order('hide', 8),
      result(9),
    ];
    expect(await made.submitBatch({ source: SOURCE, partition: 0, from: 3, to: 10, results })).toMatchObject({
      outcomes: ['applied', 'marked', 'hidden', 'marked', 'applied', 'marked', 'hidden'],
    });
    for (const { name } of UNSCOPED) expect((await made.players(name)).toSorted()).toEqual(['amy', 'cat']);
    expect((await made.markOf('bob')).positions.map(({ next }) => next)).toEqual([10]);
  });

  it('settles a mark from before the order to hide no more, and nothing aside comes back', async () => {
    const made = await board();
    await made.order('correct', 'bob', ALL);
    const before = await made.markOf('bob');
    await made.submitIn(ALL, ['bob', score(40, 9)]);
    await made.order('hide', 'bob', UNSCOPED);
    expect(await ranking().settle(made.tag, made.definition.hash, before, folded(20, 5))).toBe('superseded');
    await settle(made, 'bob', 60, 9);
    for (const players of await playersIn(made)) expect(players).not.toContain('bob');
    await made.order('unhide', 'bob', UNSCOPED);
    await settle(made, 'bob', 60, 9);
    for (const { name } of ALL) expect(await made.scores(name)).toMatchObject({ bob: score(60, 9) });
  });

  it('stays hidden through corrections and recomputes', async () => {
    const made = await hiddenBoard();
    for (const order of ['correct', 'recompute', 'hide'] as const) {
      expect(await made.order(order, 'bob', ALL)).toMatchObject({ outcomes: ['marked'] });
      await settle(made, 'bob', 99, 9);
    }
    for (const players of await playersIn(made)) expect(players).not.toContain('bob');
  });

  it('only marks whom it shows already', async () => {
    const made = await board();
    const rows = await made.rows();
    expect(await made.order('unhide', 'bob', UNSCOPED)).toMatchObject({ outcomes: ['marked'] });
    expect(await made.rows()).toEqual(rows);
    expect(await made.submitIn(ALL, ['bob', score(40, 9)])).toMatchObject({ outcomes: ['applied'] });
  });

  it('hides nobody by an order that was considered before', async () => {
    const made = await hiddenBoard();
    await made.order('unhide', 'bob', UNSCOPED);
    const order: PlayerOrder = { order: 'hide', playerId: 'bob', lists: UNSCOPED, offset: 3, at: AT };
    expect(await made.submitBatch({ source: SOURCE, partition: 0, from: 3, to: 4, results: [order] })).toMatchObject({
      outcomes: ['skipped'],
    });
    expect(await made.submitIn(ALL, ['bob', score(1, 9)])).toMatchObject({ outcomes: ['applied'] });
  });

  it('hides in one tag alone, and ids of any kind', async () => {
    const [first, second] = [await board(), await board()];
    for (const id of ['__proto__', '{x}', 'a:b', '😀', '*', 'bob']) {
      await first.order('hide', id, UNSCOPED);
      expect(await first.submitIn(ALL, [id, score(1, 1)], ['b', score(1, 1)])).toMatchObject({
        outcomes: ['hidden', expect.stringMatching('applied|no-record')],
      });
    }
    expect(await second.submitIn(ALL, ['bob', score(40, 9)])).toMatchObject({ outcomes: ['applied'] });
  });
}
