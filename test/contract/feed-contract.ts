/** Contract tests of the change feed: what a follower hears, and from where on. */

import { afterEach, expect, it } from 'vitest';
import type { FeedRecorder, RankingFactory } from './ranking-fixture.js';
import { AT, eventually, present, seasonEntry, TestBoard, useRanking } from './ranking-fixture.js';

export function describeFeed(factory: RankingFactory): void {
  const { ranking } = useRanking(factory);
  const recorders: FeedRecorder[] = [];
  afterEach(() => {
    for (const recorder of recorders.splice(0)) recorder.close();
  });

  function follow(board: TestBoard, afterSeq: number): FeedRecorder {
    const recorder = board.follow(afterSeq);
    recorders.push(recorder);
    return recorder;
  }

  async function filledBoard(): Promise<TestBoard> {
    const board = new TestBoard(ranking());
    await board.fill();
    return board;
  }

  it('brings one set per submit, numbered without a gap, under the epoch of the board', async () => {
    const board = await filledBoard();
    const { epoch, seq } = present(await ranking().state(board.tag));
    const feed = follow(board, seq);
    await board.submit(['amy', 1]);
    await board.submit(['bob', 2], ['cat', 3], ['amy', 1]);
    await board.submit(['amy', 4]);
    await feed.reached(seq + 4);
    expect(feed.sets.map((set) => [set.epoch, set.fromSeq - seq, set.toSeq - seq, set.changes.length])).toEqual([
      [epoch, 1, 1, 1],
      [epoch, 2, 3, 2],
      [epoch, 4, 4, 1],
    ]);
    expect(await ranking().state(board.tag)).toMatchObject({ epoch, seq: seq + 4 });
  });

  it('says for each change the score and rank right before and right after it', async () => {
    const board = await filledBoard();
    const seq = await board.seq();
    const feed = follow(board, seq);
    await board.submit(['amy', 10], ['bob', 20], ['cat', 30]);
    await board.submit(['amy', 25], ['amy', 40], ['bob', 40]);
    await feed.reached(seq + 6);
    const told = (playerId: string, ...values: (number | null)[]) => {
      const [scoreBefore, rankBefore, score, rank, at] = values;
      return { list: 's', playerId, scoreBefore, rankBefore, score, rank, at, label: null };
    };
    expect(feed.allChanges).toEqual([
      told('amy', null, null, 10, 1, AT),
      told('bob', null, null, 20, 1, AT + 1),
      told('cat', null, null, 30, 1, AT + 2),
      told('amy', 10, 3, 25, 2, AT),
      told('amy', 25, 2, 40, 1, AT + 1),
      // Equal scores: the higher id stands above.
      told('bob', 20, 3, 40, 1, AT + 2),
    ]);
  });

  it('tells of a better score that moves nobody', async () => {
    const board = await filledBoard();
    await board.submit(['amy', 10], ['bob', 5]);
    const seq = await board.seq();
    const feed = follow(board, seq);
    await board.submit(['amy', 11]);
    await feed.reached(seq + 1);
    expect(feed.allChanges).toMatchObject([{ scoreBefore: 10, rankBefore: 1, score: 11, rank: 1 }]);
  });

  it('brings nothing for a submit that changed nothing', async () => {
    const board = await filledBoard();
    await board.submit(['amy', 10]);
    const seq = await board.seq();
    const feed = follow(board, seq);
    await board.submit(['amy', 9], ['amy', 10]);
    await board.submit();
    await board.submit(['amy', 11]);
    await feed.reached(seq + 1);
    expect(feed.sets.map((set) => [set.fromSeq, set.toSeq])).toEqual([[seq + 1, seq + 1]]);
  });

  it('brings a follower what lies above its seq, also what happened before it came', async () => {
    const board = await filledBoard();
    await board.submit(['amy', 1]);
    const seq = await board.seq();
    await board.submit(['bob', 2]);
    await board.submit(['cat', 3]);
    const feed = follow(board, seq);
    await feed.reached(seq + 2);
    await board.submit(['dan', 4]);
    await feed.reached(seq + 3);
    expect(feed.allChanges.map((change) => change.playerId)).toEqual(['bob', 'cat', 'dan']);
    expect(feed.sets.map((set) => set.fromSeq)).toEqual([seq + 1, seq + 2, seq + 3]);
  });

  it('goes on from the seq of a restart, back or forth', async () => {
    const board = await filledBoard();
    const seq = await board.seq();
    const feed = follow(board, seq);
    await board.submit(['amy', 1]);
    await board.submit(['bob', 2]);
    await board.submit(['cat', 3]);
    await feed.reached(seq + 3);
    feed.restart(seq + 1);
    await feed.reached(seq + 3);
    expect(feed.allChanges.map((change) => change.playerId)).toEqual(['bob', 'cat']);
    feed.restart(seq + 3);
    await board.submit(['dan', 4]);
    await feed.reached(seq + 4);
    expect(feed.allChanges.map((change) => change.playerId)).toEqual(['dan']);
  });

  it('brings all followers of a tag the same, and followers of another tag nothing of it', async () => {
    const [board, other] = [await filledBoard(), await filledBoard()];
    const [seq, otherSeq] = [await board.seq(), await other.seq()];
    const [first, second, stranger] = [follow(board, seq), follow(board, seq), follow(other, otherSeq)];
    await board.submit(['amy', 1], ['bob', 2]);
    await other.submit(['cat', 3]);
    await Promise.all([first.reached(seq + 2), second.reached(seq + 2), stranger.reached(otherSeq + 1)]);
    expect(second.sets).toEqual(first.sets);
    expect(stranger.allChanges.map((change) => change.playerId)).toEqual(['cat']);
  });

  it('brings a closed subscription nothing more, and its neighbour everything', async () => {
    const board = await filledBoard();
    const seq = await board.seq();
    const [closed, open] = [follow(board, seq), follow(board, seq)];
    closed.close();
    const heardCount = closed.heard.length;
    await board.submit(['amy', 1]);
    await open.reached(seq + 1);
    await eventually(() => open.heard.length >= 3, 'the neighbour heard three positions');
    expect(closed.sets).toEqual([]);
    expect(closed.heard.length).toBe(heardCount);
  });

  it('tells a follower soon where the tag stands, but not before follow has returned', async () => {
    const board = await filledBoard();
    await board.submit(['amy', 1]);
    const { epoch, seq } = present(await ranking().state(board.tag));
    const feed = follow(board, seq);
    expect(feed.heard).toEqual([]);
    await eventually(() => feed.heard.length > 0, 'the position was told');
    expect(feed.heard[0]).toEqual({ epoch, seq });
  });

  it('tells the position again and again, as it is by then', async () => {
    const board = await filledBoard();
    const { epoch, seq } = present(await ranking().state(board.tag));
    const feed = follow(board, seq);
    await eventually(() => feed.heard.length >= 2, 'the position was told twice');
    await board.submit(['amy', 1]);
    await eventually(() => feed.heard.at(-1)?.seq === seq + 1, 'the newest position was told');
    expect(feed.heard.at(-1)).toEqual({ epoch, seq: seq + 1 });
  });

  it('tells the position after a restart', async () => {
    const board = await filledBoard();
    const { epoch, seq } = present(await ranking().state(board.tag));
    const feed = follow(board, seq);
    await eventually(() => feed.heard.length >= 1, 'the position was told');
    const heardCount = feed.heard.length;
    feed.restart(seq);
    await eventually(() => feed.heard.length > heardCount, 'the position was told again');
    expect(feed.heard.at(-1)).toEqual({ epoch, seq });
  });

  it('lets a follower with an impossible seq learn where the tag really stands', async () => {
    const board = await filledBoard();
    const { epoch, seq } = present(await ranking().state(board.tag));
    const feed = follow(board, seq + 1_000);
    await board.submit(['amy', 1]);
    await eventually(() => feed.heard.at(-1)?.seq === seq + 1, 'the position was told');
    expect(feed.heard.at(-1)).toEqual({ epoch, seq: seq + 1 });
    expect(feed.sets).toEqual([]);
  });

  it('follows a tag through its fill: no position, then a new epoch, then its changes', async () => {
    const board = new TestBoard(ranking());
    const feed = follow(board, 0);
    await eventually(() => feed.heard.at(-1) === null, 'no position was told before the fill');
    await board.begin({ jobId: 'job' });
    await board.submit(['live', 5]);
    await board.load('job', 0, [seasonEntry('amy', 10)]);
    expect(feed.heard.every((position) => position === null)).toBe(true);
    await board.finish('job', 1);
    const { epoch, seq } = present(await ranking().state(board.tag));
    await eventually(() => feed.heard.at(-1)?.epoch === epoch, 'the new epoch was told');
    expect(feed.sets).toEqual([]);
    feed.restart(seq);
    await board.submit(['live', 20]);
    await feed.reached(seq + 1);
    expect(feed.sets).toMatchObject([
      { epoch, fromSeq: seq + 1, changes: [{ playerId: 'live', rankBefore: 2, rank: 1 }] },
    ]);
  });
}
