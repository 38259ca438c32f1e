/** What all windows share: the contract of a fold, and the rule that decides about a delta. */

import { type DeltaFrame, FrameType, type RankFrame, type SnapshotFrame } from '../../proto/frames.js';

export type WindowFrame = SnapshotFrame | DeltaFrame | RankFrame;

/** Where a window stands: `seq` counts within `epoch`, and epochs are compared for equality only. */
export interface WindowPosition {
  readonly epoch: number;
  readonly seq: number;
}

/** A row as one frame showed it. Only valid during the call that passes it: rows are folded in place. */
export interface ShownRow {
  readonly playerId: string | null;
  /** Points as sent; `null` for a friend without a result. */
  readonly score: number | null;
  /** Server time of the result behind the row, epoch milliseconds; for top rows that of the frame. */
  readonly at: number | null;
}

/**
 * `applied`: the window is now at the frame's seq. `partial`: a part of a snapshot, more will come.
 * `dropped`: the window already shows this. `gap`: something before this frame is missing, nothing was changed.
 */
export type FoldAnswer = 'applied' | 'partial' | 'dropped' | 'gap';

/** A window's state as a fold over its frames. Pure: no clock, no socket. */
export interface WindowFold<State> {
  /** `null` before the first snapshot and after `forget`. */
  readonly position: WindowPosition | null;
  /** Whether there is anything to show. */
  readonly hasState: boolean;
  /** Parts of a snapshot came, and its last did not. */
  readonly isGathering: boolean;
  /** Applies a frame; rows that it showed are pushed to `shown` where somebody wants them. */
  apply(frame: WindowFrame, shown: ShownRow[] | null): FoldAnswer;
  /** The server says that what is here is current at `seq`. Begun snapshots are dropped. */
  resume(seq: number): void;
  /** What is here stays on show, but only a fresh snapshot may follow it. Begun snapshots are dropped. */
  forget(): void;
  /** What SYNC carries where this window is right. Builds and sorts as `read` does. */
  check(): number;
  /** The same window to go on with apart from this one; without the begun snapshot. */
  copy(): WindowFold<State>;
  /** A frozen picture. Builds and sorts, so call it for readers only. */
  read(stale: boolean): State;
}

/**
 * The delta rule of PROTOCOL.md. A delta merges `span` steps that end at `seq`; it holds absolute rows, so starting in
 * the middle of the span is fine. Span 0 changes what seq does not count (a name, say) and fits one seq only.
 */
export function judgeDelta(have: number, seq: number, span: number): 'apply' | 'dropped' | 'gap' {
  if (span === 0) {
    if (seq === have) return 'apply';
    return seq < have ? 'dropped' : 'gap';
  }
  if (seq <= have) return 'dropped';
  return seq - span <= have ? 'apply' : 'gap';
}

/** Server time of the newest result in a frame, epoch milliseconds. */
export function stampOf(frame: WindowFrame): number {
  if (frame[0] === FrameType.snapshot) return frame[7];
  return frame[0] === FrameType.delta ? frame[8] : frame[9];
}
