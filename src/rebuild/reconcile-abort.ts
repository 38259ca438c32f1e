/** A ranking whose calls an abort need not wait for: where Redis was cut off, one of them may last until it is back. */

import { orAborted } from './abortable.js';
import type { ReconciledRanking } from './reconcile-stores.js';

/** A mark that was under way may still arrive. */
export function untilAborted(ranking: ReconciledRanking, signal: AbortSignal | undefined): ReconciledRanking {
  return {
    state: (...call) => orAborted(ranking.state(...call), signal),
    scanLists: (...call) => orAborted(ranking.scanLists(...call), signal),
    readScores: (...call) => orAborted(ranking.readScores(...call), signal),
    readRange: (...call) => orAborted(ranking.readRange(...call), signal),
    mark: (...call) => orAborted(ranking.mark(...call), signal),
  };
}
