/** Looks one result up, for whoever asks what became of it. */

import type { Pool, PoolClient } from 'pg';
import type { KeptResult } from '../domain/kept-result.js';
import { parseSafeInteger } from '../domain/safe-integer.js';
import { ALL_DAYS, readDays } from './day-windows.js';
import type { Identity } from './result-content.js';
import { inTransaction } from './transaction.js';

interface KeptRow {
  readonly mode: string;
  readonly points: string;
  readonly fields: Record<string, number> | null;
  readonly achieved_ms: string;
  readonly broker_ms: string;
  readonly scopes: Record<string, string>;
  readonly voided_ms: string | null;
  readonly corrected_ms: string | null;
  readonly source: string;
  readonly source_partition: number;
  readonly source_offset: string;
}

export class Receipts {
  constructor(private readonly pool: Pool) {}

  /**
   * The result of the match for the player, `null` where there is none: a look-up in the key of each day, the latest first,
   * that ends where it is found. Truth keeps no second copy within the allowed lateness; ids that were used again after
   * longer name another result, and the one achieved last is answered. Throws `StoreUnavailableError`.
   */
  async find(matchId: string, playerId: string): Promise<KeptResult | null> {
    const [row] = await inTransaction(
      this.pool,
      (client) =>
        readDays(
          client,
          ALL_DAYS,
          ({ from, to }) => readLast(client, { matchId, playerId }, from, to),
          (found) => found.length > 0,
        ),
      'ISOLATION LEVEL REPEATABLE READ READ ONLY',
    );
    return row === undefined ? null : toResult(row);
  }
}

async function readLast(client: PoolClient, { matchId, playerId }: Identity, from: string, to: string) {
  const { rows } = await client.query<KeptRow>(
    `SELECT mode, points::text, fields, scopes, source, source_partition, source_offset::text,
            ${milliseconds('achieved_at')} AS achieved_ms, ${milliseconds('broker_at')} AS broker_ms,
            ${milliseconds('voided_at')} AS voided_ms, ${milliseconds('corrected_at')} AS corrected_ms
       FROM match_results
      WHERE match_id = $1 AND player_id = $2 AND day BETWEEN $3::date AND $4::date
      ORDER BY day DESC LIMIT 1`,
    [matchId, playerId, from, to],
  );
  return rows;
}

function milliseconds(column: string): string {
  return `floor(extract(epoch FROM ${column}) * 1000)::bigint::text`;
}

function toResult(row: KeptRow): KeptResult {
  return {
    mode: row.mode,
    fields: row.fields ?? { points: parseSafeInteger(row.points, 'match_results.points') },
    achievedAt: parseSafeInteger(row.achieved_ms, 'match_results.achieved_at'),
    scopes: row.scopes,
    brokerAt: parseSafeInteger(row.broker_ms, 'match_results.broker_at'),
    voidedAt: row.voided_ms === null ? null : parseSafeInteger(row.voided_ms, 'match_results.voided_at'),
    correctedAt: row.corrected_ms === null ? null : parseSafeInteger(row.corrected_ms, 'match_results.corrected_at'),
    source: row.source,
    partition: row.source_partition,
    offset: parseSafeInteger(row.source_offset, 'match_results.source_offset'),
  };
}
