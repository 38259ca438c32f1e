/** `rankcast rebuild`: fills boards anew from the database, beside the running servers; no port, no consumer. */

import type { Logger } from 'pino';
import { loadBoards } from '../boards.js';
import type { Config } from '../config.js';
import type { BoardSeason } from '../domain/board-season.js';
import { standingOf } from '../domain/tag-standing.js';
import { Lifecycle } from '../ops/lifecycle.js';
import { MAX_FILL_CHUNK } from '../ranking/ranking.js';
import type { RedisRanking } from '../ranking/redis-ranking.js';
import { rebuildCommand, rebuildTag } from '../rebuild/rebuild-tag.js';
import { TruthSnapshots } from '../truth/truth-snapshot.js';
import { chooseBoards, openCommandRanking } from './command-boards.js';
import { ProgressDisplay, type ProgressOutput } from './rebuild-progress.js';
import { openDatabase } from './stores.js';

export interface RebuildCommandOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** A board's id, or `all` for those of the season one after another. */
  readonly board: string | undefined;
  /** Default: the current one. */
  readonly season: string | undefined;
  /** Reads all rows of the season, and no checkpoint. Default false. */
  readonly isRaw?: boolean;
  readonly signal: AbortSignal;
  /** Gets one line for each board that was rebuilt. */
  readonly print: (line: string) => void;
  readonly progress: ProgressOutput;
}

export const INTERRUPTED = 130;

const RESTART_INSTEAD = 'which rebuilds it at each start: restart the server instead';

/** Answers the exit code: 0, or `INTERRUPTED`. Throws `StartRefusedError` for what a person must change first. */
export async function runRebuild(options: RebuildCommandOptions): Promise<number> {
  const { config, logger, signal } = options;
  const scopes = chooseBoards('rebuild', loadBoards(config.boardsFile), options);
  const lifecycle = new Lifecycle({ logger });
  let ranking: RedisRanking | undefined;
  try {
    ranking = await openCommandRanking(config, RESTART_INSTEAD, lifecycle, logger);
    const origin = options.isRaw ? 'rows' : 'checkpoint';
    const truth = new TruthSnapshots(await openDatabase({ config, lifecycle, logger }), Date.now, origin);
    for (const scope of scopes) await rebuildOne(scope, truth, ranking, options);
    return 0;
  } catch (error) {
    if (signal.aborted)
      options.progress.write('interrupted: of boards that were not finished all is shown as before\n');
    if (ranking !== undefined) await tellStopped(scopes, ranking, options.progress);
    if (!signal.aborted) throw error;
    return INTERRUPTED;
  } finally {
    await lifecycle.stop();
  }
}

async function rebuildOne(
  scope: BoardSeason,
  truth: TruthSnapshots,
  target: RedisRanking,
  { signal, print, progress }: RebuildCommandOptions,
): Promise<void> {
  const startedAt = performance.now();
  const display = new ProgressDisplay(scope.name, progress);
  const options = { truth, target, report: display.report, signal, maxFillChunk: MAX_FILL_CHUNK };
  const { entries } = await rebuildTag(scope, options).finally(() => display.close());
  const seconds = (performance.now() - startedAt) / 1_000;
  const { boardId, seasonId } = scope.tag;
  const rate = Math.round(entries / seconds);
  print(`rebuilt board=${boardId} season=${seasonId} entries=${entries} seconds=${seconds.toFixed(3)} rate=${rate}`);
}

/** Names the boards to which nothing is added any more: a rebuild under another definition than what they show was given up. */
async function tellStopped(
  scopes: readonly BoardSeason[],
  ranking: RedisRanking,
  progress: ProgressOutput,
): Promise<void> {
  for (const { tag, name, definition } of scopes) {
    // A ranking that is away may be why the rebuild ended.
    const state = await ranking.state(tag).catch(() => null);
    if (state === null || state.isWritten) continue;
    const what =
      standingOf(definition.hash, state) === 'left-behind'
        ? 'a server with this boards file fills it by itself'
        : `with this boards file or the one of before, run \`${rebuildCommand(tag)}\``;
    progress.write(`${name} shows no new results until it is filled: ${what}\n`);
  }
}
