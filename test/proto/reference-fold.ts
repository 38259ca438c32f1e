/** The fold of PROTOCOL.md section 7 as literally as it can be written: what vectors and clients are compared with. */

import { compareIdBytes } from '../../proto/id-order.js';

export interface FoldedRow {
  readonly ref: number;
  readonly playerId: string;
  readonly score: number | null;
  readonly rank: number | null;
  readonly order: number | null;
}

type Fields = readonly unknown[];

export class ReferenceFold {
  rows: FoldedRow[] = [];
  resyncs = 0;
  private have: number | undefined;
  private isAsking = false;
  private first = 1;
  private parts: Fields[] = [];

  constructor(private readonly window: 'placed' | 'unplaced') {}

  apply(frame: Fields): void {
    if (frame[0] === 32) this.applySnapshot(frame);
    else if (frame[0] === 33) this.applyDelta(frame);
    else throw new Error(`the fold does not take frames of type ${String(frame[0])}`);
  }

  private applySnapshot(frame: Fields): void {
    const [before] = this.parts;
    if (before !== undefined && (before[2] !== frame[2] || before[3] !== frame[3])) this.parts = [];
    this.parts.push(frame);
    if (frame[8] === true) return;
    const entries = this.parts.flatMap((part) => part[6] as Fields[]);
    this.parts = [];
    this.have = frame[3] as number;
    this.first = frame[4] as number;
    this.isAsking = false;
    this.rows = entries.map((entry) => (this.window === 'placed' ? placedEntry(entry) : unplacedRow(entry, undefined)));
    this.settle();
  }

  private applyDelta(frame: Fields): void {
    const [, , seq, span, removed, placed, first] = frame as [
      number,
      number,
      number,
      number,
      number[],
      Fields[],
      number | null,
    ];
    if (this.have === undefined || this.isAsking || seq < this.have) return;
    if (span >= 1 && seq === this.have) return;
    if (this.have < seq - span) {
      this.ask();
      return;
    }
    const rows = this.window === 'placed' ? this.placedAfter(removed, placed) : this.unplacedAfter(removed, placed);
    if (rows === undefined) {
      this.ask();
      return;
    }
    this.have = seq;
    this.first = first ?? this.first;
    this.rows = rows;
    this.settle();
  }

  private placedAfter(removed: number[], placed: Fields[]): FoldedRow[] | undefined {
    const gone = new Set([...removed, ...placed.map((row) => row[1])]);
    const rows = this.rows.filter((row) => !gone.has(row.ref));
    for (const row of placed) {
      const [index, ref, score] = row as [number, number, number];
      const playerId = (row[4] as string | null | undefined) ?? this.idOf(ref);
      if (playerId === undefined || index > rows.length) return undefined;
      rows.splice(index, 0, { ref, playerId, score, rank: null, order: null });
    }
    return rows;
  }

  private unplacedAfter(removed: number[], placed: Fields[]): FoldedRow[] | undefined {
    const byRef = new Map(this.rows.map((row) => [row.ref, row]));
    for (const ref of removed) byRef.delete(ref);
    for (const row of placed) {
      const ref = row[0] as number;
      if (typeof row[6] !== 'string' && !byRef.has(ref)) return undefined;
      byRef.set(ref, unplacedRow(row, byRef.get(ref)?.playerId));
    }
    return [...byRef.values()];
  }

  /** Ranks by place, or places by order. */
  private settle(): void {
    if (this.window === 'placed') this.rows = this.rows.map((row, index) => ({ ...row, rank: this.first + index }));
    else this.rows = this.rows.toSorted(compareUnplaced);
  }

  private idOf(ref: number): string | undefined {
    return this.rows.find((row) => row.ref === ref)?.playerId;
  }

  private ask(): void {
    this.isAsking = true;
    this.resyncs += 1;
  }
}

function compareUnplaced(a: FoldedRow, b: FoldedRow): number {
  if (a.order === null && b.order === null) return compareIdBytes(a.playerId, b.playerId);
  if (a.order === null) return 1;
  if (b.order === null) return -1;
  return b.order - a.order || compareIdBytes(b.playerId, a.playerId);
}

function placedEntry(entry: Fields): FoldedRow {
  const [ref, score, , playerId] = entry as [number, number, null, string];
  return { ref, playerId, score, rank: null, order: null };
}

function unplacedRow(row: Fields, knownId: string | undefined): FoldedRow {
  const [ref, score, rank, , order] = row as [number, number | null, number | null, null, number | null];
  const playerId = (row[6] as string | null | undefined) ?? knownId;
  if (playerId === undefined) throw new Error(`ref ${ref} has no player`);
  return { ref, playerId, score, rank, order };
}
