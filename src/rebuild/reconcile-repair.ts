/** Waits until the players are settled whom a reconcile has marked, and settles them itself where no server does. */

import type { Logger } from 'pino';
import type { BoardSeason } from '../domain/board-season.js';
import { isReached, MAX_MARKS } from '../domain/marks.js';
import { orAborted, pause } from './abortable.js';
import { type MarkedRanking, MarkSettler, type PlayerFolds } from './settle-marks.js';

export interface RepairOptions {
  readonly ranking: MarkedRanking;
  readonly truth: PlayerFolds;
  readonly logger: Logger;
  readonly signal?: AbortSignal | undefined;
}

const LOOK_EVERY_MS = 100;
/** A mark waits for truth, which is behind by less than this or not there at all. */
const PATIENCE_MS = 60_000;

/** Answers also where its patience is at its end: another look at the rows tells. */
export async function repairMarked(
  scope: BoardSeason,
  { ranking, truth, logger, signal }: RepairOptions,
): Promise<void> {
  const settler = new MarkSettler({ ranking, truth, scopes: () => [scope], logger });
  // Later marks have later positions, but on a board that nobody plays: then there are few.
  const marked = (await orAborted(ranking.state(scope.tag), signal))?.positions ?? [];
  const until = performance.now() + PATIENCE_MS;
  try {
    for (;;) {
      await orAborted(settler.settleAll(), signal);
      const marks = await orAborted(ranking.marks(scope.tag), signal);
      if (marks.length < MAX_MARKS && !marks.some((mark) => isReached(mark, marked))) return;
      if (performance.now() >= until) return;
      await pause(LOOK_EVERY_MS, signal);
    }
  } finally {
    await settler.close();
  }
}
