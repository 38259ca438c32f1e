/** SQL for rows of match_results: which copies of an identity are there, and inserting new ones. */

import type { PoolClient } from 'pg';
import type { Result } from '../domain/result.js';
import { parseSafeInteger } from '../domain/safe-integer.js';
import type { TruthRow } from '../domain/truth-batch.js';
import { DAY_MS, utcDay } from './day-partitions.js';

/** What two copies of one identity must agree on. */
export interface ResultContent {
  readonly mode: string;
  readonly points: number;
  readonly achievedAt: number;
  readonly scopes: Readonly<Record<string, string>>;
}

export interface SourcedRow {
  readonly source: string;
  readonly partition: number;
  readonly row: TruthRow;
}

/** Control characters cannot be in ids, so this names an identity. */
export function identityOf(result: Pick<Result, 'matchId' | 'playerId'>): string {
  return `${result.matchId}\n${result.playerId}`;
}

/** `undefined` where the contents agree, else what differs, for the person who reads the dead letter. */
export function differenceOf(kept: ResultContent, incoming: ResultContent): string | undefined {
  if (kept.mode !== incoming.mode) return `mode ${incoming.mode} instead of ${kept.mode}`;
  if (kept.points !== incoming.points) return `points ${incoming.points} instead of ${kept.points}`;
  if (kept.achievedAt !== incoming.achievedAt) {
    return `achievedAt ${new Date(incoming.achievedAt).toISOString()} instead of ${new Date(kept.achievedAt).toISOString()}`;
  }
  return scopesText(kept.scopes) === scopesText(incoming.scopes) ? undefined : 'other scopes';
}

function scopesText(scopes: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(scopes).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(sorted);
}

interface CopyRow {
  readonly match_id: string;
  readonly player_id: string;
  readonly mode: string;
  readonly points: string;
  readonly achieved_ms: string;
  readonly scopes: Record<string, string>;
}

/** The first copy of each identity, on its own day or any other within `maxLatenessMs`. */
export async function findCopies(
  client: PoolClient,
  results: readonly Result[],
  maxLatenessMs: number,
): Promise<Map<string, ResultContent>> {
  const instants = results.map(({ achievedAt }) => achievedAt);
  const earliest = instants.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const latest = instants.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  // A day more on both sides: clocks of game servers may run ahead.
  const reachMs = maxLatenessMs + DAY_MS;
  const { rows } = await client.query<CopyRow>(
    `SELECT held.match_id, held.player_id, held.mode, held.points::text, held.scopes,
            floor(extract(epoch FROM held.achieved_at) * 1000)::bigint::text AS achieved_ms
       FROM unnest($1::text[], $2::text[]) AS asked (match_id, player_id)
       JOIN match_results held ON held.match_id = asked.match_id AND held.player_id = asked.player_id
      WHERE held.day BETWEEN $3::date AND $4::date
      ORDER BY held.broker_at DESC, held.source_offset DESC`,
    [
      results.map(({ matchId }) => matchId),
      results.map(({ playerId }) => playerId),
      utcDay(earliest - reachMs),
      utcDay(latest + reachMs),
    ],
  );
  // Descending, so that the earliest copy is set last.
  return new Map(
    rows.map((row) => [
      identityOf({ matchId: row.match_id, playerId: row.player_id }),
      {
        mode: row.mode,
        points: parseSafeInteger(row.points, 'match_results.points'),
        achievedAt: parseSafeInteger(row.achieved_ms, 'match_results.achieved_at'),
        scopes: row.scopes,
      },
    ]),
  );
}

/** Answers the identities that this call inserted; the others were there, written by another process a moment ago. */
export async function insertRows(client: PoolClient, rows: readonly SourcedRow[]): Promise<Set<string>> {
  const { rows: inserted } = await client.query<{ match_id: string; player_id: string }>(
    `INSERT INTO match_results (match_id, player_id, mode, points, scopes, achieved_at, day,
                                source, source_partition, source_offset, broker_at)
      SELECT match_id, player_id, mode, points, scopes, achieved_at, day, source, partition, "offset", broker_at
        FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::jsonb[], $6::timestamptz[], $7::date[],
                    $8::text[], $9::int[], $10::bigint[], $11::timestamptz[])
          AS incoming (match_id, player_id, mode, points, scopes, achieved_at, day, source, partition, "offset", broker_at)
      ON CONFLICT DO NOTHING
      RETURNING match_id, player_id`,
    [
      rows.map(({ row }) => row.result.matchId),
      rows.map(({ row }) => row.result.playerId),
      rows.map(({ row }) => row.result.mode),
      rows.map(({ row }) => row.result.points),
      rows.map(({ row }) => JSON.stringify(row.result.scopes)),
      rows.map(({ row }) => new Date(row.result.achievedAt).toISOString()),
      rows.map(({ row }) => utcDay(row.result.achievedAt)),
      rows.map(({ source }) => source),
      rows.map(({ partition }) => partition),
      rows.map(({ row }) => row.offset),
      rows.map(({ row }) => new Date(row.brokerAt).toISOString()),
    ],
  );
  return new Set(inserted.map((row) => identityOf({ matchId: row.match_id, playerId: row.player_id })));
}
