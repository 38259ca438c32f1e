/** Contract tests of the reads: ranges, windows around a player, and lists of players. */

import { expect, it } from 'vitest';
import { MAX_FILL_CHUNK, MAX_READ_PLAYERS } from '../../src/ranking/ranking.js';
import { bruteForce } from './brute-force.js';
import { idsOf, pack, present, type RankingFactory, seasonEntry, TestBoard, useRanking } from './ranking-fixture.js';

export function describeReads(factory: RankingFactory): void {
  const { ranking } = useRanking(factory);

  /** Case A12: `r1` to `r10` with points 99 to 90. */
  async function tenPlayers(): Promise<TestBoard> {
    const board = new TestBoard(ranking());
    await board.fill();
    await board.submit(...Array.from({ length: 10 }, (_, index) => [`r${index + 1}`, pack(99 - index, 0)] as const));
    return board;
  }

  it('answers null to every read of a tag without a board', async () => {
    const board = new TestBoard(ranking());
    expect(await ranking().state(board.tag)).toBeNull();
    expect(await ranking().readRange(board.ref(), 1, 10)).toBeNull();
    expect(await ranking().readAround(board.ref(), 'amy', 1, 1)).toBeNull();
    expect(await ranking().readPlayers(board.ref(), ['amy'])).toBeNull();
  });

  it('reads an empty board as a board', async () => {
    const board = new TestBoard(ranking());
    await board.fill();
    const { epoch, seq } = present(await ranking().state(board.tag));
    const empty = { epoch, seq, total: 0 };
    expect(await ranking().readRange(board.ref(), 1, 10)).toEqual({ ...empty, rows: [] });
    expect(await ranking().readAround(board.ref(), 'amy', 1, 1)).toEqual({ ...empty, rows: [] });
    const standing = { playerId: 'amy', score: null, rank: null };
    expect(await ranking().readPlayers(board.ref(), ['amy'])).toEqual({ ...empty, rows: [standing] });
  });

  it('stamps every read with the position and the number of ranked players', async () => {
    const board = await tenPlayers();
    const { epoch, seq } = present(await ranking().state(board.tag));
    const stamp = { epoch, seq, total: 10 };
    expect(await ranking().readRange(board.ref(), 4, 2)).toMatchObject(stamp);
    expect(await ranking().readAround(board.ref(), 'r4', 1, 1)).toMatchObject(stamp);
    expect(await ranking().readPlayers(board.ref(), ['r4'])).toMatchObject(stamp);
  });

  it.each([
    [1, 3, [1, 2, 3]],
    [4, 2, [4, 5]],
    [9, 5, [9, 10]],
    [10, 1, [10]],
    [11, 5, []],
    [1, 0, []],
    [0, 1, []],
    [-1, 1, []],
    [-1, 4, [1, 2]],
    [-20, 10, []],
  ])('reads from rank %i on %i rows: %j', async (fromRank, count, ranks) => {
    const board = await tenPlayers();
    const reading = present(await ranking().readRange(board.ref(), fromRank, count));
    expect(reading.rows).toEqual(ranks.map((rank) => ({ playerId: `r${rank}`, score: pack(100 - rank, 0), rank })));
    expect(reading.total).toBe(10);
  });

  it.each([
    ['r3', 3, 3, 1, 6],
    ['r1', 5, 5, 1, 6],
    ['r2', 5, 5, 1, 7],
    ['r10', 3, 3, 7, 10],
    ['r5', 0, 0, 5, 5],
    ['r5', 2, 0, 3, 5],
    ['r5', 0, 2, 5, 7],
    ['r5', 100, 100, 1, 10],
  ])('reads around %s with %i above and %i below the ranks %i to %i', async (playerId, above, below, first, last) => {
    const board = await tenPlayers();
    const { rows } = present(await ranking().readAround(board.ref(), playerId, above, below));
    const ranks = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    expect(rows).toEqual(ranks.map((rank) => ({ playerId: `r${rank}`, score: pack(100 - rank, 0), rank })));
  });

  it('reads no rows around a player who is not ranked', async () => {
    const board = await tenPlayers();
    expect(await ranking().readAround(board.ref(), 'nobody', 3, 3)).toMatchObject({ total: 10, rows: [] });
  });

  it('reads around several players at once, each in his place of the answer', async () => {
    const board = await tenPlayers();
    const asked = [
      { playerId: 'r10', above: 1, below: 5 },
      { playerId: 'nobody', above: 3, below: 3 },
      { playerId: 'r1', above: 0, below: 0 },
    ];
    const { rows, total, epoch } = present(await ranking().readNeighbours(board.ref(), asked));
    expect(rows.map((some) => some.map((row) => `${row.playerId} ${row.rank}`))).toEqual([
      ['r9 9', 'r10 10'],
      [],
      ['r1 1'],
    ]);
    expect([total, epoch]).toEqual([10, present(await ranking().readAround(board.ref(), 'r1', 0, 0)).epoch]);
    await expect(
      ranking().readNeighbours(board.ref(), Array(200).fill({ playerId: 'r1', above: 5, below: 5 })),
    ).rejects.toThrow('rows in one');
  });

  it('reads the same rank of a player in every view', async () => {
    const board = await tenPlayers();
    const own = await ranking().readPlayers(board.ref(), ['r10']);
    const around = await ranking().readAround(board.ref(), 'r10', 0, 0);
    const range = await ranking().readRange(board.ref(), 10, 1);
    for (const reading of [own, around, range]) expect(present(reading).rows.map((row) => row.rank)).toEqual([10]);
  });

  it('reads players in the order asked, absent and repeated ones included', async () => {
    const board = await tenPlayers();
    const { rows } = present(await ranking().readPlayers(board.ref(), ['r7', 'nobody', 'r1', 'r7']));
    const seventh = { playerId: 'r7', score: pack(93, 0), rank: 7 };
    const absent = { playerId: 'nobody', score: null, rank: null };
    expect(rows).toEqual([seventh, absent, { playerId: 'r1', score: pack(99, 0), rank: 1 }, seventh]);
    expect(present(await ranking().readPlayers(board.ref(), [])).rows).toEqual([]);
  });

  it('puts equal points in the order of time, then of id bytes, whatever order they came in', async () => {
    const zed = ['zed', pack(500, 1_760_000_010)] as const;
    const bob = ['bob', pack(500, 1_760_000_010)] as const;
    const amy = ['amy', pack(500, 1_760_000_020)] as const;
    const orders = [
      [bob, zed, amy],
      [bob, amy, zed],
      [zed, bob, amy],
      [zed, amy, bob],
      [amy, bob, zed],
      [amy, zed, bob],
    ];
    for (const order of orders) {
      const board = new TestBoard(ranking());
      await board.fill();
      for (const result of order) await board.submit(result);
      expect(await board.players()).toEqual(['zed', 'bob', 'amy']);
    }
  });

  it('compares ids by their UTF-8 bytes, not by UTF-16 units, letters of a language or length', async () => {
    const board = new TestBoard(ranking());
    await board.fill();
    const ids = ['a', 'B', 'ab', 'Ａ', '😀', 'é', 'z', '10', '9', '\uE000', '\uFFFD', '𝔸'];
    await board.submit(...ids.map((id) => [id, 7] as const));
    // By first byte: F0 9F, F0 9D, EF BF, EF BC, EE, C3, then ASCII.
    expect(await board.players()).toEqual(['😀', '𝔸', '\uFFFD', 'Ａ', '\uE000', 'é', 'z', 'ab', 'a', 'B', '9', '10']);
    expect(await ranking().readRange(board.ref(), 1, 1)).toMatchObject({ rows: [{ playerId: '😀', rank: 1 }] });
  });

  it('reads ten thousand players in cuts of what one call may ask', async () => {
    const count = 10_000;
    const board = new TestBoard(ranking());
    // A third of them share a score with somebody.
    const entries = Array.from({ length: count }, (_, index) => seasonEntry(`p${index}`, (index * 7) % 6_700));
    await board.begin({ jobId: 'job' });
    const chunks = count / MAX_FILL_CHUNK;
    for (let index = 0; index < chunks; index += 1) {
      const chunk = entries.slice(index * MAX_FILL_CHUNK, (index + 1) * MAX_FILL_CHUNK);
      expect(await board.load('job', index, chunk)).toBe('loaded');
    }
    await board.finish('job', chunks);

    const rankOf = new Map(
      bruteForce(entries.map((entry) => [entry.playerId, entry.score])).map((row) => [row.playerId, row.rank]),
    );
    const asked = entries.map((entry) => entry.playerId);
    for (let from = 0; from < count; from += MAX_READ_PLAYERS) {
      const cut = asked.slice(from, from + MAX_READ_PLAYERS);
      const reading = present(await ranking().readPlayers(board.ref(), cut));
      expect(idsOf(reading)).toEqual(cut);
      expect(reading.rows.map((row) => row.rank)).toEqual(cut.map((playerId) => rankOf.get(playerId)));
    }
  });
}
