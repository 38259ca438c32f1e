/** Contract tests of `submit` that hold for every rule: what it answers, and what it leaves behind. */

import { expect, it } from 'vitest';
import type { TagDefinition } from '../../src/domain/tag-definition.js';
import { MAX_SUBMIT_RESULTS } from '../../src/ranking/ranking.js';
import { SEASON_LISTS } from '../support/definitions.js';
import {
  AT,
  batchOf,
  newIdentity,
  OTHER_DEFINITION,
  pack,
  type RankingFactory,
  SOURCE,
  seasonEntry,
  useRanking,
} from './ranking-fixture.js';

export function describeSubmits(factory: RankingFactory, definition: TagDefinition): void {
  const { ranking, boardOf } = useRanking(factory);
  const newBoard = () => boardOf(definition);

  it('answers no-board where the tag was never filled, and writes nothing', async () => {
    const board = newBoard();
    expect(await board.submit(['amy', 1])).toEqual({ kind: 'no-board' });
    expect(await ranking().state(board.tag)).toBeNull();
    await board.fill();
    expect(await board.rows()).toEqual([]);
    expect(await board.positions()).toEqual([]);
  });

  it('refuses results of another definition, and writes nothing', async () => {
    const board = newBoard();
    await board.fill();
    const batch = batchOf(0, ['amy', 1]);
    expect(await ranking().submit(board.tag, OTHER_DEFINITION.hash, batch)).toEqual({ kind: 'other-definition' });
    expect(await board.rows()).toEqual([]);
    expect(await board.positions()).toEqual([]);
  });

  it('names the definition as the reason also where the batch would be behind', async () => {
    const board = newBoard();
    await board.fill();
    const batch = batchOf(5, ['amy', 1]);
    expect(await ranking().submit(board.tag, OTHER_DEFINITION.hash, batch)).toEqual({ kind: 'other-definition' });
  });

  it('ranks a score of 0', async () => {
    const board = newBoard();
    await board.fill();
    expect(await board.submit(['amy', 0])).toMatchObject({ outcomes: ['applied'] });
    expect(await board.rows()).toEqual([{ playerId: 'amy', score: 0, rank: 1 }]);
  });

  it('keeps every digit of the largest scores', async () => {
    const board = newBoard();
    await board.fill();
    const largest = 2 ** 53 - 1;
    const scores = [largest - 1, largest, pack(30_000, 1_760_000_003), pack(30_000, 1_760_000_001)];
    await board.submit(...scores.map((score, index) => [`p${index}`, score] as const));
    expect((await board.rows()).map((row) => row.score)).toEqual(scores.toSorted((a, b) => b - a));
  });

  it('moves next over a range without results, and seq stays', async () => {
    const board = newBoard();
    await board.fill();
    const seq = await board.seq();
    const batch = { source: SOURCE, partition: 0, from: 0, to: 40, results: [] };
    expect(await board.submitBatch(batch)).toEqual({ kind: 'done', next: 40, outcomes: [], isReadable: true });
    expect(await board.positions()).toEqual([{ source: SOURCE, partition: 0, next: 40 }]);
    expect(await board.seq()).toBe(seq);
  });

  it('confirms a position with an empty range', async () => {
    const board = newBoard();
    await board.fill([], [{ source: SOURCE, partition: 0, next: 40 }]);
    const confirm = (at: number) => board.submitBatch({ source: SOURCE, partition: 0, from: at, to: at, results: [] });
    expect(await confirm(40)).toEqual({ kind: 'done', next: 40, outcomes: [], isReadable: true });
    expect(await confirm(39)).toEqual({ kind: 'done', next: 40, outcomes: [], isReadable: true });
    expect(await confirm(41)).toEqual({ kind: 'behind', next: 40 });
  });

  it('answers behind where a batch would leave a hole, and writes nothing', async () => {
    const board = newBoard();
    await board.fill();
    expect(await board.submitBatch(batchOf(1, ['amy', 9]))).toEqual({ kind: 'behind', next: 0 });
    await board.submit(['bob', 1], ['bob', 2]);
    expect(await board.submitBatch(batchOf(3, ['amy', 9]))).toEqual({ kind: 'behind', next: 2 });
    expect(await board.players()).toEqual(['bob']);
    expect(await board.positions()).toEqual([{ source: SOURCE, partition: 0, next: 2 }]);
  });

  it('skips a whole batch that comes again', async () => {
    const board = newBoard();
    await board.fill();
    const batch = batchOf(0, ['amy', pack(10, 5)], ['bob', pack(20, 5)]);
    await board.submitBatch(batch);
    const [seq, rows] = [await board.seq(), await board.rows()];
    expect(await board.submitBatch(batch)).toEqual({
      kind: 'done',
      next: 2,
      outcomes: ['skipped', 'skipped'],
      isReadable: true,
    });
    expect(await board.seq()).toBe(seq);
    expect(await board.rows()).toEqual(rows);
  });

  it('skips the known head of a batch that reaches further, and applies its tail', async () => {
    const board = newBoard();
    await board.fill([], [{ source: SOURCE, partition: 0, next: 2 }]);
    const reply = await board.submitBatch(batchOf(0, ['amy', 90], ['bob', 90], ['cat', 10], ['dan', 20]));
    expect(reply).toEqual({
      kind: 'done',
      next: 4,
      outcomes: ['skipped', 'skipped', 'applied', 'applied'],
      isReadable: true,
    });
    expect(await board.players()).toEqual(['dan', 'cat']);
  });

  it('never moves next back', async () => {
    const board = newBoard();
    await board.fill([], [{ source: SOURCE, partition: 0, next: 10 }]);
    expect(await board.submitBatch(batchOf(3, ['amy', 1]))).toEqual({
      kind: 'done',
      next: 10,
      outcomes: ['skipped'],
      isReadable: true,
    });
    expect(await board.positions()).toEqual([{ source: SOURCE, partition: 0, next: 10 }]);
  });

  it('takes offsets with holes between them, as logs have them', async () => {
    const board = newBoard();
    await board.fill();
    const results = [3, 17, 18].map((offset) => ({
      playerId: `p${offset}`,
      score: offset,
      lists: SEASON_LISTS,
      offset,
      at: AT,
      identity: newIdentity(),
    }));
    const reply = await board.submitBatch({ source: SOURCE, partition: 0, from: 0, to: 25, results });
    expect(reply).toEqual({ kind: 'done', next: 25, outcomes: ['applied', 'applied', 'applied'], isReadable: true });
  });

  it('keeps one position per source and partition', async () => {
    const board = newBoard();
    await board.fill();
    const at = (source: string, partition: number, ...results: [string, number][]) =>
      board.submitBatch({ ...batchOf(0, ...results), source, partition });
    await at('kafka:a', 0, ['amy', 1]);
    await at('kafka:a', 1, ['bob', 2], ['bob', 3]);
    await at('kafka:a:1', 1, ['cat', 3], ['cat', 4], ['cat', 5]);
    expect(await board.positions()).toEqual([
      { source: 'kafka:a', partition: 0, next: 1 },
      { source: 'kafka:a', partition: 1, next: 2 },
      { source: 'kafka:a:1', partition: 1, next: 3 },
    ]);
    expect(await at('kafka:a', 2, ['dan', 9])).toMatchObject({ outcomes: ['applied'] });
  });

  it.each([
    ['a score that is no number', { score: Number.NaN }],
    ['a negative score', { score: -1 }],
    ['a broken score', { score: 1.5 }],
    ['a score above 2^53-1', { score: 2 ** 53 }],
    ['no list', { lists: [] }],
    ['an empty player id', { playerId: '' }],
    ['a player id of 65 bytes', { playerId: 'x'.repeat(65) }],
    ['an offset at the end of its range', { offset: 2 }],
    ['an offset before its range', { offset: -1 }],
  ])('refuses a batch with %s as a whole, and takes it once it is mended', async (_, wrong) => {
    const board = newBoard();
    await board.fill([seasonEntry('zed', 1)]);
    const seq = await board.seq();
    const good = batchOf(0, ['amy', 10], ['bob', 20]);
    const results = good.results.map((result, index) => (index === 1 ? { ...result, ...wrong } : result));
    await expect(board.submitBatch({ ...good, results })).rejects.toThrow();
    expect(await board.players()).toEqual(['zed']);
    expect(await board.positions()).toEqual([]);
    expect(await board.seq()).toBe(seq);
    expect(await board.submitBatch(good)).toEqual({
      kind: 'done',
      next: 2,
      outcomes: ['applied', 'applied'],
      isReadable: true,
    });
    expect(await board.players()).toEqual(['bob', 'amy', 'zed']);
  });

  it('takes as many results as a call may hold', async () => {
    const board = newBoard();
    await board.fill();
    const results = Array.from({ length: MAX_SUBMIT_RESULTS }, (_, index) => [`p${index}`, index] as const);
    const reply = await board.submit(...results);
    expect(reply).toMatchObject({ kind: 'done', next: MAX_SUBMIT_RESULTS });
    expect((await ranking().readRange(board.ref(), 1, 1))?.total).toBe(MAX_SUBMIT_RESULTS);
  });

  it('takes ids of braces, colons and stars as they are', async () => {
    const board = newBoard();
    await board.fill();
    const ids = ['p{x}', '{}', 'a}b{c', 'x:y', 'top:all', '*', 'x'.repeat(64), 'Ａ', '😀', ' ', '-1', '__proto__'];
    await board.submit(...ids.map((id, index) => [id, ids.length - index] as const));
    expect(await board.players()).toEqual(ids);
    const standings = await ranking().readPlayers(board.ref(), ids);
    expect(standings?.rows.map((row) => row.rank)).toEqual(ids.map((_, index) => index + 1));
    for (const id of ids) expect((await ranking().readAround(board.ref(), id, 0, 0))?.rows[0]?.playerId).toBe(id);
  });

  it('keeps boards and seasons apart', async () => {
    const [first, second] = [newBoard(), newBoard()];
    await first.fill();
    await second.fill();
    await first.submit(['amy', 1]);
    expect(await second.rows()).toEqual([]);
    expect(await second.positions()).toEqual([]);
    const otherSeason = { ...first.tag, seasonId: '10' };
    expect(await ranking().submit(otherSeason, definition.hash, batchOf(0, ['amy', 1]))).toEqual({ kind: 'no-board' });
  });
}
