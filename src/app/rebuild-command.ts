/** `rankcast rebuild`: fills boards anew from the database, beside the running servers; no port, no consumer. */

import type { Logger } from 'pino';
import { loadBoards } from '../boards.js';
import { nearestName } from '../config/nearest-name.js';
import type { Config } from '../config.js';
import type { BoardSet } from '../domain/board.js';
import { type BoardSeason, BoardSeasons } from '../domain/board-season.js';
import { StartRefusedError } from '../domain/errors.js';
import { currentSeason } from '../domain/season.js';
import { Lifecycle } from '../ops/lifecycle.js';
import { MAX_FILL_CHUNK } from '../ranking/ranking.js';
import { RedisRanking } from '../ranking/redis-ranking.js';
import { rebuildTag } from '../rebuild/rebuild-tag.js';
import { TruthSnapshots } from '../truth/truth-snapshot.js';
import { ProgressDisplay, type ProgressOutput } from './rebuild-progress.js';
import { openDatabase } from './stores.js';

export interface RebuildCommandOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** A board's id, or `all` for those of the season one after another. */
  readonly board: string | undefined;
  /** Default: the current one. */
  readonly season: string | undefined;
  readonly signal: AbortSignal;
  /** Gets one line for each board that was rebuilt. */
  readonly print: (line: string) => void;
  readonly progress: ProgressOutput;
}

export const INTERRUPTED = 130;

const ALL_BOARDS = 'all';

/** Answers the exit code: 0, or `INTERRUPTED`. Throws `StartRefusedError` for what a person must change first. */
export async function runRebuild(options: RebuildCommandOptions): Promise<number> {
  const { config, logger, signal } = options;
  const scopes = chooseScopes(loadBoards(config.boardsFile), options);
  const lifecycle = new Lifecycle({ logger });
  try {
    const ranking = await openRedis(config, lifecycle, logger);
    const truth = new TruthSnapshots(await openDatabase({ config, lifecycle, logger }));
    for (const scope of scopes) await rebuildOne(scope, truth, ranking, options);
    return 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    options.progress.write('interrupted: the boards that were not finished are as they were\n');
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

function chooseScopes(boardSet: BoardSet, { board, season }: RebuildCommandOptions): readonly BoardSeason[] {
  const seasonIds = boardSet.calendar.seasons.map(({ seasonId }) => seasonId);
  const boardIds = boardSet.boards.map(({ boardId }) => boardId);
  if (board === undefined) {
    throw new StartRefusedError(`rebuild needs --board with one of ${boardIds.join(', ')}, or --board ${ALL_BOARDS}`);
  }
  const seasonId = season ?? currentSeason(boardSet.calendar, Date.now()).seasonId;
  checkName('season', seasonId, seasonIds);
  if (board !== ALL_BOARDS) checkName('board', board, boardIds);
  return new BoardSeasons(boardSet).all.filter(
    ({ tag }) => tag.seasonId === seasonId && (board === ALL_BOARDS || tag.boardId === board),
  );
}

function checkName(what: string, name: string, names: readonly string[]): void {
  if (names.includes(name)) return;
  throw new StartRefusedError(
    `${what} "${name}" is not in the boards file (did you mean ${nearestName(name, names)}?)`,
  );
}

async function openRedis(config: Config, lifecycle: Lifecycle, logger: Logger): Promise<RedisRanking> {
  const { stores, redisPrefix: prefix, dedupMs } = config;
  if (stores.kind !== 'full') {
    throw new StartRefusedError(
      'without RANKCAST_REDIS_URL the ranking is in the memory of the server, which rebuilds it at each start: ' +
        'restart the server instead',
    );
  }
  const ranking = await lifecycle.start(
    'ranking in Redis',
    () => new RedisRanking({ url: stores.redisUrl, prefix, logger, dedupMs }),
    (started) => started.close(),
  );
  await ranking.check();
  return ranking;
}
