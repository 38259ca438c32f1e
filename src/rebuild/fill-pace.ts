/**
 * The pace of a fill: where results come for the board meanwhile, they wait behind each chunk in the ranking's store and
 * share the processors with whoever makes it. Then most of the time is theirs: each piece of work is followed by a pause that is
 * longer than it. A board that nobody plays on, or that is not there yet, is filled as fast as can be.
 */

import { countBehind, type Position } from '../domain/log-record.js';
import { pause } from './abortable.js';

/** Pause by work. At 1 the p99 from result to push was 2.3 times as long as without a rebuild (median, loadtest/results). */
const REST_BY_WORK = 3;
/** How often it is looked whether results come. */
const LOOK_EVERY_MS = 250;

export class FillPace {
  private known: readonly Position[] | null = null;
  private lookedAt = Number.NEGATIVE_INFINITY;
  private isPlayedOn = false;

  /** `positions` of the board that is shown, `null` where there is none. */
  constructor(
    private readonly positions: () => Promise<readonly Position[] | null>,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** After a piece of work, a chunk or a step of a checkpoint, that took so long, milliseconds. */
  async rest(tookMs: number): Promise<void> {
    if (performance.now() - this.lookedAt >= LOOK_EVERY_MS) await this.look();
    if (this.isPlayedOn) await pause(tookMs * REST_BY_WORK, this.signal);
  }

  private async look(): Promise<void> {
    const positions = await this.positions();
    this.isPlayedOn = this.known !== null && positions !== null && countBehind(this.known, positions) > 0;
    this.known = positions;
    this.lookedAt = performance.now();
  }
}
