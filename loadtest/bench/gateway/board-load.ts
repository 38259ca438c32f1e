/** Updates put into the board's stream as they come due, and remembered for the reckoning. */

import { MAX_SUBMIT_RESULTS } from '../../../src/ranking/ranking.js';
import type { ResultPlanner } from '../../lib/players.js';
import type { PlayedResult } from '../../lib/standings.js';
import type { FilledBoard } from './filled-board.js';

export class BoardLoad {
  /** All of the run. */
  readonly played: PlayedResult[] = [];
  private readonly calls: Promise<void>[] = [];

  constructor(
    private readonly board: FilledBoard,
    private readonly planner: ResultPlanner,
  ) {}

  /** Everybody is ranked before anybody watches. */
  async fill(): Promise<void> {
    for (const { playerId, points } of this.planner.firstResults()) {
      this.played.push({ playerId, points, achievedAt: Date.now() });
    }
    await this.board.fill(this.played);
  }

  /** So many are due now. */
  release(count: number): void {
    const now = performance.now();
    const results: PlayedResult[] = [];
    for (let event = 0; event < count; event += 1) {
      const { playerId, points, shown } = this.planner.next();
      shown?.due.add(points, now);
      results.push({ playerId, points, achievedAt: Date.now() });
    }
    this.played.push(...results);
    // More than a call takes came due while this process was held up.
    for (let at = 0; at < results.length; at += MAX_SUBMIT_RESULTS) {
      const call = this.board.play(results.slice(at, at + MAX_SUBMIT_RESULTS));
      // Told by `settle`.
      call.catch(() => undefined);
      this.calls.push(call);
    }
  }

  /** Everything released is in the stream; throws where that went wrong. */
  async settle(): Promise<void> {
    await Promise.all(this.calls.splice(0));
  }
}
