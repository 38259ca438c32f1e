/**
 * `npm run bench -- rebuild`: a board filled anew from truth beside the one that is shown, with nothing else running: rows of
 * truth a second, entries a second, and how long PostgreSQL works before the first entry comes; from all rows, and from the
 * checkpoint, of which the first advance is told apart. Servers of its own; rounds alternate, figures are their medians.
 * `--lists 3` also ranks the day and the week.
 */

import { cpus } from 'node:os';
import { pino } from 'pino';
import { defaultBoard, loadBoards } from '../../src/boards.js';
import { boardSeason } from '../../src/domain/board-season.js';
import { currentSeason } from '../../src/domain/season.js';
import { MAX_FILL_CHUNK } from '../../src/ranking/ranking.js';
import { RedisRanking } from '../../src/ranking/redis-ranking.js';
import { rebuildTag } from '../../src/rebuild/rebuild-tag.js';
import { TruthSnapshots } from '../../src/truth/truth-snapshot.js';
import { startRedisServer } from '../../test/stack/redis-server.js';
import { parseOptions, readNumber, readRule } from '../lib/option-values.js';
import { PastResults } from '../lib/past-results.js';
import { median, printFigures, progress } from '../lib/report.js';
import { startBenchDatabase } from './bench-database.js';

const DEFAULTS = { rows: '2000000', players: '500000', days: '30', rounds: '5', rule: 'best', lists: '1' };
/** Where a total of rule sum stops: 21 bits, as the points of the built-in board. */
const MAX_TOTAL = 2_097_151;

interface Round {
  readonly seconds: number;
  /** Until the first chunk was loaded: what PostgreSQL needs for the fold. */
  readonly foldSeconds: number;
  readonly entries: number;
}

export async function benchRebuild(args: readonly string[], interrupted: AbortSignal): Promise<void> {
  const values = parseOptions(args, DEFAULTS);
  const rows = readNumber('rows', values.rows, { min: 1, max: 1_000_000_000 });
  const players = readNumber('players', values.players, { min: 1, max: rows });
  const days = readNumber('days', values.days, { min: 1, max: 366 });
  const rounds = readNumber('rounds', values.rounds, { min: 1, max: 100 });
  const hasPeriods = readNumber('lists', values.lists, { min: 1, max: 3 }) === 3;
  const rule = readRule(values.rule);

  const boardSet = loadBoards();
  const season = currentSeason(boardSet.calendar, Date.now());
  const board = {
    ...defaultBoard(boardSet),
    rule,
    maxTotal: rule === 'sum' ? MAX_TOTAL : null,
    periods: hasPeriods ? (['day', 'week'] as const) : [],
  };
  const scope = boardSeason(boardSet, board, season);
  const [mode = ''] = board.modes;
  const past = new PastResults({ rows, players, mode, days, now: Date.now(), seasonStartsAt: season.startsAt });

  const database = await startBenchDatabase();
  const redis = await startRedisServer();
  const ranking = new RedisRanking({ url: redis.url, prefix: 'bench', logger: pino({ level: 'warn' }) });
  try {
    await past.seed(database.pool, database.schema, interrupted);
    const fromRows = new TruthSnapshots(database.pool);
    const fromCheckpoint = new TruthSnapshots(database.pool, Date.now, 'checkpoint');
    const rebuild = async (truth: TruthSnapshots): Promise<Round> => {
      const startedAt = performance.now();
      let foldSeconds = Number.NaN;
      const { entries } = await rebuildTag(scope, {
        truth,
        target: ranking,
        maxFillChunk: MAX_FILL_CHUNK,
        signal: interrupted,
        report: (told) => {
          if (told.phase === 'loading' && told.entries > 0 && Number.isNaN(foldSeconds)) foldSeconds = since(startedAt);
        },
      });
      return { seconds: since(startedAt), foldSeconds, entries };
    };
    // The first one fills an empty store; the others replace a board, as a rebuild does.
    await rebuild(fromRows);
    const firstCheckpoint = await rebuild(fromCheckpoint);
    const measured: Round[] = [];
    const copied: Round[] = [];
    for (let round = 1; round <= rounds; round++) {
      const one = await rebuild(fromRows);
      const copy = await rebuild(fromCheckpoint);
      measured.push(one);
      copied.push(copy);
      const [raw, kept] = [one.seconds.toFixed(2), copy.seconds.toFixed(2)];
      progress(`round ${round}: ${one.entries} entries in ${raw} s, from the checkpoint in ${kept} s`);
    }
    const seconds = median(measured.map((one) => one.seconds));
    const entries = measured[0]?.entries ?? Number.NaN;
    printFigures({
      rows,
      players,
      days,
      rule,
      lists: hasPeriods ? 3 : 1,
      rounds,
      entries,
      rebuild_s: seconds,
      fold_s: median(measured.map((one) => one.foldSeconds)),
      first_checkpoint_s: firstCheckpoint.seconds,
      checkpoint_rebuild_s: median(copied.map((one) => one.seconds)),
      checkpoint_first_entry_s: median(copied.map((one) => one.foldSeconds)),
      truth_rows_per_s: Math.round(rows / seconds),
      entries_per_s: Math.round(entries / seconds),
      redis: redis.version,
      postgres: database.version,
      node: process.version,
      cores: cpus().length,
      cpu: cpus()[0]?.model ?? 'unknown',
    });
  } finally {
    await ranking.close();
    await redis.stop();
    await database.remove();
  }
}

function since(startedAt: number): number {
  return (performance.now() - startedAt) / 1_000;
}
