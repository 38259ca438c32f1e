/** The fold of a placed window (top): rows in the server's order, ranks counted from `first`. */

import { windowCheck } from '../../proto/check.js';
import type { DeltaFrame, PlacedChange, PlacedEntry } from '../../proto/frames.js';
import type { RankedEntry, WindowState } from './api.js';
import { RowsWindow, type WholeSnapshot } from './rows-window.js';
import { type FoldAnswer, judgeDelta, type ShownRow } from './window.js';

interface Row extends ShownRow {
  readonly ref: number;
  playerId: string;
  name: string | null;
  score: number;
  at: number;
  rank: number;
  prevRank: number | null;
  /** The frozen picture of this row, `null` since its last change. */
  entry: RankedEntry | null;
}

export class PlacedWindow extends RowsWindow<WindowState<RankedEntry>> {
  private rows: Row[] = [];
  private byRef = new Map<number, Row>();
  private first = 1;

  override check(): number {
    return windowCheck(this.rows.map(({ ref, score }) => ({ ref, score })));
  }

  override copy(): PlacedWindow {
    const copy = new PlacedWindow();
    copy.rows = this.rows.map((row) => ({ ...row }));
    copy.byRef = new Map(copy.rows.map((row) => [row.ref, row]));
    copy.first = this.first;
    copy.copyStanding(this);
    return copy;
  }

  override read(stale: boolean): WindowState<RankedEntry> {
    const entries = Object.freeze(this.rows.map(entryOf));
    return Object.freeze({ entries, total: this.total, seq: this.seq, epoch: this.epoch, at: this.at, stale });
  }

  protected override replace(whole: WholeSnapshot, at: number, shown: ShownRow[] | null): void {
    this.first = whole.first;
    this.rows = (whole.entries as readonly PlacedEntry[]).map((entry, index) => rowOf(entry, whole.first + index, at));
    this.byRef.clear();
    for (const row of this.rows) this.byRef.set(row.ref, row);
    shown?.push(...this.rows);
  }

  /** Takes out every ref that is named, then puts the placed ones in at their final index, ascending. */
  protected override applyDelta(frame: DeltaFrame, shown: ShownRow[] | null): FoldAnswer {
    if (this.position === null) return 'gap';
    const [, , seq, span, removed, , first, total, at] = frame;
    const placed = frame[5] as readonly PlacedChange[];
    const judged = judgeDelta(this.position.seq, seq, span);
    if (judged !== 'apply') return judged;
    if (!placed.every((change) => this.byRef.has(change[1]) || typeof change[4] === 'string')) return 'gap';
    const placedRefs = new Set(placed.map((change) => change[1]));
    const removedRefs = new Set(removed);
    const rows = this.rows.filter((row) => !removedRefs.has(row.ref) && !placedRefs.has(row.ref));
    if (!placed.every((change, order) => change[0] >= 0 && change[0] <= rows.length + order)) return 'gap';

    for (const ref of removedRefs) if (!placedRefs.has(ref)) this.byRef.delete(ref);
    for (const change of placed) {
      const row = this.place(change, at);
      rows.splice(change[0], 0, row);
      shown?.push(row);
    }
    this.rows = rows;
    this.first = first ?? this.first;
    this.total = total ?? this.total;
    this.at = at;
    this.rank();
    this.moveTo(this.position.epoch, seq);
    return 'applied';
  }

  private place(change: PlacedChange, at: number): Row {
    const [index, ref, score, , playerId, name] = change;
    const known = this.byRef.get(ref);
    if (known === undefined) {
      const row = rowOf([ref, score, null, playerId ?? '', name ?? null], this.first + index, at);
      this.byRef.set(ref, row);
      return row;
    }
    known.score = score;
    known.at = at;
    known.entry = null;
    if (playerId !== undefined && playerId !== null) {
      known.playerId = playerId;
      known.name = name ?? null;
    }
    return known;
  }

  /** Ranks of rows nobody named move as well; each remembers the rank it had before it last moved. */
  private rank(): void {
    for (let index = 0; index < this.rows.length; index += 1) {
      const row = this.rows[index];
      const rank = this.first + index;
      if (row === undefined || row.rank === rank) continue;
      row.prevRank = row.rank;
      row.rank = rank;
      row.entry = null;
    }
  }
}

function rowOf(entry: PlacedEntry, rank: number, at: number): Row {
  const [ref, score, , playerId, name] = entry;
  return { ref, playerId, name: name ?? null, score, at, rank, prevRank: null, entry: null };
}

function entryOf(row: Row): RankedEntry {
  const { rank, prevRank, playerId, name, score, at } = row;
  row.entry ??= Object.freeze({ rank, prevRank, playerId, name, score, at });
  return row.entry;
}
