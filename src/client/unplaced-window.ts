/** The fold of an unplaced window (friends): rows in no order on the wire, sorted here when somebody looks. */

import { windowCheck } from '../../proto/check.js';
import type { DeltaFrame, UnplacedRow } from '../../proto/frames.js';
import { compareIdBytes } from '../../proto/id-order.js';
import type { FriendEntry, WindowState } from './api.js';
import { RowsWindow, type WholeSnapshot } from './rows-window.js';
import { type FoldAnswer, judgeDelta, type ShownRow } from './window.js';

interface Row extends ShownRow {
  readonly ref: number;
  readonly playerId: string;
  readonly name: string | null;
  readonly rank: number | null;
  readonly prevRank: number | null;
  /** The packed score: points, then time. */
  readonly order: number | null;
  entry: FriendEntry | null;
}

export class UnplacedWindow extends RowsWindow<WindowState<FriendEntry>> {
  private byRef = new Map<number, Row>();
  /** The rows in their order, `null` since the last frame. */
  private sorted: readonly Row[] | null = null;

  override check(): number {
    return windowCheck(this.inOrder());
  }

  override copy(): UnplacedWindow {
    const copy = new UnplacedWindow();
    // Rows are replaced, never changed: both windows can hold the same ones.
    copy.byRef = new Map(this.byRef);
    copy.sorted = this.sorted;
    copy.copyStanding(this);
    return copy;
  }

  override read(stale: boolean): WindowState<FriendEntry> {
    const entries = Object.freeze(this.inOrder().map(entryOf));
    return Object.freeze({ entries, total: this.total, seq: this.seq, epoch: this.epoch, at: this.at, stale });
  }

  private inOrder(): readonly Row[] {
    this.sorted ??= [...this.byRef.values()].sort(compareRows);
    return this.sorted;
  }

  protected override replace(whole: WholeSnapshot, _at: number, shown: ShownRow[] | null): void {
    const rows = (whole.entries as readonly UnplacedRow[]).map((change) => this.rowOf(change));
    this.byRef = new Map();
    this.put(rows, shown);
  }

  protected override applyDelta(frame: DeltaFrame, shown: ShownRow[] | null): FoldAnswer {
    if (this.position === null) return 'gap';
    const [, , seq, span, removed, , , total, at] = frame;
    const placed = frame[5] as readonly UnplacedRow[];
    const judged = judgeDelta(this.position.seq, seq, span);
    if (judged !== 'apply') return judged;
    if (!placed.every((change) => this.byRef.has(change[0]) || typeof change[6] === 'string')) return 'gap';
    const rows = placed.map((change) => this.rowOf(change));
    for (const ref of removed) this.byRef.delete(ref);
    this.put(rows, shown);
    this.total = total ?? this.total;
    this.at = at;
    this.moveTo(this.position.epoch, seq);
    return 'applied';
  }

  private rowOf(change: UnplacedRow): Row {
    const [ref, score, rank, prevRank, order, at] = change;
    // Without the tail, id and name are those that came with the ref's first row.
    const named =
      typeof change[6] === 'string' ? { playerId: change[6], name: change[7] ?? null } : this.byRef.get(ref);
    return {
      ref,
      playerId: named?.playerId ?? '',
      name: named?.name ?? null,
      score,
      rank,
      prevRank,
      order,
      at,
      entry: null,
    };
  }

  private put(rows: readonly Row[], shown: ShownRow[] | null): void {
    for (const row of rows) {
      this.byRef.set(row.ref, row);
      shown?.push(row);
    }
    this.sorted = null;
  }
}

/** Ranked rows by (order, id bytes), both descending; then those without a result, by id bytes ascending. */
function compareRows(a: Row, b: Row): number {
  if (a.order !== null && b.order !== null) return b.order - a.order || compareIdBytes(b.playerId, a.playerId);
  if (a.order === null && b.order === null) return compareIdBytes(a.playerId, b.playerId);
  return a.order === null ? 1 : -1;
}

function entryOf(row: Row): FriendEntry {
  const { rank, prevRank, playerId, name, score, at } = row;
  row.entry ??= Object.freeze({ rank, prevRank, playerId, name, score, at });
  return row.entry;
}
