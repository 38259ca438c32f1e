/** Contract tests of marks over several lists: which lists a settle concerns, and how its changes are labelled. */

import { describe, expect, it } from 'vitest';
import type { TagList } from '../../src/domain/lists.js';
import type { TagDefinition } from '../../src/domain/tag-definition.js';
import type { FoldedEntry, PlayerOrder } from '../../src/ranking/ranking.js';
import { DAY, GUILD, pack, type RankingFactory, SEASON, type TestBoard, useRanking } from './ranking-fixture.js';

const ALL = [SEASON, DAY, GUILD];

export function describeMarkLists(factory: RankingFactory, definition: TagDefinition): void {
  const { ranking, boardOf } = useRanking(factory);
  const score = (points: number, second: number) => pack(points, second, definition.merge);
  const fold = (list: TagList, points: number): FoldedEntry => ({ list, score: score(points, 5) });
  const amyIn = async (board: TestBoard) => {
    const scores = await Promise.all(ALL.map(async ({ name }) => (await board.scores(name))['amy'] ?? null));
    return Object.fromEntries(ALL.map(({ name }, index) => [name, scores[index]]));
  };

  /** Amy has 10 points in all lists, Bob 20. */
  async function board(): Promise<TestBoard> {
    const made = boardOf(definition);
    await made.fill();
    await made.submitIn(ALL, ['amy', score(10, 5)], ['bob', score(20, 5)]);
    return made;
  }

  async function settle(made: TestBoard, ...folded: readonly FoldedEntry[]): Promise<void> {
    expect(await ranking().settle(made.tag, made.definition.hash, await made.markOf('amy'), folded)).toBe('settled');
    expect(await ranking().marks(made.tag)).toEqual([]);
  }

  it('makes the entry of each list what truth comes to there, in one set of changes', async () => {
    const made = await board();
    await made.order('recompute', 'amy', ALL);
    const seq = await made.seq();
    const feed = made.follow(seq);
    await settle(made, fold(SEASON, 11), fold(DAY, 12), fold(GUILD, 13));
    expect(await amyIn(made)).toEqual({ s: score(11, 5), [DAY.name]: score(12, 5), [GUILD.name]: score(13, 5) });
    await feed.reached(seq + 3);
    feed.close();
    expect(feed.sets).toHaveLength(1);
    expect(feed.allChanges.map(({ list }) => list).toSorted()).toEqual([DAY.name, SEASON.name, GUILD.name]);
  });

  it('takes the row out of a list of the mark where truth has none', async () => {
    const made = await board();
    await made.order('recompute', 'amy', [GUILD]);
    await settle(made, fold(SEASON, 10), fold(DAY, 10));
    expect(await amyIn(made)).toEqual({ s: score(10, 5), [DAY.name]: score(10, 5), [GUILD.name]: null });
    expect(await made.rows(GUILD.name)).toEqual([{ playerId: 'bob', score: score(20, 5), rank: 1 }]);
  });

  it('takes it out where truth says that there is none', async () => {
    const made = await board();
    await made.order('recompute', 'amy', []);
    await settle(made, fold(SEASON, 10), { list: GUILD, score: null });
    expect(await amyIn(made)).toEqual({ s: score(10, 5), [DAY.name]: score(10, 5), [GUILD.name]: null });
  });

  it('leaves lists alone that neither truth, nor the mark, nor a result since names', async () => {
    const made = await board();
    await made.order('recompute', 'amy', [SEASON]);
    await settle(made, fold(SEASON, 12));
    expect(await amyIn(made)).toEqual({ s: score(12, 5), [DAY.name]: score(10, 5), [GUILD.name]: score(10, 5) });
  });

  it('merges what came since into the lists where it came', async () => {
    const made = await board();
    await made.order('recompute', 'amy', ALL);
    await made.submitIn([DAY], ['amy', score(40, 9)]);
    await settle(made, fold(SEASON, 11), fold(GUILD, 11));
    expect(await amyIn(made)).toEqual({ s: score(11, 5), [DAY.name]: score(40, 9), [GUILD.name]: score(11, 5) });
  });

  it('writes a list that only truth has', async () => {
    const made = await board();
    const other = { name: 's:guild:78', keptUntil: null };
    await made.order('recompute', 'amy', [GUILD]);
    await settle(made, fold(other, 10));
    expect(await made.scores(other.name)).toEqual({ amy: score(10, 5) });
    expect(await amyIn(made)).toEqual({ s: score(10, 5), [DAY.name]: score(10, 5), [GUILD.name]: null });
  });

  it('concerns the lists of all marks that were set since the last settle', async () => {
    const made = await board();
    await made.order('recompute', 'amy', [DAY]);
    await made.order('recompute', 'amy', [GUILD]);
    const mark = await made.markOf('amy');
    expect([...mark.lists].toSorted()).toEqual([DAY.name, GUILD.name]);
    expect(mark.positions.map(({ next }) => next)).toEqual([4]);
    await settle(made, fold(SEASON, 10));
    expect(await amyIn(made)).toEqual({ s: score(10, 5), [DAY.name]: null, [GUILD.name]: null });
  });

  it('forgets the lists of a mark with its settle', async () => {
    const made = await board();
    await made.order('recompute', 'amy', [GUILD]);
    await settle(made, fold(SEASON, 10), fold(GUILD, 10));
    await made.order('recompute', 'amy', [DAY]);
    expect((await made.markOf('amy')).lists).toEqual([DAY.name]);
    await settle(made, fold(SEASON, 10), fold(DAY, 10));
    expect(await amyIn(made)).toEqual({ s: score(10, 5), [DAY.name]: score(10, 5), [GUILD.name]: score(10, 5) });
  });

  it('says of an order, also a repeated one, that its player is marked, and of one read again that it is skipped', async () => {
    const made = await board();
    const order = { order: 'correct', playerId: 'amy', lists: ALL, offset: 2, at: 1 } as const;
    const batch = { source: 'kafka:match-results', partition: 0, from: 2, to: 3, results: [order] };
    expect(await made.submitBatch(batch)).toMatchObject({ outcomes: ['marked'], next: 3 });
    expect(await made.submitBatch(batch)).toMatchObject({ outcomes: ['skipped'], next: 3 });
    expect((await made.markOf('amy')).lists.toSorted()).toEqual([DAY.name, SEASON.name, GUILD.name]);
  });

  describe('labels the changes of the settle', () => {
    it.each<[string, PlayerOrder['order'][], 'correction' | 'hide' | null]>([
      ['null, behind a recompute', ['recompute'], null],
      ['correction, behind a correct', ['correct'], 'correction'],
      ['hide, behind an unhide', ['unhide'], 'hide'],
      ['correction, behind a recompute and a correct', ['recompute', 'correct'], 'correction'],
      ['correction, behind a correct and a recompute', ['correct', 'recompute'], 'correction'],
      ['hide, behind a correct and an unhide', ['correct', 'unhide'], 'hide'],
      ['correction, behind an unhide and a correct', ['unhide', 'correct'], 'correction'],
    ])('%s', async (_, orders, label) => {
      const made = await board();
      for (const order of orders) await made.order(order, 'amy', ALL);
      const seq = await made.seq();
      const feed = made.follow(seq);
      await settle(made, fold(SEASON, 7), fold(DAY, 10), fold(GUILD, 10));
      await feed.reached(seq + 1);
      feed.close();
      expect(feed.allChanges).toMatchObject([{ list: 's', playerId: 'amy', score: score(7, 5), label }]);
    });
  });
}
