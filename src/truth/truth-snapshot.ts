/** What a fill reads: positions and the best packed score of every player of a tag, all of one moment. */

import { randomInt } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import type { FillEntry } from '../domain/fill-entry.js';
import type { Position } from '../domain/log-record.js';
import type { ScoreLayout } from '../domain/packed-score.js';
import { parseSafeInteger } from '../domain/safe-integer.js';
import type { Season } from '../domain/season.js';
import { utcDay } from './day-partitions.js';
import { patientQuery } from './patient-query.js';
import { readAllPositions } from './source-positions.js';
import { toStoreError } from './store-errors.js';

/** Which rows of truth a tag ranks, and how their scores are packed. */
export interface FillScope {
  /** Names the lock: two processes never fill the same tag. */
  readonly tagName: string;
  readonly modes: readonly string[];
  readonly season: Season;
  readonly layout: ScoreLayout;
}

export interface TruthSnapshot {
  readonly positions: readonly Position[];
  /** Chunks of at most `chunkSize`, in no order; to be read once. */
  chunks(chunkSize: number): AsyncIterable<readonly FillEntry[]>;
  /** Ends the transaction and gives up the tag's lock; safe in every state. */
  close(): Promise<void>;
}

/** The first chunk waits for the whole aggregate, and a season may hold hundreds of millions of rows. */
const FILL_TIMEOUT_MS = 3_600_000;

export class TruthSnapshots {
  constructor(private readonly pool: Pool) {}

  /** `null` while another process holds the tag's lock. Holds one connection until `close`. */
  async open(scope: FillScope): Promise<TruthSnapshot | null> {
    const client = await this.pool.connect().catch((error: unknown) => {
      throw toStoreError(error);
    });
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      await client.query(`SET LOCAL statement_timeout = ${FILL_TIMEOUT_MS}`);
      // Positions and rows share the one snapshot of this first statement, taken just before the lock is: what the lock's
      // last holder did meanwhile may be missing in it. Harmless: the log is read on from these same positions.
      const { rows } = await client.query<{ locked: boolean }>(
        `SELECT pg_try_advisory_xact_lock(hashtextextended('rankcast:fill:' || current_schema() || ':' || $1, 0)) AS locked`,
        [scope.tagName],
      );
      if (rows[0]?.locked !== true) {
        await client.query('ROLLBACK');
        client.release();
        return null;
      }
      return new OpenSnapshot(client, scope, await readAllPositions(client));
    } catch (error) {
      client.release(true);
      throw toStoreError(error);
    }
  }
}

class OpenSnapshot implements TruthSnapshot {
  private isOpen = true;

  constructor(
    private readonly client: PoolClient,
    private readonly scope: FillScope,
    readonly positions: readonly Position[],
  ) {}

  async *chunks(chunkSize: number): AsyncIterable<readonly FillEntry[]> {
    const cursor = `fill_${randomInt(2 ** 47)}`;
    const { text, values } = packedScores(this.scope);
    try {
      await this.client.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${text}`, [...values]);
      for (;;) {
        const fetch = patientQuery(FILL_TIMEOUT_MS, `FETCH ${chunkSize} FROM ${cursor}`);
        const { rows } = await this.client.query<{ player_id: string; score: string }>(fetch);
        if (rows.length === 0) return;
        yield rows.map((row) => ({ playerId: row.player_id, score: parseSafeInteger(row.score, 'packed score') }));
      }
    } catch (error) {
      throw toStoreError(error);
    }
  }

  async close(): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    const isClean = await this.client.query('ROLLBACK').then(
      () => true,
      () => false,
    );
    this.client.release(!isClean);
  }
}

/** The packed score in SQL, the twin of `packScore`; rule `best` is `max`. Scores cross as text, exact to the last bit. */
export function packedScores(scope: FillScope): { readonly text: string; readonly values: readonly unknown[] } {
  const { layout, season } = scope;
  const text = `
    SELECT player_id,
           max(points * $1::bigint + $2::bigint
               - (floor(extract(epoch FROM achieved_at) * 1000)::bigint - $3::bigint) / $4::bigint)::text AS score
      FROM match_results
     WHERE mode = ANY ($5::text[])
       AND achieved_at >= $6::timestamptz AND achieved_at < $7::timestamptz
       AND day BETWEEN $8::date AND $9::date
       AND points BETWEEN 0 AND $10::bigint
       AND voided_at IS NULL
     GROUP BY player_id`;
  const values = [
    2 ** layout.timeBits,
    layout.maxTime,
    layout.startsAt,
    layout.unitMs,
    scope.modes,
    new Date(season.startsAt).toISOString(),
    new Date(season.endsAt).toISOString(),
    utcDay(season.startsAt),
    utcDay(season.endsAt),
    layout.maxPoints,
  ];
  return { text, values };
}
