/**
 * Results of the past: computed from their number alike in SQL and here, so that millions are in the database within
 * seconds and the reckoning knows each without reading it there.
 */

import type { Pool } from 'pg';
import { pino } from 'pino';
import { DayPartitions, utcDay } from '../../src/truth/day-partitions.js';
import { migrate } from '../../src/truth/migrate.js';
import { progress } from './report.js';
import type { PlayedResult } from './standings.js';

/** A log of their own: the topic's begins at 0, and a board takes note of both. */
export const PAST_SOURCE = 'past';
const PARTITION = 0;
const CHUNK_ROWS = 200_000;
const DAY_MS = 86_400_000;
/** Mixes numbers up to points; the product of the two stays below 2^53 for 10^11 rows. */
const FACTOR = 48_271;
const MODULUS = 2_147_483_647;
/** Where points lie; with half a million players some five share each. */
export const PAST_POINTS_SPAN = 100_000;

export interface PastOptions {
  readonly rows: number;
  /** All have the same number of results, give or take one. */
  readonly players: number;
  readonly mode: string;
  /** Over how many days they are spread. */
  readonly days: number;
  /** Where they end at the latest, epoch milliseconds: the last one lies before that UTC day. */
  readonly now: number;
  /** They are not before it, epoch milliseconds. */
  readonly seasonStartsAt: number;
}

/** In the order of time, which is the order of their number. */
export class PastResults implements Iterable<PlayedResult> {
  private readonly options: PastOptions;
  private readonly fromMs: number;
  private readonly stepMs: number;
  /** One past the last of their days: what comes later is on other days. */
  readonly endsAt: number;

  /** Throws RangeError where the days hold less milliseconds than there are results. */
  constructor(options: PastOptions) {
    const { rows, days, now, seasonStartsAt } = options;
    this.options = options;
    this.endsAt = Math.floor(now / DAY_MS) * DAY_MS;
    this.fromMs = Math.max(this.endsAt - days * DAY_MS, seasonStartsAt);
    this.stepMs = Math.floor((this.endsAt - this.fromMs) / Math.max(rows, 1));
    if (this.stepMs < 1) throw new RangeError(`${rows} results do not fit in the ${days} days before today`);
  }

  *[Symbol.iterator](): Iterator<PlayedResult> {
    for (let number = 0; number < this.options.rows; number++) yield this.resultOf(number);
  }

  resultOf(number: number): PlayedResult {
    return {
      playerId: playerIdOf(number % this.options.players),
      points: 1 + (((number * FACTOR) % MODULUS) % PAST_POINTS_SPAN),
      achievedAt: this.fromMs + number * this.stepMs,
    };
  }

  /** Brings the database to the newest schema, and writes them as truth would have, with their log's position. */
  async seed(pool: Pool, schema: string, interrupted?: AbortSignal): Promise<void> {
    await migrate({ pool, schema, logger: pino({ level: 'silent' }) });
    await new DayPartitions(pool).ensure(this.days());
    const { rows, players, mode } = this.options;
    for (let from = 0; from < rows; from += CHUNK_ROWS) {
      interrupted?.throwIfAborted();
      const to = Math.min(from + CHUNK_ROWS, rows);
      await pool.query(SEED, [from, to - 1, players, mode, this.fromMs, this.stepMs]);
      progress(`${to} of ${rows} past results written`);
    }
    await pool.query('INSERT INTO source_position (source, partition, next) VALUES ($1, $2, $3)', [
      PAST_SOURCE,
      PARTITION,
      rows,
    ]);
    // What a database that is months old has done by itself.
    await pool.query('VACUUM (ANALYZE) match_results');
  }

  private *days(): Iterable<string> {
    for (let day = Math.floor(this.fromMs / DAY_MS) * DAY_MS; day < this.endsAt; day += DAY_MS) yield utcDay(day);
  }
}

export function playerIdOf(index: number): string {
  return `player-${index}`;
}

/** The twin of `resultOf`. The match's id has the form of a UUID of version 7: it begins with the time. */
const SEED = `
  INSERT INTO match_results (match_id, player_id, mode, points, fields, scopes, achieved_at, day,
                             source, source_partition, source_offset, broker_at)
  SELECT left(ms, 8) || '-' || right(ms, 4) || '-7000-8000-' || lpad(to_hex(number), 12, '0'),
         'player-' || number % $3::bigint, $4, points, null, '{}', achieved_at, (achieved_at AT TIME ZONE 'UTC')::date,
         '${PAST_SOURCE}', ${PARTITION}, number, achieved_at + interval '20 ms'
    FROM (SELECT number, 1 + number * ${FACTOR} % ${MODULUS} % ${PAST_POINTS_SPAN} AS points,
                 lpad(to_hex($5::bigint + number * $6::bigint), 12, '0') AS ms,
                 to_timestamp(($5::bigint + number * $6::bigint) / 1000.0) AS achieved_at
            FROM generate_series($1::bigint, $2::bigint) AS number) AS past
   ORDER BY number`;
