/**
 * `npm run bench -- truth`: results written to PostgreSQL in batches as the truth group writes them, one transaction after
 * another, beside days that hold results already; results a second, and what one takes on disk and in the write-ahead log.
 */

import { cpus } from 'node:os';
import { defaultBoard, loadBoards } from '../../src/boards.js';
import { currentSeason } from '../../src/domain/season.js';
import type { TruthBatch, TruthRow } from '../../src/domain/truth-batch.js';
import { utcDay } from '../../src/truth/day-partitions.js';
import { MatchResultsPostgres } from '../../src/truth/match-results-postgres.js';
import { parseOptions, readNumber } from '../lib/option-values.js';
import { PAST_POINTS_SPAN, PastResults, playerIdOf } from '../lib/past-results.js';
import { median, printFigures, progress } from '../lib/report.js';
import { seededRandom } from '../lib/zipf.js';
import { startBenchDatabase } from './bench-database.js';
import { readTableBytes, readWalBytes } from './table-bytes.js';

const DEFAULTS = { rows: '500000', past: '1000000', players: '500000', rounds: '5', seed: '1' };
const SOURCE = 'match-results';
/** What the truth group gathers at most, and the partitions of a topic by default. */
const ROWS_PER_TRANSACTION = 5_000;
const PARTITIONS = 12;
const DAY_MS = 86_400_000;

export async function benchTruth(args: readonly string[], interrupted: AbortSignal): Promise<void> {
  const values = parseOptions(args, DEFAULTS);
  const rows = readNumber('rows', values.rows, { min: 1, max: 50_000_000 });
  const past = readNumber('past', values.past, { min: 0, max: 100_000_000 });
  const players = readNumber('players', values.players, { min: 1, max: 100_000_000 });
  const rounds = readNumber('rounds', values.rounds, { min: 1, max: 100 });
  const seed = readNumber('seed', values.seed, { min: 0, max: 2 ** 32 - 1 });

  const boardSet = loadBoards();
  const now = Date.now();
  const { startsAt: seasonStartsAt, seasonId } = currentSeason(boardSet.calendar, now);
  const [mode = ''] = defaultBoard(boardSet).modes;
  // Copies are looked for on all of these days.
  const days = Math.ceil(boardSet.maxLatenessMs / DAY_MS);
  const database = await startBenchDatabase();
  try {
    const { pool, schema } = database;
    await new PastResults({ rows: past, players, mode, days, now, seasonStartsAt }).seed(pool, schema, interrupted);
    const results = new MatchResultsPostgres({
      pool,
      maxLatenessMs: boardSet.maxLatenessMs,
      calendar: boardSet.calendar,
    });
    const load = new TruthLoad({ rows, players, mode, seasonId, now, random: seededRandom(seed) });
    const walFrom = await readWalBytes(pool);
    const perSecond: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      interrupted.throwIfAborted();
      const until = Math.round((rows * round) / rounds);
      perSecond.push(await writeUntil(until, load, results));
      progress(`round ${round}: ${Math.round(perSecond.at(-1) ?? 0)} results/s, ${until} of ${rows} written`);
    }
    const wal = (await readWalBytes(pool)) - walFrom;
    const bytes = await readTableBytes(pool, `match_results_${utcDay(now).replaceAll('-', '')}`);
    printFigures({
      rows,
      past,
      players,
      rounds,
      rows_per_transaction: ROWS_PER_TRANSACTION,
      results_per_s: Math.round(median(perSecond)),
      heap_bytes_per_result: bytes.heap / rows,
      primary_key_bytes_per_result: bytes.primaryKey / rows,
      other_indexes_bytes_per_result: bytes.otherIndexes / rows,
      toast_bytes_per_result: bytes.toast / rows,
      total_bytes_per_result: (bytes.heap + bytes.primaryKey + bytes.otherIndexes + bytes.toast) / rows,
      wal_bytes_per_result: wal / rows,
      postgres: database.version,
      node: process.version,
      cores: cpus().length,
      cpu: cpus()[0]?.model ?? 'unknown',
    });
  } finally {
    await database.remove();
  }
}

/** Only the writes are timed. Answers results a second. */
async function writeUntil(until: number, load: TruthLoad, results: MatchResultsPostgres): Promise<number> {
  const from = load.made;
  let ms = 0;
  while (load.made < until) {
    const batches = load.makeBatches(Math.min(ROWS_PER_TRANSACTION, until - load.made));
    const startedAt = performance.now();
    const replies = await results.write(batches);
    ms += performance.now() - startedAt;
    const inserted = replies.reduce((sum, reply) => sum + (reply.kind === 'written' ? reply.inserted : 0), 0);
    const sent = batches.reduce((sum, { rows }) => sum + rows.length, 0);
    if (inserted !== sent) throw new Error(`PostgreSQL took ${inserted} of ${sent} results`);
  }
  return ((load.made - from) * 1_000) / ms;
}

interface TruthLoadOptions {
  readonly rows: number;
  readonly players: number;
  readonly mode: string;
  readonly seasonId: string;
  readonly now: number;
  readonly random: () => number;
}

/** Results of one day, in the order of time, spread over the partitions of a topic. */
class TruthLoad {
  private readonly options: TruthLoadOptions;
  private readonly dayStartsAt: number;
  private readonly next = new Array<number>(PARTITIONS).fill(0);
  made = 0;

  constructor(options: TruthLoadOptions) {
    this.options = options;
    this.dayStartsAt = Math.floor(options.now / DAY_MS) * DAY_MS;
  }

  makeBatches(count: number): TruthBatch[] {
    const rows: TruthRow[][] = Array.from({ length: PARTITIONS }, () => []);
    for (let i = 0; i < count; i++) {
      const partition = this.made % PARTITIONS;
      rows[partition]?.push(this.makeRow((this.next[partition] ?? 0) + (rows[partition]?.length ?? 0)));
    }
    return rows.map((those, partition) => {
      const from = this.next[partition] ?? 0;
      const to = from + those.length;
      this.next[partition] = to;
      return { source: SOURCE, partition, from, to, rows: those };
    });
  }

  private makeRow(offset: number): TruthRow {
    const { rows, players, mode, seasonId, random } = this.options;
    const achievedAt = this.dayStartsAt + Math.floor((this.made * DAY_MS) / rows);
    const playerId = playerIdOf(Math.floor(random() * players));
    const fields = { points: Math.floor(random() * PAST_POINTS_SPAN) };
    const result = { matchId: this.matchId(achievedAt), playerId, mode, fields, achievedAt, scopes: {}, seasonId };
    this.made += 1;
    return { result, offset, brokerAt: achievedAt + 20 };
  }

  /** A UUID of version 7: it begins with the time, and the rest is random. */
  private matchId(at: number): string {
    const time = at.toString(16).padStart(12, '0');
    const random = (bits: number): string => {
      const value = Math.floor(this.options.random() * 2 ** bits);
      return value.toString(16).padStart(bits / 4, '0');
    };
    return `${time.slice(0, 8)}-${time.slice(8)}-7${random(12)}-8${random(12)}-${random(24)}${random(24)}`;
  }
}
