/** Contract tests of a fill that replaces a board of the same definition: it stands beside what is shown until its end. */

import { expect, it } from 'vitest';
import { RankcastError } from '../../src/domain/errors.js';
import type { TagDefinition } from '../../src/domain/tag-definition.js';
import type { FillEntry } from '../../src/ranking/ranking.js';
import { entryOf, type RawEntry } from './brute-force.js';
import {
  batchOf,
  DAY,
  entryIn,
  eventually,
  GUILD,
  pack,
  present,
  type RankingFactory,
  SEASON,
  SOURCE,
  type TestBoard,
  useRanking,
} from './ranking-fixture.js';

const BOTH = [SEASON, DAY];

export function describeRebuilds(factory: RankingFactory, definition: TagDefinition): void {
  const { ranking, boardOf } = useRanking(factory);
  const score = (points: number, second: number) => pack(points, second, definition.merge);
  const entry = (playerId: string, points: number) => BOTH.map((list) => entryIn(list, playerId, score(points, 5)));
  /** What the rule makes of results that are [points, second]. */
  const merged = (...results: readonly (readonly [number, number])[]) => {
    const raw = results.map(([points, second]): RawEntry => ({ points, second }));
    const { points, second } = entryOf(raw, definition.merge);
    return score(points, second);
  };

  /** Amy has 10 points and Bob 20; positions stand at 2. Truth, in the tests, knows it a little better. */
  async function board(): Promise<TestBoard> {
    const made = boardOf(definition);
    await made.fill();
    await made.submitIn(BOTH, ['amy', score(10, 5)], ['bob', score(20, 5)]);
    return made;
  }

  const shown = async (made: TestBoard) => [
    await ranking().state(made.tag),
    await ranking().readRange(made.ref(), 1, 100),
    await ranking().readRange(made.ref(DAY.name), 1, 100),
    await ranking().readAround(made.ref(), 'amy', 1, 1),
    await ranking().readPlayers(made.ref(DAY.name), ['bob', 'dan']),
  ];

  async function sweepAll(made: TestBoard): Promise<void> {
    let calls = 0;
    while (await ranking().sweep(made.tag)) {
      calls += 1;
      if (calls > 1_000) throw new Error('sweep says without end that more are left');
    }
  }

  it('begins anew where that is asked for: at the positions of the start, while what is shown is written no more', async () => {
    const made = await board();
    const before = await made.players();
    const positions = [{ source: SOURCE, partition: 0, next: 7 }];
    const start = { jobId: 'job', positions, replace: true, anew: true };
    expect(await made.begin(start)).toEqual({ kind: 'begun', positions });
    const { tag, definition: under } = made;
    expect(await ranking().submit(tag, under.hash, batchOf(8, ['cat', score(90, 9)]))).toEqual({
      kind: 'behind',
      next: 7,
    });
    expect(await ranking().submit(tag, under.hash, batchOf(7, ['cat', score(90, 9)]))).toMatchObject({
      next: 8,
      isReadable: false,
    });
    expect(await made.players()).toEqual(before);
    await made.load('job', 0, entry('dan', 10));
    await made.finish('job', 1);
    expect(new Set(await made.players())).toEqual(new Set(['cat', 'dan']));
  });

  it('says from which positions truth is to be brought: those of the board, not those of the start', async () => {
    const made = await board();
    const begun = await made.begin({
      jobId: 'job',
      positions: [{ source: 'postgres', partition: 3, next: 9 }],
      replace: true,
    });
    expect(begun).toEqual({ kind: 'begun', positions: [{ source: SOURCE, partition: 0, next: 2 }] });
  });

  it('shows the board as it is to the end of the fill', async () => {
    const made = await board();
    const before = await shown(made);
    await made.begin({ jobId: 'job', replace: true });
    expect(await shown(made)).toEqual(before);
    await made.load('job', 0, [...entry('amy', 12), ...entry('dan', 1)]);
    expect(await shown(made)).toEqual(before);
  });

  it('merges live results into what is shown, and tells them', async () => {
    const made = await board();
    await made.begin({ jobId: 'job', replace: true });
    const seq = await made.seq();
    const feed = made.follow(seq);
    await made.load('job', 0, entry('zed', 99));
    expect(await made.submitIn(BOTH, ['amy', score(30, 9)])).toMatchObject({ outcomes: ['applied'], isReadable: true });
    for (const { name } of BOTH) {
      expect(await made.scores(name)).toEqual({ amy: merged([10, 5], [30, 9]), bob: score(20, 5) });
    }
    await feed.reached(seq + 2);
    feed.close();
    expect(feed.allChanges.map(({ playerId }) => playerId)).toEqual(['amy', 'amy']);
  });

  it('shows at its end what was filled, with each live result merged once, under a new epoch', async () => {
    const made = await board();
    const { epoch } = present(await ranking().state(made.tag));
    await made.begin({ jobId: 'job', replace: true });
    await made.submitIn(BOTH, ['amy', score(3, 9)], ['eve', score(4, 9)]);
    await made.load('job', 0, [...entry('amy', 12), ...entry('dan', 1)]);
    await made.load('job', 0, [...entry('amy', 12), ...entry('dan', 1)]);
    await made.submitIn(BOTH, ['dan', score(6, 8)]);
    await made.load('job', 1, entry('fay', 7));
    await made.submitIn([SEASON, GUILD], ['amy', score(2, 8)]);
    expect(await made.finish('job', 2)).toBe('finished');
    const others = { dan: merged([1, 5], [6, 8]), eve: score(4, 9), fay: score(7, 5) };
    expect(await made.scores()).toEqual({ amy: merged([12, 5], [3, 9], [2, 8]), ...others });
    expect(await made.scores(DAY.name)).toEqual({ amy: merged([12, 5], [3, 9]), ...others });
    expect(await made.scores(GUILD.name)).toEqual({ amy: score(2, 8) });
    const state = present(await ranking().state(made.tag));
    expect(state.epoch).not.toBe(epoch);
    expect(state.definitionHash).toBe(definition.hash);
    expect(state.positions).toEqual([{ source: SOURCE, partition: 0, next: 6 }]);
  });

  it('goes on behind its end as before, copies of earlier records included', async () => {
    const made = await board();
    await made.begin({ jobId: 'job', replace: true });
    await made.load('job', 0, [...entry('amy', 10), ...entry('bob', 20)]);
    await made.finish('job', 1);
    const { epoch, seq } = present(await ranking().state(made.tag));
    const feed = made.follow(seq);
    await made.submitIn(BOTH, ['amy', score(30, 9)]);
    expect(await made.scores()).toEqual({ amy: merged([10, 5], [30, 9]), bob: score(20, 5) });
    await feed.reached(seq + 2);
    await eventually(() => feed.heard.at(-1)?.seq === seq + 2, 'the position behind the result was told');
    feed.close();
    expect(feed.sets[0]).toMatchObject({ epoch, fromSeq: seq + 1, toSeq: seq + 2 });
    expect(feed.heard.at(-1)?.epoch).toBe(epoch);
  });

  it('replaces a board by an empty one where truth has nothing', async () => {
    const made = await board();
    await made.begin({ jobId: 'job', replace: true });
    expect(await made.finish('job', 0)).toBe('finished');
    for (const { name } of BOTH)
      expect(await ranking().readRange(made.ref(name), 1, 5)).toMatchObject({ total: 0, rows: [] });
  });

  it('replaces a board again and again', async () => {
    const made = await board();
    for (const round of [1, 2, 3]) {
      const jobId = `job ${round}`;
      expect(await made.begin({ jobId, replace: true })).toMatchObject({ kind: 'begun' });
      await made.load(jobId, 0, entry(`p${round}`, round));
      expect(await made.finish(jobId, 1)).toBe('finished');
      if (round > 1) await sweepAll(made);
      for (const { name } of BOTH) expect(await made.scores(name)).toEqual({ [`p${round}`]: score(round, 5) });
    }
  });

  it('begins on a tag without a board as ever where it is to replace one', async () => {
    const made = boardOf(definition);
    const positions = [{ source: SOURCE, partition: 0, next: 4 }];
    expect(await made.begin({ jobId: 'job', positions, replace: true })).toEqual({ kind: 'begun', positions });
    await made.load('job', 0, entry('amy', 10));
    expect(await made.finish('job', 1)).toBe('finished');
    expect(await made.scores(DAY.name)).toEqual({ amy: score(10, 5) });
  });

  it.each<[string, readonly (readonly FillEntry[])[]]>([
    ['begin', []],
    ['a chunk', [entry('ghost', 99)]],
    ['the last chunk', [entry('ghost', 99), entry('amy', 98)]],
  ])('leaves what is shown alone where the filler dies behind %s, and another takes over', async (_, chunks) => {
    const made = await board();
    const before = await shown(made);
    await made.begin({ jobId: 'crashed', replace: true });
    for (const [index, chunk] of chunks.entries()) await made.load('crashed', index, chunk);
    expect(await shown(made)).toEqual(before);
    await made.submitIn(BOTH, ['eve', score(4, 9)]);
    const positions = [{ source: SOURCE, partition: 0, next: 3 }];
    expect(await made.begin({ jobId: 'next', replace: true })).toEqual({ kind: 'begun', positions });
    expect(await made.load('crashed', chunks.length, entry('ghost', 99))).toBe('superseded');
    expect(await made.finish('crashed', chunks.length)).toBe('superseded');
    await sweepAll(made);
    expect(await made.scores(DAY.name)).toEqual({ amy: score(10, 5), bob: score(20, 5), eve: score(4, 9) });
    await made.load('next', 0, [...entry('amy', 10), ...entry('eve', 4)]);
    await made.submitIn(BOTH, ['bob', score(5, 9)]);
    expect(await made.finish('next', 1)).toBe('finished');
    const expected = { amy: score(10, 5), bob: score(5, 9), eve: score(4, 5) };
    for (const { name } of BOTH) expect(await made.scores(name)).toEqual(expected);
    expect(await made.load('crashed', chunks.length, entry('ghost', 99))).toBe('superseded');
  });

  it.each<[string, (made: TestBoard) => Promise<unknown>]>([
    ['a chunk too early', (made) => made.load('job', 3, entry('ghost', 1))],
    ['a chunk too late', (made) => made.load('job', 0, entry('ghost', 1))],
    ['a chunk less than there should be', (made) => made.finish('job', 3)],
    ['a chunk more than there should be', (made) => made.finish('job', 1)],
    ['an entry less', (made) => finishWith(made, 1, 0)],
    ['an entry more', (made) => finishWith(made, -1, 0)],
    ['another checksum', (made) => finishWith(made, 0, 1)],
  ])('refuses %s with an error that says to try again, and shows what it showed', async (_, wrong) => {
    const made = await board();
    const before = await shown(made);
    await made.begin({ jobId: 'job', replace: true });
    await made.load('job', 0, entry('amy', 12));
    await made.load('job', 1, entry('dan', 1));
    const error = await wrong(made).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RankcastError);
    expect((error as RankcastError).isRetryable).toBe(true);
    expect(await shown(made)).toEqual(before);
    await made.begin({ jobId: 'again', replace: true });
    await made.load('again', 0, entry('amy', 12));
    expect(await made.finish('again', 1)).toBe('finished');
    expect(await made.scores()).toEqual({ amy: score(12, 5) });
  });

  async function finishWith(made: TestBoard, entries: number, checksum: number): Promise<unknown> {
    const sum = made.sumOf('job');
    const wrong = { entries: sum.entries + entries, checksum: (sum.checksum + checksum) % 2 ** 32 };
    return await ranking().finish(made.tag, 'job', 2, wrong);
  }

  it('gives a fill up: its job is superseded, and what is shown goes on', async () => {
    const made = await board();
    const before = await shown(made);
    await made.begin({ jobId: 'job', replace: true });
    await made.load('job', 0, entry('ghost', 99));
    await ranking().abandon(made.tag, 'job');
    expect(await made.load('job', 1, entry('ghost', 98))).toBe('superseded');
    expect(await made.finish('job', 1)).toBe('superseded');
    expect(await shown(made)).toEqual(before);
    await sweepAll(made);
    await made.submitIn(BOTH, ['amy', score(30, 9)]);
    expect(await made.scores()).toEqual({ amy: merged([10, 5], [30, 9]), bob: score(20, 5) });
    await made.begin({ jobId: 'next', replace: true });
    expect(await made.finish('next', 0)).toBe('finished');
    expect(await made.rows()).toEqual([]);
  });

  it('gives no other fill up than the one that is named', async () => {
    const made = await board();
    await ranking().abandon(made.tag, 'nobody');
    await made.begin({ jobId: 'job', replace: true });
    await ranking().abandon(made.tag, 'crashed');
    await made.load('job', 0, entry('amy', 12));
    expect(await made.finish('job', 1)).toBe('finished');
    await ranking().abandon(made.tag, 'job');
    expect(await made.scores()).toEqual({ amy: score(12, 5) });
    await ranking().abandon(boardOf(definition).tag, 'job');
  });

  it('sweeps neither what is shown nor what is filled', async () => {
    const made = await board();
    expect(await ranking().sweep(made.tag)).toBe(false);
    await made.begin({ jobId: 'job', replace: true });
    await made.load('job', 0, entry('amy', 12));
    await sweepAll(made);
    expect(await made.scores()).toEqual({ amy: score(10, 5), bob: score(20, 5) });
    expect(await made.finish('job', 1)).toBe('finished');
    await sweepAll(made);
    for (const { name } of BOTH) expect(await made.scores(name)).toEqual({ amy: score(12, 5) });
    expect(await ranking().sweep(boardOf(definition).tag)).toBe(false);
  });
}
