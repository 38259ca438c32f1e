/** Contract tests of `mark`: players that a reconcile wants computed anew, without a record in any log. */

import { expect, it } from 'vitest';
import { MAX_MARKS } from '../../src/ranking/ranking.js';
import {
  DAY,
  OTHER_DEFINITION,
  pack,
  present,
  type RankingFactory,
  SEASON,
  seasonFold,
  TestBoard,
  useRanking,
} from './ranking-fixture.js';

export function describeMarkCalls(factory: RankingFactory): void {
  const { ranking } = useRanking(factory);
  const mark = (board: TestBoard, ...ids: readonly string[]) => {
    const players = ids.map((playerId) => ({ playerId, lists: [SEASON, DAY] }));
    return ranking().mark(board.tag, board.definition.hash, players);
  };

  async function board(): Promise<TestBoard> {
    const made = new TestBoard(ranking());
    await made.fill();
    await made.submit(['amy', pack(10, 5)], ['bob', pack(20, 5)]);
    return made;
  }

  it('marks players with the positions as they are, tells nothing and moves nobody', async () => {
    const made = await board();
    const [state, rows] = [await ranking().state(made.tag), await made.rows()];
    expect(await mark(made, 'amy', 'nobody', '😀')).toBe('marked');
    expect([await ranking().state(made.tag), await made.rows()]).toEqual([state, rows]);
    const marks = await made.marked();
    expect([...marks.keys()].toSorted()).toEqual(['amy', 'nobody', '😀'].toSorted());
    for (const { positions, lists } of marks.values()) {
      expect(positions).toEqual(present(state).positions);
      expect([...lists].toSorted()).toEqual([DAY.name, SEASON.name]);
    }
  });

  it('keeps aside what comes behind it', async () => {
    const made = await board();
    await mark(made, 'amy');
    await made.submit(['amy', pack(30, 9)]);
    expect(
      await ranking().settle(made.tag, made.definition.hash, await made.markOf('amy'), seasonFold(pack(5, 1))),
    ).toBe('settled');
    expect(await made.scores()).toEqual({ amy: pack(30, 9), bob: pack(20, 5) });
  });

  it('renews a mark, and empties what was aside', async () => {
    const made = await board();
    await mark(made, 'amy');
    const first = await made.markOf('amy');
    await made.submit(['amy', pack(30, 9)]);
    await mark(made, 'amy');
    expect(await ranking().settle(made.tag, made.definition.hash, first, seasonFold(pack(10, 5)))).toBe('superseded');
    const second = await made.markOf('amy');
    expect(second.positions.map(({ next }) => next)).toEqual([3]);
    expect(await ranking().settle(made.tag, made.definition.hash, second, seasonFold(pack(10, 5)))).toBe('settled');
    expect(await made.scores()).toEqual({ amy: pack(10, 5), bob: pack(20, 5) });
  });

  it('keeps the label of the order before it', async () => {
    const made = await board();
    await made.order('correct', 'amy');
    await mark(made, 'amy');
    const seq = await made.seq();
    const feed = made.follow(seq);
    await ranking().settle(made.tag, made.definition.hash, await made.markOf('amy'), seasonFold(pack(5, 1)));
    await feed.reached(seq + 1);
    feed.close();
    expect(feed.allChanges).toMatchObject([{ label: 'correction' }]);
  });

  it('marks as many as a call may name', async () => {
    const made = await board();
    expect(await mark(made, ...Array.from({ length: MAX_MARKS }, (_, index) => `p${index}`))).toBe('marked');
    expect(await ranking().marks(made.tag)).toHaveLength(MAX_MARKS);
  });

  it('marks nobody where there is no tag, or one of another definition', async () => {
    const nowhere = new TestBoard(ranking());
    expect(await mark(nowhere, 'amy')).toBe('no-board');
    const made = await board();
    const players = [{ playerId: 'amy', lists: [SEASON] }];
    expect(await ranking().mark(made.tag, OTHER_DEFINITION.hash, players)).toBe('other-definition');
    expect([await ranking().marks(nowhere.tag), await ranking().marks(made.tag)]).toEqual([[], []]);
  });

  it('marks in a fill under way, where there is no board yet', async () => {
    const made = new TestBoard(ranking());
    await made.begin({ jobId: 'job' });
    expect(await mark(made, 'amy')).toBe('marked');
    expect(
      await ranking().settle(made.tag, made.definition.hash, await made.markOf('amy'), seasonFold(pack(5, 1))),
    ).toBe('settled');
    await made.finish('job', 0);
    expect(await made.scores()).toEqual({ amy: pack(5, 1) });
  });
}
