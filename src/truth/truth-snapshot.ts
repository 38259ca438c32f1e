/** What a fill reads: positions and the folded packed score of every player of a tag, all of one moment. */

import { randomInt } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import type { FillEntry } from '../domain/fill-entry.js';
import type { Position } from '../domain/log-record.js';
import { parseSafeInteger } from '../domain/safe-integer.js';
import { type FoldedRow, type FoldScope, packedScores } from './fold-scores.js';
import { patientQuery } from './patient-query.js';
import { readAllPositions } from './source-positions.js';
import { toStoreError } from './store-errors.js';

/** Which rows of truth a tag ranks, and how. */
export interface FillScope extends FoldScope {
  /** Names the lock: two processes never fill the same tag. */
  readonly tagName: string;
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
        const { rows } = await this.client.query<FoldedRow>(fetch);
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
