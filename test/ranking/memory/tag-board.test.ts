/** A board that a fill under another definition left behind: who reads it, and that nothing is written to it any more. */

import { describe, expect, it } from 'vitest';
import { EMPTY_SUM } from '../../../src/domain/fill-entry.js';
import { TagBoard } from '../../../src/ranking/memory/tag-board.js';
import {
  AT,
  batchOf,
  DAY,
  DEFINITION,
  OTHER_DEFINITION,
  orderBatch,
  present,
  SEASON,
} from '../../contract/ranking-fixture.js';

const { hash } = DEFINITION;
const other = OTHER_DEFINITION.hash;
const start = (jobId: string, next = 0) => ({
  jobId,
  positions: next === 0 ? [] : [{ source: 'postgres', partition: 0, next }],
  hidden: [],
  replace: true,
});

/** Amy has 10 points, under epoch 1, at seq 1; a fill under another definition has begun. */
function leftBehind(): TagBoard {
  const board = new TagBoard(0);
  board.begin(DEFINITION, start('first'), AT);
  board.finish('first', 0, EMPTY_SUM, 1);
  board.submit(hash, batchOf(0, ['amy', 10]), AT);
  board.begin(OTHER_DEFINITION, start('other', 7), AT);
  return board;
}

const rowsOf = (board: TagBoard, definitionHash: string) =>
  board.list(definitionHash, SEASON.name, AT)?.range(1, 10) ?? null;
const AMY = [{ playerId: 'amy', score: 10, rank: 1 }];

describe('TagBoard left behind', () => {
  it('stays for readers of its definition, without a change, until the fill is finished', () => {
    const board = leftBehind();
    expect(board.submit(hash, batchOf(1, ['amy', 20]), AT).answer).toEqual({ kind: 'other-definition' });
    const submitted = board.submit(other, batchOf(0, ['bob', 30]), AT);
    expect(submitted).toMatchObject({ answer: { outcomes: ['applied'], isReadable: false }, changes: null });
    expect(board.submit(other, orderBatch(1, 'hide', 'amy'), AT).changes).toBeNull();
    const [mark] = board.marks();
    expect(board.settle(other, present(mark), [], AT)).toEqual({ answer: 'settled', changes: null });
    expect([rowsOf(board, hash), board.position(hash)]).toEqual([AMY, { epoch: 1, seq: 1 }]);
    expect([rowsOf(board, other), board.position(other)]).toEqual([null, null]);
  });

  it('gives way to the fill, under a new epoch and with the next seq', () => {
    const board = leftBehind();
    board.submit(other, batchOf(0, ['bob', 30]), AT);
    expect(board.finish('other', 0, EMPTY_SUM, 2)).toBe('finished');
    expect([rowsOf(board, hash), board.position(hash)]).toEqual([null, null]);
    expect(rowsOf(board, other)).toEqual([{ playerId: 'bob', score: 30, rank: 1 }]);
    expect(board.state()).toMatchObject({ epoch: 2, seq: 1, definitionHash: other });
    expect(board.submit(other, batchOf(1, ['bob', 40]), AT).changes).toMatchObject({ epoch: 2, fromSeq: 2, toSeq: 2 });
  });

  it('is not written by a fill under its own definition either: it has a hole', () => {
    const board = leftBehind();
    expect(board.begin(DEFINITION, start('again', 9), AT)).toEqual({
      kind: 'begun',
      positions: start('', 9).positions,
    });
    const submitted = board.submit(hash, batchOf(0, ['amy', 50]), AT);
    expect(submitted).toMatchObject({ answer: { outcomes: ['applied'], isReadable: false }, changes: null });
    expect(rowsOf(board, hash)).toEqual(AMY);
    board.finish('again', 0, EMPTY_SUM, 3);
    expect(rowsOf(board, hash)).toEqual([{ playerId: 'amy', score: 50, rank: 1 }]);
  });

  it('stays when the fill is given up, and asks for another one whoever submits', () => {
    const board = leftBehind();
    board.abandon('other');
    for (const definitionHash of [hash, other]) {
      expect(board.submit(definitionHash, batchOf(1, ['amy', 20]), AT).answer).toEqual({ kind: 'other-definition' });
      expect(board.mark(definitionHash, [{ playerId: 'amy', lists: [DAY] }])).toBe('other-definition');
    }
    expect(rowsOf(board, hash)).toEqual(AMY);
    expect(board.marks()).toEqual([]);
    expect(board.begin(DEFINITION, { ...start('again'), replace: false }, AT)).toEqual({ kind: 'exists' });
  });
});

describe('TagBoard without a board', () => {
  it('is as if it had never been filled where its first fill was given up', () => {
    const board = new TagBoard(0);
    board.begin(DEFINITION, start('first'), AT);
    board.submit(hash, batchOf(0, ['amy', 10]), AT);
    board.abandon('of somebody else');
    expect(board.submit(hash, batchOf(1, ['amy', 20]), AT).answer).toMatchObject({ kind: 'done' });
    board.abandon('first');
    expect(board.submit(hash, batchOf(2, ['amy', 20]), AT).answer).toEqual({ kind: 'no-board' });
    expect(board.finish('first', 0, EMPTY_SUM, 1)).toBe('superseded');
    expect(board.state()).toBeNull();
  });
});

describe('TagBoard replaced under its own definition', () => {
  it('decides outcomes and changes as ever, and the fill is nobody’s news', () => {
    const board = new TagBoard(0);
    board.begin(DEFINITION, start('first', 3), AT);
    board.finish('first', 0, EMPTY_SUM, 1);
    board.submit(hash, batchOf(0, ['amy', 10]), AT);
    const { positions } = present(board.state());
    expect(board.begin(DEFINITION, start('second', 9), AT)).toEqual({ kind: 'begun', positions });
    // To the fill it is the first of hers.
    const lower = board.submit(hash, batchOf(1, ['amy', 9]), AT);
    expect(lower).toMatchObject({ answer: { outcomes: ['no-record'], isReadable: true }, changes: null });
    const entry = { list: SEASON, playerId: 'bob', score: 20 };
    board.load('second', 0, [entry], AT);
    expect([rowsOf(board, hash), board.position(hash)]).toEqual([AMY, { epoch: 1, seq: 1 }]);
    expect(() => board.finish('second', 1, { entries: 1, checksum: 21 }, 2)).toThrow('begin the fill again');
    expect(board.finish('second', 1, { entries: 1, checksum: 20 }, 2)).toBe('finished');
    expect(rowsOf(board, hash)?.map(({ playerId }) => playerId)).toEqual(['bob', 'amy']);
    expect(board.position(hash)).toEqual({ epoch: 2, seq: 1 });
  });
});
