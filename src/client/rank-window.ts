/** The fold of one's own rank: every RANK is absolute, so the newest one is the state. */

import { windowCheck } from '../../proto/check.js';
import { FrameType, type RankFrame } from '../../proto/frames.js';
import type { MyRankState } from './api.js';
import type { FoldAnswer, ShownRow, WindowFold, WindowFrame, WindowPosition } from './window.js';

export class RankWindow implements WindowFold<MyRankState> {
  position: WindowPosition | null = null;
  readonly isGathering = false;
  private frame: RankFrame | null = null;
  private resumedSeq = 0;
  private readonly playerId: () => string | null;

  /** `playerId` tells whose rank it is, for the rows that frames show. */
  constructor(playerId: () => string | null) {
    this.playerId = playerId;
  }

  get hasState(): boolean {
    return this.frame !== null;
  }

  apply(frame: WindowFrame, shown: ShownRow[] | null): FoldAnswer {
    if (frame[0] !== FrameType.rank) return 'dropped';
    const [, , seq, , , score, , , , at, epoch] = frame;
    if (this.position !== null && this.position.epoch === epoch && seq < this.position.seq) return 'dropped';
    this.frame = frame;
    this.resumedSeq = seq;
    this.position = { epoch, seq };
    shown?.push({ playerId: this.playerId(), score, at });
    return 'applied';
  }

  resume(seq: number): void {
    if (this.position === null) return;
    this.position = { epoch: this.position.epoch, seq };
    this.resumedSeq = seq;
  }

  forget(): void {
    this.position = null;
  }

  check(): number {
    return windowCheck([{ ref: 0, score: this.frame?.[5] ?? null, rank: this.frame?.[3] ?? null }]);
  }

  copy(): RankWindow {
    const copy = new RankWindow(this.playerId);
    copy.position = this.position;
    copy.frame = this.frame;
    copy.resumedSeq = this.resumedSeq;
    return copy;
  }

  read(stale: boolean): MyRankState {
    if (this.frame === null) throw new Error('a window without state is never read');
    const [, , , rank, prevRank, score, total, , , at, epoch, tier = null] = this.frame;
    // The total of the frame may be older than the rank by a moment.
    const topPercent = rank === null ? null : Math.min(100, (100 * rank) / Math.max(1, total));
    return Object.freeze({ rank, prevRank, score, topPercent, tier, total, seq: this.resumedSeq, epoch, at, stale });
  }
}
