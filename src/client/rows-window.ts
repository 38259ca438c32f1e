/** What windows of rows share: where they stand, the snapshot that is being gathered, and the figures of the last frame. */

import { type DeltaFrame, FrameType, type SnapshotFrame } from '../../proto/frames.js';
import { SnapshotParts } from './snapshot-parts.js';
import type { FoldAnswer, ShownRow, WindowFold, WindowFrame, WindowPosition } from './window.js';

/** A snapshot whose last part has come. */
export type WholeSnapshot = NonNullable<ReturnType<SnapshotParts['add']>>;

export abstract class RowsWindow<State> implements WindowFold<State> {
  position: WindowPosition | null = null;
  hasState = false;
  protected total = 0;
  protected at = 0;
  protected epoch = 0;
  protected seq = 0;
  private readonly parts = new SnapshotParts();

  abstract check(): number;
  abstract copy(): WindowFold<State>;
  abstract read(stale: boolean): State;
  /** Replaces all rows; `at`: server time of the newest result in them. */
  protected abstract replace(whole: WholeSnapshot, at: number, shown: ShownRow[] | null): void;
  protected abstract applyDelta(frame: DeltaFrame, shown: ShownRow[] | null): FoldAnswer;

  get isGathering(): boolean {
    return !this.parts.isEmpty;
  }

  apply(frame: WindowFrame, shown: ShownRow[] | null): FoldAnswer {
    if (frame[0] === FrameType.snapshot) return this.applySnapshot(frame, shown);
    return frame[0] === FrameType.delta ? this.applyDelta(frame, shown) : 'dropped';
  }

  resume(seq: number): void {
    this.parts.clear();
    if (this.position !== null) this.moveTo(this.position.epoch, seq);
  }

  forget(): void {
    this.position = null;
    this.parts.clear();
  }

  protected moveTo(epoch: number, seq: number): void {
    this.epoch = epoch;
    this.seq = seq;
    this.position = { epoch, seq };
  }

  /** All but the rows; what is being gathered stays behind. */
  protected copyStanding(from: RowsWindow<State>): void {
    this.position = from.position;
    this.hasState = from.hasState;
    this.total = from.total;
    this.at = from.at;
    this.epoch = from.epoch;
    this.seq = from.seq;
  }

  private applySnapshot(frame: SnapshotFrame, shown: ShownRow[] | null): FoldAnswer {
    const whole = this.parts.add(frame);
    if (whole === null) return 'partial';
    const [, , epoch, seq, , total, , at] = frame;
    this.replace(whole, at, shown);
    this.total = total;
    this.at = at;
    this.hasState = true;
    this.moveTo(epoch, seq);
    return 'applied';
  }
}
