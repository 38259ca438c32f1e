/** Contract tests of copies: under the rule `sum` each result counts once, or its player is marked. */

import { describe, expect, it } from 'vitest';
import { BIRTH_GRACE_MS, DEDUP_MS, type ResultIdentity, type SubmitBatch } from '../../src/ranking/ranking.js';
import { SEASON_LISTS } from '../support/definitions.js';
import {
  batchOf,
  definitionOf,
  lateIdentity,
  newIdentity,
  pack,
  present,
  type RankingFactory,
  SOURCE,
  seasonEntry,
  TestBoard,
  type ToSubmit,
  useRanking,
} from './ranking-fixture.js';

const SUM = definitionOf('sum');
const HOUR_MS = 3_600_000;
/** More than the clocks of the test and of the ranking differ. */
const CLOCK_SLACK_MS = 30_000;

export function describeDedup(factory: RankingFactory): void {
  const { ranking, boardOf } = useRanking(factory);

  async function sumBoard(): Promise<TestBoard> {
    const board = boardOf(SUM);
    await board.fill();
    return board;
  }

  it('counts a copy in the same call once', async () => {
    const board = await sumBoard();
    const match = newIdentity();
    const reply = await board.submit(['amy', pack(10, 5), match], ['bob', pack(1, 5)], ['amy', pack(10, 5), match]);
    expect(reply).toMatchObject({ outcomes: ['applied', 'applied', 'duplicate'] });
    expect(await board.scores()).toEqual({ amy: pack(10, 5), bob: pack(1, 5) });
  });

  it.each([
    ['in a later call', { from: 2 }],
    ['by another partition', { partition: 1 }],
    ['by another source', { source: 'postgres' }],
  ])('counts a copy %s once, and moves next over it', async (_, place: Partial<SubmitBatch>) => {
    const board = await sumBoard();
    const match = newIdentity();
    await board.submitBatch(batchOf(0, ['amy', pack(10, 5), match], ['bob', pack(1, 5)]));
    const seq = await board.seq();
    const from = place.from ?? 0;
    const again = batchOf(from, ['amy', pack(10, 5), match], ['amy', pack(2, 6)], ['amy', pack(10, 5), match]);
    expect(await board.submitBatch({ ...again, ...place })).toEqual({
      kind: 'done',
      next: from + 3,
      outcomes: ['duplicate', 'applied', 'duplicate'],
      isReadable: true,
    });
    expect(await board.scores()).toEqual({ amy: pack(12, 6), bob: pack(1, 5) });
    expect(await board.seq()).toBe(seq + 1);
    expect([...(await board.marked()).keys()]).toEqual([]);
  });

  it('goes by the identity alone, not by what the copy says', async () => {
    const board = await sumBoard();
    const match = newIdentity();
    await board.submit(['amy', pack(10, 5), match]);
    expect(await board.submit(['amy', pack(99, 7), match])).toMatchObject({ outcomes: ['duplicate'] });
    expect(await board.scores()).toEqual({ amy: pack(10, 5) });
  });

  it('tells players of one match, and matches of one player, apart down to the last of 64 bits', async () => {
    const board = await sumBoard();
    const achievedAt = Date.now();
    // Neighbours that are the same number to whoever takes them for doubles.
    const hashes = ['9223372036854775807', '9223372036854775806', '-9223372036854775808', '-9223372036854775807'];
    const results = hashes.map(
      (hash, index): ToSubmit => [index < 2 ? 'amy' : 'bob', pack(1, 5), { hash, achievedAt }],
    );
    expect(await board.submit(...results)).toMatchObject({ outcomes: hashes.map(() => 'applied') });
    expect(await board.submit(...results)).toMatchObject({ outcomes: hashes.map(() => 'duplicate') });
    expect(await board.scores()).toEqual({ amy: pack(2, 5), bob: pack(2, 5) });
  });

  it('remembers results of all hours up to the oldest that is not late', async () => {
    const board = await sumBoard();
    const ages = [0, 1, 2, 3, 4, 5].map((hours) => hours * HOUR_MS).concat(DEDUP_MS - CLOCK_SLACK_MS);
    const results = ages.map((age): ToSubmit => ['amy', pack(1, 5), newIdentity(Date.now() - age)]);
    expect(await board.submit(...results)).toMatchObject({ outcomes: ages.map(() => 'applied') });
    expect(await board.submit(...results.toReversed())).toMatchObject({ outcomes: ages.map(() => 'duplicate') });
    expect(await board.scores()).toEqual({ amy: pack(ages.length, 5) });
  });

  it('remembers a result also where it changed nothing', async () => {
    const board = await sumBoard();
    const match = newIdentity();
    await board.submit(['amy', pack(1, 5)]);
    expect(await board.submit(['amy', pack(0, 4), match])).toMatchObject({ outcomes: ['no-record'] });
    expect(await board.submit(['amy', pack(0, 4), match])).toMatchObject({ outcomes: ['duplicate'] });
  });

  it('remembers over the end of a fill what came live while it was under way', async () => {
    const board = boardOf(SUM);
    await board.begin({ jobId: 'job' });
    const match = newIdentity();
    await board.submit(['amy', pack(10, 5), match]);
    expect(await board.submit(['amy', pack(10, 5), match])).toMatchObject({ outcomes: ['duplicate'] });
    await board.finish('job', 0);
    expect(await board.submit(['amy', pack(10, 5), match])).toMatchObject({ outcomes: ['duplicate'] });
    expect(await board.scores()).toEqual({ amy: pack(10, 5) });
  });

  it('keeps the copies of two boards apart', async () => {
    const [first, second] = [await sumBoard(), await sumBoard()];
    const match = newIdentity();
    for (const board of [first, second]) {
      expect(await board.submit(['amy', pack(10, 5), match])).toMatchObject({ outcomes: ['applied'] });
    }
  });

  it('neither remembers nor marks by what lies below next', async () => {
    const board = boardOf(SUM);
    await board.fill([], [{ source: SOURCE, partition: 0, next: 2 }]);
    const match = newIdentity();
    const known = batchOf(0, ['amy', pack(10, 5), match], ['bob', pack(10, 5), lateIdentity()]);
    expect(await board.submitBatch(known)).toMatchObject({ outcomes: ['skipped', 'skipped'] });
    expect(await ranking().marks(board.tag)).toEqual([]);
    const copy = batchOf(2, ['amy', pack(10, 5), match]);
    expect(await board.submitBatch(copy)).toMatchObject({ outcomes: ['applied'] });
  });

  it('does not merge what was achieved longer ago than it remembers, and marks the player', async () => {
    const board = boardOf(SUM);
    await board.fill([seasonEntry('amy', pack(10, 5))], [{ source: 'postgres', partition: 3, next: 7 }]);
    const [seq, rows] = [await board.seq(), await board.rows()];
    const batch = batchOf(0, ['amy', pack(3, 6), lateIdentity()], ['bob', pack(4, 6), lateIdentity()]);
    expect(await board.submitBatch({ ...batch, to: 9 })).toEqual({
      kind: 'done',
      next: 9,
      outcomes: ['late', 'late'],
      isReadable: true,
    });
    expect([await board.seq(), await board.rows()]).toEqual([seq, rows]);
    const marks = await board.marked();
    expect([...marks.keys()].toSorted()).toEqual(['amy', 'bob']);
    for (const { positions } of marks.values()) {
      expect(positions.toSorted((a, b) => b.next - a.next)).toEqual([
        { source: SOURCE, partition: 0, next: 9 },
        { source: 'postgres', partition: 3, next: 7 },
      ]);
    }
  });

  it('takes the copies of a late result for late, too, and marks its player once', async () => {
    const board = await sumBoard();
    const match = lateIdentity();
    const reply = await board.submit(['amy', pack(3, 6), match], ['amy', pack(3, 6), match]);
    expect(reply).toMatchObject({ outcomes: ['late', 'late'] });
    expect(await ranking().marks(board.tag)).toHaveLength(1);
  });

  it('takes all for late that may have copies from before the birth of the tag', async () => {
    // The birth of this one is now.
    const board = new TestBoard(ranking(), SUM);
    await board.fill();
    const at = (fromBirth: number) => newIdentity(Date.now() + fromBirth);
    const reply = await board.submit(
      ['amy', pack(1, 5), at(-1)],
      ['bob', pack(1, 5), at(BIRTH_GRACE_MS - CLOCK_SLACK_MS)],
      ['cat', pack(1, 5), at(BIRTH_GRACE_MS + CLOCK_SLACK_MS)],
    );
    expect(reply).toMatchObject({ outcomes: ['late', 'late', 'applied'] });
    expect(await board.players()).toEqual(['cat']);
    expect([...(await board.marked()).keys()].toSorted()).toEqual(['amy', 'bob']);
  });

  it.each([
    ['no identity', undefined],
    ['a hash that is no number', { hash: 'x', achievedAt: Date.now() }],
    ['a time that is no number', { hash: '1', achievedAt: Number.NaN }],
  ])('refuses a batch that has a result with %s as a whole', async (_, identity: ResultIdentity | undefined) => {
    const board = await sumBoard();
    const good = batchOf(0, ['amy', pack(10, 5)], ['bob', pack(20, 5)]);
    const results = good.results.map(({ identity: own, ...result }, index) => {
      const given = index === 1 ? identity : own;
      return given === undefined ? result : { ...result, identity: given };
    });
    await expect(board.submitBatch({ ...good, results })).rejects.toThrow();
    expect(await board.rows()).toEqual([]);
    expect(present(await board.positions())).toEqual([]);
    expect(await board.submitBatch(good)).toMatchObject({ outcomes: ['applied', 'applied'] });
  });

  describe.each(['best', 'latest'] as const)('by the rule %s', (rule) => {
    it('needs no identity, and takes a copy as any result', async () => {
      const board = boardOf(definitionOf(rule));
      await board.fill();
      const results = [5, 5, 6].map((second, offset) => ({
        playerId: 'amy',
        score: pack(second, second),
        lists: SEASON_LISTS,
        offset,
        at: 1,
      }));
      const reply = await board.submitBatch({ source: SOURCE, partition: 0, from: 0, to: 3, results });
      expect(reply).toMatchObject({ outcomes: ['applied', 'no-record', 'applied'] });
    });

    it('takes results however old, also of a young tag, and marks nobody', async () => {
      for (const board of [boardOf(definitionOf(rule)), new TestBoard(ranking(), definitionOf(rule))]) {
        await board.fill();
        const match = lateIdentity();
        const reply = await board.submit(['amy', pack(5, 5), match], ['amy', pack(5, 5), match], ['bob', pack(1, 5)]);
        expect(reply).toMatchObject({ outcomes: ['applied', 'no-record', 'applied'] });
        expect(await ranking().marks(board.tag)).toEqual([]);
      }
    });
  });
}
