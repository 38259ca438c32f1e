/** Puts snapshots that come in several frames together. */

import type { SnapshotFrame } from '../../proto/frames.js';

type Entries = SnapshotFrame[6];

export class SnapshotParts {
  private epoch = 0;
  private seq = 0;
  private first = 0;
  private parts: Entries[] = [];

  get isEmpty(): boolean {
    return this.parts.length === 0;
  }

  /** The whole snapshot once its last part is there, else `null`. A part of another snapshot starts anew. */
  add(frame: SnapshotFrame): { readonly first: number; readonly entries: Entries } | null {
    const [, , epoch, seq, first, , entries, , more] = frame;
    if (epoch !== this.epoch || seq !== this.seq) this.parts = [];
    if (this.parts.length === 0) this.first = first;
    this.epoch = epoch;
    this.seq = seq;
    this.parts.push(entries);
    if (more === true) return null;
    const whole = { first: this.first, entries: this.parts.flat() };
    this.parts = [];
    return whole;
  }

  clear(): void {
    this.parts = [];
  }
}
