/** Contract tests of begin, load and finish that hold for every rule: how a tag comes to be. */

import { expect, it } from 'vitest';
import type { TagDefinition } from '../../src/domain/tag-definition.js';
import { MAX_FILL_CHUNK } from '../../src/ranking/ranking.js';
import {
  batchOf,
  OTHER_DEFINITION,
  pack,
  present,
  type RankingFactory,
  SOURCE,
  seasonEntry,
  useRanking,
} from './ranking-fixture.js';

export function describeFills(factory: RankingFactory, definition: TagDefinition): void {
  const { ranking, boardOf } = useRanking(factory);
  const newBoard = () => boardOf(definition);
  const start = (jobId: string, next = 0) => ({
    jobId,
    positions: next === 0 ? [] : [{ source: SOURCE, partition: 0, next }],
  });

  it('shows nothing of a fill before it is finished, and all of it after', async () => {
    const board = newBoard();
    const reads = async () => [
      await ranking().state(board.tag),
      await ranking().readRange(board.ref(), 1, 10),
      await ranking().readAround(board.ref(), 'amy', 1, 1),
      await ranking().readPlayers(board.ref(), ['amy']),
    ];
    const nothing = [null, null, null, null];
    const { positions } = start('job', 40);
    expect(await board.begin(start('job', 40))).toEqual({ kind: 'begun', positions });
    expect(await reads()).toEqual(nothing);
    expect(await board.load('job', 0, [seasonEntry('amy', 1), seasonEntry('bob', 2)])).toBe('loaded');
    expect(await board.load('job', 1, [seasonEntry('cat', 3)])).toBe('loaded');
    expect(await reads()).toEqual(nothing);
    expect(await board.finish('job', 2)).toBe('finished');
    const reading = present(await ranking().readRange(board.ref(), 1, 10));
    expect(reading.rows.map((row) => row.playerId)).toEqual(['cat', 'bob', 'amy']);
    expect(await ranking().state(board.tag)).toMatchObject({ positions, definitionHash: definition.hash });
  });

  it('takes a fill without chunks as an empty board', async () => {
    const board = newBoard();
    await board.begin(start('job'));
    expect(await board.finish('job', 0)).toBe('finished');
    expect(await ranking().readRange(board.ref(), 1, 1)).toMatchObject({ total: 0, rows: [] });
  });

  it('takes an empty chunk, and a full one', async () => {
    const board = newBoard();
    await board.begin(start('job'));
    expect(await board.load('job', 0, [])).toBe('loaded');
    const full = Array.from({ length: MAX_FILL_CHUNK }, (_, index) => seasonEntry(`p${index}`, index));
    expect(await board.load('job', 1, full)).toBe('loaded');
    await board.finish('job', 2);
    expect((await ranking().readRange(board.ref(), 1, 1))?.total).toBe(MAX_FILL_CHUNK);
  });

  it('does not begin on a finished board, and leaves it as it is', async () => {
    const board = newBoard();
    await board.fill([seasonEntry('amy', 1)]);
    const before = await ranking().state(board.tag);
    expect(await board.begin(start('other', 7))).toEqual({ kind: 'exists' });
    expect(await ranking().state(board.tag)).toEqual(before);
    expect(await board.players()).toEqual(['amy']);
  });

  it('takes live results from the given positions on while it fills', async () => {
    const board = newBoard();
    await board.begin(start('job', 2));
    expect(await board.submitBatch(batchOf(3, ['late', 9]))).toEqual({ kind: 'behind', next: 2 });
    const batch = batchOf(1, ['old', 90], ['amy', 30], ['bob', 5]);
    expect(await board.submitBatch(batch)).toEqual({
      kind: 'done',
      next: 4,
      outcomes: ['skipped', 'applied', 'applied'],
      isReadable: false,
    });
    expect(await board.submitBatch(batch)).toMatchObject({ kind: 'done', next: 4 });
    expect(await ranking().readRange(board.ref(), 1, 10)).toBeNull();
    await board.finish('job', 0);
    expect(await board.players()).toEqual(['amy', 'bob']);
    expect(await board.positions()).toEqual([{ source: SOURCE, partition: 0, next: 4 }]);
  });

  it('refuses live results of another definition while it fills', async () => {
    const board = newBoard();
    await board.begin(start('job'), OTHER_DEFINITION);
    expect(await board.submit(['amy', 1])).toEqual({ kind: 'other-definition' });
  });

  it('replaces an unfinished fill, with its entries, live results, positions and definition', async () => {
    const board = newBoard();
    await board.begin(start('crashed', 5), OTHER_DEFINITION);
    await board.load('crashed', 0, [seasonEntry('ghost', 99)]);
    await ranking().submit(board.tag, OTHER_DEFINITION.hash, batchOf(5, ['spook', 98]));
    await ranking().submit(board.tag, OTHER_DEFINITION.hash, { ...batchOf(0, ['spirit', 97]), partition: 1 });
    expect(await board.begin(start('successor', 3))).toMatchObject({ kind: 'begun' });
    expect(await board.submitBatch(batchOf(3, ['amy', 2]))).toMatchObject({ kind: 'done', next: 4 });
    await board.load('successor', 0, [seasonEntry('bob', 1)]);
    await board.finish('successor', 1);
    expect(await board.players()).toEqual(['amy', 'bob']);
    expect(await board.positions()).toEqual([{ source: SOURCE, partition: 0, next: 4 }]);
  });

  it('tells a superseded fill so, and takes nothing from it', async () => {
    const board = newBoard();
    await board.begin(start('crashed'));
    await board.begin(start('successor'));
    expect(await board.load('crashed', 0, [seasonEntry('ghost', 99)])).toBe('superseded');
    expect(await board.finish('crashed', 0)).toBe('superseded');
    expect(await ranking().state(board.tag)).toBeNull();
    await board.load('successor', 0, [seasonEntry('amy', 1)]);
    expect(await board.load('crashed', 1, [seasonEntry('ghost', 99)])).toBe('superseded');
    await board.finish('successor', 1);
    expect(await board.load('crashed', 1, [seasonEntry('ghost', 99)])).toBe('superseded');
    expect(await board.finish('crashed', 1)).toBe('superseded');
    expect(await board.players()).toEqual(['amy']);
  });

  it('tells a fill whose tag was lost that it is superseded', async () => {
    const board = newBoard();
    expect(await board.load('job', 0, [seasonEntry('amy', 1)])).toBe('superseded');
    expect(await board.finish('job', 1)).toBe('superseded');
    expect(await ranking().state(board.tag)).toBeNull();
  });

  it('takes the last chunk twice without effect, and refuses any other out of turn', async () => {
    const board = newBoard();
    const [amy, bob] = [seasonEntry('amy', pack(1, 5)), seasonEntry('bob', pack(2, 5))];
    await board.begin(start('job'));
    await expect(board.load('job', 1, [seasonEntry('early', 9)])).rejects.toThrow();
    await board.load('job', 0, [amy]);
    expect(await board.load('job', 0, [amy])).toBe('loaded');
    await board.load('job', 1, [bob]);
    expect(await board.load('job', 1, [bob])).toBe('loaded');
    await expect(board.load('job', 0, [seasonEntry('late', 9)])).rejects.toThrow();
    await expect(board.load('job', 3, [seasonEntry('early', 9)])).rejects.toThrow();
    expect(await board.finish('job', 2)).toBe('finished');
    expect(await board.rows()).toEqual([
      { playerId: 'bob', score: bob.score, rank: 1 },
      { playerId: 'amy', score: amy.score, rank: 2 },
    ]);
  });

  it('does not finish with a chunk missing, and goes on once it has come', async () => {
    const board = newBoard();
    await board.begin(start('job'));
    await board.load('job', 0, [seasonEntry('amy', 1)]);
    await expect(board.finish('job', 2)).rejects.toThrow();
    expect(await ranking().state(board.tag)).toBeNull();
    await board.load('job', 1, [seasonEntry('bob', 2)]);
    expect(await board.finish('job', 2)).toBe('finished');
    expect(await board.players()).toEqual(['bob', 'amy']);
  });

  it('gives each board an epoch of its own', async () => {
    const boards = Array.from({ length: 5 }, newBoard);
    for (const board of boards) await board.fill();
    const epochs = await Promise.all(boards.map(async (board) => (await ranking().state(board.tag))?.epoch ?? -1));
    expect(new Set(epochs).size).toBe(boards.length);
    for (const epoch of epochs) expect(epoch === epoch >>> 0).toBe(true);
  });
}
