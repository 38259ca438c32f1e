/** A random board with ties and joins, and the deltas a correct server could send about it: made by brute force. */

import type { DeltaFrame, PlacedChange, SnapshotFrame, UnplacedRow } from '../../../proto/frames.js';

/** `player` got `score`, or left where it is null. */
export interface Step {
  readonly player: number;
  readonly score: number | null;
}

/** Ids whose UTF-16 order differs from the order of their bytes are among them. */
export function idOf(player: number): string {
  return `${['p', '\u{1F600}', '\uFF5A', 'é'][player % 4]}${player}`;
}

export interface BoardRow {
  readonly ref: number;
  readonly id: string;
  readonly score: number;
  readonly rank: number;
}

export class BoardHistory {
  /** The whole board after each seq, best first; index is the seq. */
  readonly boards: readonly (readonly BoardRow[])[];

  constructor(steps: readonly Step[]) {
    const scores = new Map<number, number>();
    const boards = [rowsOf(scores)];
    for (const { player, score } of steps) {
      if (score === null) scores.delete(player);
      else scores.set(player, score);
      boards.push(rowsOf(scores));
    }
    this.boards = boards;
  }

  top(seq: number, limit: number): readonly BoardRow[] {
    return (this.boards[seq] ?? []).slice(0, limit);
  }

  total(seq: number): number {
    return this.boards[seq]?.length ?? 0;
  }

  topSnapshot(seq: number, limit: number): SnapshotFrame {
    const entries = this.top(seq, limit).map(({ ref, score, id }): SnapshotFrame[6][number] => [
      ref,
      score,
      null,
      id,
      null,
    ]);
    return [32, 7, 900, seq, 1, this.total(seq), entries, seq];
  }

  /** Right for every client between `from` and `to`: what changed in any of the steps is in it. */
  topDelta(from: number, to: number, limit: number): DeltaFrame {
    const before = this.boards.slice(from, to).map((board) => board.slice(0, limit));
    const after = this.top(to, limit);
    const placed = after.flatMap(({ ref, id, score }, index): PlacedChange[] => {
      if (before.every((rows) => rows.some((row) => row.ref === ref && row.score === score))) return [];
      const isKnown = before.every((rows) => rows.some((row) => row.ref === ref));
      return [isKnown ? [index, ref, score] : [index, ref, score, null, id, null]];
    });
    const removed = before.flat().filter(({ ref }) => after.every((row) => row.ref !== ref));
    return [33, 7, to, to - from, [...new Set(removed.map((row) => row.ref))], placed, null, this.total(to), to];
  }

  /** All rows with their rank in the whole board, those without a score included: an unplaced window of everybody. */
  everybody(seq: number, players: number): readonly UnplacedRow[] {
    const rows = this.boards[seq] ?? [];
    return Array.from({ length: players }, (_, player): UnplacedRow => {
      const row = rows.find(({ ref }) => ref === player);
      return [player, row?.score ?? null, row?.rank ?? null, null, row?.score ?? null, null, idOf(player), null];
    });
  }
}

function rowsOf(scores: ReadonlyMap<number, number>): readonly BoardRow[] {
  const rows = [...scores].map(([ref, score]) => ({ ref, id: idOf(ref), score }));
  rows.sort((a, b) => b.score - a.score || Buffer.compare(Buffer.from(b.id), Buffer.from(a.id)));
  return rows.map((row, index) => ({ ...row, rank: index + 1 }));
}
