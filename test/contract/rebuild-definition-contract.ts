/** Contract tests of a fill under another definition than what is shown: the old board is read on, and written no more. */

import { expect, it } from 'vitest';
import type { Rule } from '../../src/domain/rules.js';
import type { ListRef } from '../../src/ranking/ranking.js';
import {
  batchOf,
  DAY,
  definitionOf,
  entryIn,
  eventually,
  FeedRecorder,
  pack,
  present,
  type RankingFactory,
  SEASON,
  SOURCE,
  seasonEntry,
  seasonFold,
  type TestBoard,
  useRanking,
} from './ranking-fixture.js';

const POSITIONS = [{ source: SOURCE, partition: 0, next: 7 }];

export function describeRebuildDefinitions(factory: RankingFactory, oldRule: Rule, newRule: Rule): void {
  const { ranking, boardOf } = useRanking(factory);
  const [before, after] = [definitionOf(oldRule), { ...definitionOf(newRule), hash: 'next definition' }];
  const newRef = (board: TestBoard, list?: string): ListRef => ({ ...board.ref(list), definitionHash: after.hash });
  const begin = (board: TestBoard, jobId = 'job', hidden: readonly string[] = []) =>
    board.begin({ jobId, positions: POSITIONS, hidden, replace: true }, after);
  const submitNew = (board: TestBoard, ...args: Parameters<typeof batchOf>) =>
    ranking().submit(board.tag, after.hash, batchOf(...args));

  /** Amy has 10 points and Bob 20, both of the day. */
  async function board(): Promise<TestBoard> {
    const made = boardOf(before);
    await made.fill();
    await made.submitIn([SEASON, DAY], ['amy', pack(10, 5)], ['bob', pack(20, 5)]);
    return made;
  }

  const reads = async (list: ListRef) => [
    await ranking().readRange(list, 1, 10),
    await ranking().readAround(list, 'amy', 1, 1),
    await ranking().readPlayers(list, ['amy']),
  ];

  it('does not begin unless it may replace the board', async () => {
    const made = await board();
    const state = await ranking().state(made.tag);
    expect(await made.begin({ jobId: 'job', positions: POSITIONS }, after)).toEqual({ kind: 'exists' });
    expect(await ranking().state(made.tag)).toEqual(state);
    expect(await made.submit(['amy', pack(11, 6)])).toMatchObject({ outcomes: ['applied'] });
  });

  it('begins anew, with the positions of the start', async () => {
    const made = await board();
    expect(await begin(made)).toEqual({ kind: 'begun', positions: POSITIONS });
    expect(await submitNew(made, 8, ['amy', pack(1, 1)])).toEqual({ kind: 'behind', next: 7 });
    expect(await submitNew(made, 6, ['amy', pack(90, 1)], ['amy', pack(3, 9)])).toEqual({
      kind: 'done',
      next: 8,
      outcomes: ['skipped', 'applied'],
      isReadable: false,
    });
  });

  it('lets readers of the old definition read on to the end of the fill, and those of the new one behind it', async () => {
    const made = await board();
    const lists = [SEASON.name, DAY.name];
    const old = () => Promise.all(lists.map((name) => reads(made.ref(name))));
    const rows = await old();
    await begin(made);
    await made.load('job', 0, [seasonEntry('amy', pack(12, 5)), entryIn(DAY, 'amy', pack(9, 5))]);
    await submitNew(made, 7, ['cat', pack(3, 9)]);
    expect(await old()).toEqual(rows);
    for (const name of lists) expect(await reads(newRef(made, name))).toEqual([null, null, null]);
    expect(await ranking().state(made.tag)).toMatchObject({ definitionHash: before.hash });
    expect(await made.finish('job', 1)).toBe('finished');
    for (const name of lists) expect(await reads(made.ref(name))).toEqual([null, null, null]);
    expect((await ranking().readRange(newRef(made), 1, 9))?.rows).toEqual([
      { playerId: 'amy', score: pack(12, 5), rank: 1 },
      { playerId: 'cat', score: pack(3, 9), rank: 2 },
    ]);
    expect((await ranking().readRange(newRef(made, DAY.name), 1, 9))?.rows).toMatchObject([{ score: pack(9, 5) }]);
    const positions = [{ source: SOURCE, partition: 0, next: 8 }];
    expect(await ranking().state(made.tag)).toMatchObject({ definitionHash: after.hash, positions });
  });

  it('writes nothing more under the old definition', async () => {
    const made = await board();
    const rows = await made.rows();
    await begin(made);
    expect(await made.submit(['amy', pack(99, 9)])).toEqual({ kind: 'other-definition' });
    expect(await made.order('hide', 'amy')).toEqual({ kind: 'other-definition' });
    const marked = [{ playerId: 'amy', lists: [SEASON] }];
    expect(await ranking().mark(made.tag, before.hash, marked)).toBe('other-definition');
    expect(await made.rows()).toEqual(rows);
    await made.finish('job', 0);
    expect(await made.submit(['amy', pack(99, 9)])).toEqual({ kind: 'other-definition' });
    expect((await ranking().readRange(newRef(made), 1, 9))?.rows).toEqual([]);
  });

  it('merges by the new rule what a chunk and live results bring', async () => {
    const made = await board();
    await begin(made);
    await submitNew(made, 7, ['amy', pack(3, 9)]);
    await made.load('job', 0, [seasonEntry('amy', pack(12, 5))]);
    await made.finish('job', 1);
    const expected = { best: pack(12, 5), latest: pack(3, 9), sum: pack(15, 9) }[newRule];
    expect((await ranking().readRange(newRef(made), 1, 9))?.rows).toEqual([
      { playerId: 'amy', score: expected, rank: 1 },
    ]);
  });

  it('forgets the marks of before, and what was aside', async () => {
    const made = await board();
    await made.order('correct', 'amy');
    const mark = await made.markOf('amy');
    await made.submit(['amy', pack(50, 9)]);
    await begin(made);
    expect(await ranking().marks(made.tag)).toEqual([]);
    expect(await ranking().settle(made.tag, made.definition.hash, mark, seasonFold(pack(99, 9)))).toBe('superseded');
    await made.load('job', 0, [seasonEntry('amy', pack(12, 5))]);
    const order = { order: 'recompute', playerId: 'amy', lists: [SEASON], offset: 7, at: 1 } as const;
    const batch = { source: SOURCE, partition: 0, from: 7, to: 8, results: [order] };
    expect(await ranking().submit(made.tag, after.hash, batch)).toMatchObject({ outcomes: ['marked'] });
    expect(await ranking().settle(made.tag, after.hash, await made.markOf('amy'), seasonFold(pack(13, 5)))).toBe(
      'settled',
    );
    await made.finish('job', 1);
    expect((await ranking().readRange(newRef(made), 1, 9))?.rows).toMatchObject([
      { playerId: 'amy', score: pack(13, 5) },
    ]);
  });

  it('writes a settle only into the fill', async () => {
    const made = await board();
    const rows = await made.rows();
    await begin(made);
    await ranking().mark(made.tag, after.hash, [{ playerId: 'amy', lists: [SEASON] }]);
    expect(await ranking().settle(made.tag, after.hash, await made.markOf('amy'), seasonFold(pack(1, 1)))).toBe(
      'settled',
    );
    expect(await made.rows()).toEqual(rows);
    await made.finish('job', 0);
    expect((await ranking().readRange(newRef(made), 1, 9))?.rows).toMatchObject([
      { playerId: 'amy', score: pack(1, 1) },
    ]);
  });

  it('goes by the hidden players of the start', async () => {
    const made = await board();
    await made.order('hide', 'amy');
    await begin(made, 'job', ['bob']);
    const both = [seasonEntry('amy', pack(12, 5)), seasonEntry('bob', pack(20, 5))];
    await made.load('job', 0, both);
    expect(await submitNew(made, 7, ['amy', pack(3, 4)], ['bob', pack(3, 9)])).toMatchObject({
      outcomes: [expect.stringMatching('applied|no-record'), 'hidden'],
    });
    await made.finish('job', 1);
    expect((await ranking().readRange(newRef(made), 1, 9))?.rows.map(({ playerId }) => playerId)).toEqual(['amy']);
  });

  it('tells followers of either definition where their board stands, and nothing of what is filled', async () => {
    const made = await board();
    const { epoch, seq } = present(await ranking().state(made.tag));
    const [oldFeed, newFeed] = [made.follow(seq), new FeedRecorder(ranking(), newRef(made), seq)];
    await begin(made);
    await submitNew(made, 7, ['cat', pack(3, 9)]);
    const heardCount = oldFeed.heard.length;
    await eventually(() => oldFeed.heard.length > heardCount + 1, 'the old position was told behind begin');
    await eventually(() => newFeed.heard.length > 0, 'the position was told');
    expect(oldFeed.heard.at(-1)).toEqual({ epoch, seq });
    expect(newFeed.heard.at(-1)).toBeNull();
    await made.finish('job', 0);
    const shown = present(await ranking().state(made.tag));
    expect(shown.epoch).not.toBe(epoch);
    await eventually(() => newFeed.heard.at(-1)?.epoch === shown.epoch, 'the new epoch was told');
    await eventually(() => oldFeed.heard.at(-1) === null, 'the old board was said to be gone');
    expect([...oldFeed.sets, ...newFeed.sets]).toEqual([]);
    oldFeed.close();
    newFeed.close();
  });

  it('leaves the old board to its readers where the filler dies, and begins anew by another', async () => {
    const made = await board();
    const rows = await made.rows();
    await begin(made, 'crashed');
    await made.load('crashed', 0, [seasonEntry('ghost', pack(99, 5))]);
    await submitNew(made, 7, ['spook', pack(98, 5)]);
    expect(await made.rows()).toEqual(rows);
    expect(await begin(made, 'job')).toEqual({ kind: 'begun', positions: POSITIONS });
    expect(await made.load('crashed', 1, [])).toBe('superseded');
    expect(await submitNew(made, 7, ['cat', pack(3, 9)])).toMatchObject({ outcomes: ['applied'] });
    expect(await made.finish('job', 0)).toBe('finished');
    while (await ranking().sweep(made.tag));
    expect((await ranking().readRange(newRef(made), 1, 9))?.rows.map(({ playerId }) => playerId)).toEqual(['cat']);
  });

  it('leaves the old board to its readers where the fill is given up', async () => {
    const made = await board();
    const rows = await made.rows();
    await begin(made);
    await ranking().abandon(made.tag, 'job');
    expect(await made.load('job', 0, [])).toBe('superseded');
    expect(await made.rows()).toEqual(rows);
    expect(await begin(made, 'next')).toEqual({ kind: 'begun', positions: POSITIONS });
    expect(await made.finish('next', 0)).toBe('finished');
    expect((await ranking().readRange(newRef(made), 1, 9))?.rows).toEqual([]);
  });

  it('can go back to the old definition before the fill has ended', async () => {
    const made = await board();
    await begin(made, 'given up');
    await submitNew(made, 7, ['spook', pack(98, 5)]);
    const begun = await made.begin({ jobId: 'back', positions: POSITIONS, replace: true });
    const next = begun.kind === 'begun' ? (begun.positions[0]?.next ?? 0) : 0;
    expect(next).toBeGreaterThanOrEqual(7);
    // Truth brings what lies below, whatever that is, and the log the rest.
    await made.load('back', 0, [seasonEntry('amy', pack(12, 5))]);
    expect(await made.submitBatch(batchOf(next, ['cat', pack(3, 9)]))).toMatchObject({ outcomes: ['applied'] });
    expect(await made.finish('back', 1)).toBe('finished');
    expect(await made.scores()).toEqual({ amy: pack(12, 5), cat: pack(3, 9) });
    expect(await reads(newRef(made))).toEqual([null, null, null]);
  });
}
