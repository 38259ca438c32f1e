/** `rankcast reconcile`: compares boards with the database and repairs them, beside the running servers; no port, no consumer. */

import type { Logger } from 'pino';
import { loadBoards } from '../boards.js';
import type { Config } from '../config.js';
import type { BoardSeason } from '../domain/board-season.js';
import { StartRefusedError } from '../domain/errors.js';
import { Lifecycle } from '../ops/lifecycle.js';
import type { RedisRanking } from '../ranking/redis-ranking.js';
import { otherDefinition } from '../rebuild/rebuild-tag.js';
import { repairMarked } from '../rebuild/reconcile-repair.js';
import { reconcileTag } from '../rebuild/reconcile-tag.js';
import { lockTag } from '../rebuild/run-fill.js';
import { chooseBoards, type NamedBoards, openCommandRanking } from './command-boards.js';
import { INTERRUPTED } from './rebuild-command.js';
import type { ProgressOutput } from './rebuild-progress.js';
import { reconciledTruth } from './reconcile-truth.js';
import { openDatabase } from './stores.js';

export interface ReconcileCommandOptions extends NamedBoards {
  readonly config: Config;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Gets one line for each board that was compared. */
  readonly print: (line: string) => void;
  readonly progress: ProgressOutput;
}

interface CommandStores {
  readonly ranking: RedisRanking;
  readonly truth: ReturnType<typeof reconciledTruth>;
}

const STILL_DIFFERENT = 1;
const TOLD_EVERY_MS = 3_000;

/**
 * Answers the exit code: 0 where all boards are right at the end, `STILL_DIFFERENT`, or `INTERRUPTED`. Throws
 * `StartRefusedError` for what a person must change first.
 */
export async function runReconcile(options: ReconcileCommandOptions): Promise<number> {
  const { config, logger, signal } = options;
  const scopes = chooseBoards('reconcile', loadBoards(config.boardsFile), options);
  const lifecycle = new Lifecycle({ logger });
  try {
    const instead = 'which fills it from the database at each start: restart the server instead';
    const ranking = await openCommandRanking(config, instead, lifecycle, logger);
    const truth = reconciledTruth(await openDatabase({ config, lifecycle, logger }));
    let areRight = true;
    for (const scope of scopes) areRight = (await reconcileOne(scope, { ranking, truth }, options)) && areRight;
    return areRight ? 0 : STILL_DIFFERENT;
  } catch (error) {
    if (!signal.aborted) throw error;
    options.progress.write('interrupted: whoever was marked until now is settled by the servers\n');
    return INTERRUPTED;
  } finally {
    await lifecycle.stop();
  }
}

/** Answers whether the board is right at the end. */
async function reconcileOne(
  scope: BoardSeason,
  { ranking, truth }: CommandStores,
  { signal, logger, print, progress }: ReconcileCommandOptions,
): Promise<boolean> {
  const startedAt = performance.now();
  const { boardId, seasonId } = scope.tag;
  const tell = tellNowAndThen(scope, progress);
  const queued = (): void => tell('another process fills or reconciles this board; waiting for it');
  const lock = await lockTag(truth, scope, { report: queued, signal });
  try {
    const look = async () => {
      const report = (rows: number): void => tell(`${rows.toLocaleString('en-US')} rows compared`);
      const found = await reconcileTag(lock, scope, { ranking, truth, report, signal });
      if (found === null) throw new StartRefusedError(otherDefinition(scope));
      return found;
    };
    const { compared, differing } = await look();
    let left = 0;
    if (differing > 0) {
      await repairMarked(scope, { ranking, truth, logger, signal });
      left = (await look()).differing;
    }
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(3);
    const counts = `compared=${compared} differing=${differing} repaired=${Math.max(0, differing - left)}`;
    print(`reconciled board=${boardId} season=${seasonId} ${counts} seconds=${seconds}`);
    return left === 0;
  } finally {
    await lock.release();
  }
}

function tellNowAndThen({ name }: BoardSeason, output: ProgressOutput): (text: string) => void {
  let toldAt = performance.now();
  return (text) => {
    if (performance.now() - toldAt < TOLD_EVERY_MS) return;
    toldAt = performance.now();
    output.write(`${name}: ${text}\n`);
  };
}
