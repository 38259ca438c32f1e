import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TopRows } from '../../src/views/top-rows.js';
import { BruteBoard, TRICKY_IDS } from './support/brute-board.js';

const move = fc.record({
  playerId: fc.constantFrom(...TRICKY_IDS),
  score: fc.oneof({ weight: 3, arbitrary: fc.nat({ max: 4 }) }, { weight: 2, arbitrary: fc.constant(null) }),
});

function loadFrom(top: TopRows, board: BruteBoard): void {
  top.load(board.rows().slice(0, top.wanted), board.scores.size);
}

function head(top: TopRows, limit: number) {
  return top.head(limit).map(({ playerId, score }) => ({ playerId, score }));
}

function bruteHead(board: BruteBoard, limit: number) {
  return board
    .rows()
    .slice(0, limit)
    .map(({ playerId, score }) => ({ playerId, score }));
}

describe('TopRows', () => {
  it('equals the head of a sorted board after any changes, and says when it no longer can', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.array(move, { maxLength: 12 }),
        fc.array(move, { maxLength: 60 }),
        (size, before, after) => {
          const board = new BruteBoard();
          for (const { playerId, score } of before) board.apply(playerId, score, 1);
          const top = new TopRows(size);
          loadFrom(top, board);
          for (const [index, { playerId, score }] of after.entries()) {
            const rowsBefore = top.head(top.wanted);
            const change = board.apply(playerId, score, index);
            if (change === null) continue;
            const touched = top.fold(change);
            const rows = top.head(top.wanted);
            expect(rows.slice(0, touched === -1 ? undefined : touched)).toEqual(
              rowsBefore.slice(0, touched === -1 ? undefined : touched),
            );
            if (touched !== -1 && touched < top.wanted) expect(rows[touched]).not.toBe(rowsBefore[touched]);
            if (top.needsLoad) loadFrom(top, board);
            // What is there is right; what is shown is whole.
            expect(head(top, top.wanted)).toEqual(bruteHead(board, top.head(top.wanted).length));
            expect(head(top, size)).toEqual(bruteHead(board, size));
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('asks for a load only once fewer rows are known than are shown', () => {
    const board = new BruteBoard();
    for (const [index, id] of TRICKY_IDS.entries()) board.apply(id, index, 1);
    const top = new TopRows(2);
    expect(top.wanted).toBe(4);
    loadFrom(top, board);
    const removeFirst = () => {
      const change = board.apply(board.rows()[0]?.playerId ?? '', null, 1);
      if (change !== null) top.fold(change);
    };
    removeFirst();
    removeFirst();
    expect([top.needsLoad, head(top, 2)]).toEqual([false, bruteHead(board, 2)]);
    removeFirst();
    expect(top.needsLoad).toBe(true);
    loadFrom(top, board);
    expect([top.needsLoad, head(top, 2)]).toEqual([false, bruteHead(board, 2)]);
  });

  it('never asks for a load where the rows are the whole list', () => {
    const board = new BruteBoard();
    for (const id of ['a', 'b', 'é']) board.apply(id, 1, 1);
    const top = new TopRows(2);
    loadFrom(top, board);
    for (const id of ['é', 'b', 'a']) {
      const change = board.apply(id, null, 1);
      if (change !== null) top.fold(change);
      expect(top.needsLoad).toBe(false);
    }
    expect(top.head(2)).toEqual([]);
  });

  it('leaves out a row that falls below what is known, and does not guess its place', () => {
    const board = new BruteBoard();
    for (const [index, id] of TRICKY_IDS.entries()) board.apply(id, index + 1, 1);
    const top = new TopRows(3);
    loadFrom(top, board);
    const first = board.rows()[0]?.playerId ?? '';
    const fall = board.apply(first, 0, 2);
    if (fall !== null) expect(top.fold(fall)).toBe(0);
    expect(top.head(10).map((row) => row.playerId)).not.toContain(first);
    const below = board.apply('a', 0.5, 3);
    if (below !== null) expect(top.fold(below)).toBe(-1);
    expect(head(top, 3)).toEqual(bruteHead(board, 3));
  });

  it('knows when a row came in, and not when it was loaded', () => {
    const top = new TopRows(2);
    const board = new BruteBoard();
    board.apply('a', 1, 77);
    loadFrom(top, board);
    const change = board.apply('b', 1, 88);
    if (change !== null) top.fold(change);
    expect(top.head(2)).toEqual([
      { playerId: 'b', score: 1, at: 88 },
      { playerId: 'a', score: 1, at: null },
    ]);
  });
});
