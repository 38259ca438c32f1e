/** SQL for rows of match_results: which copies of an identity are there, and inserting new ones. */

import type { PoolClient } from 'pg';
import { parseSafeInteger } from '../domain/safe-integer.js';
import type { TruthRow } from '../domain/truth-batch.js';
import { utcDay } from './day-partitions.js';
import { ALL_DAYS, type DayRange, readDays } from './day-windows.js';
import { contentOf, type Identity, identityOf, type ResultContent } from './result-content.js';

/** A copy of an identity that is kept, as it came, whatever was corrected since, and where it came from. */
export interface HeldCopy extends ResultContent {
  readonly source: string;
  readonly partition: number;
}

/** The primary key of match_results. */
export interface RowKey extends Identity {
  /** UTC day of `achievedAt`. */
  readonly day: string;
}

export interface SourcedRow {
  readonly source: string;
  readonly partition: number;
  readonly row: TruthRow;
}

interface CopyRow {
  readonly match_id: string;
  readonly player_id: string;
  readonly mode: string;
  readonly points: string;
  readonly fields: Record<string, number> | null;
  readonly achieved_ms: string;
  readonly scopes: Record<string, string>;
  readonly source: string;
  readonly source_partition: number;
}

/** The copies of each identity that are kept on these days, the one that came first before the others. */
export async function findCopies(
  client: PoolClient,
  identities: readonly Identity[],
  days: DayRange,
): Promise<Map<string, HeldCopy[]>> {
  return byIdentity(await readCopies(client, identities, days));
}

/** All copies that are kept of each identity, on whatever day. */
export async function findAllCopies(
  client: PoolClient,
  identities: readonly Identity[],
): Promise<Map<string, HeldCopy[]>> {
  return byIdentity(await readDays(client, ALL_DAYS, (days) => readCopies(client, identities, days)));
}

async function readCopies(
  client: PoolClient,
  identities: readonly Identity[],
  { from, to }: DayRange,
): Promise<CopyRow[]> {
  const asked = [...new Map(identities.map((identity) => [identityOf(identity), identity])).values()];
  const { rows } = await client.query<CopyRow>(
    `SELECT held.match_id, held.player_id, held.mode, held.points::text, held.scopes, held.source, held.source_partition,
            coalesce(held.original_fields, held.fields) AS fields,
            floor(extract(epoch FROM held.achieved_at) * 1000)::bigint::text AS achieved_ms
       FROM unnest($1::text[], $2::text[]) AS asked (match_id, player_id)
       JOIN match_results held ON held.match_id = asked.match_id AND held.player_id = asked.player_id
      WHERE held.day BETWEEN $3::date AND $4::date
      ORDER BY held.broker_at, held.source_offset`,
    [asked.map(({ matchId }) => matchId), asked.map(({ playerId }) => playerId), from, to],
  );
  return rows;
}

function byIdentity(rows: readonly CopyRow[]): Map<string, HeldCopy[]> {
  const copies = new Map<string, HeldCopy[]>();
  for (const row of rows) {
    const identity = identityOf({ matchId: row.match_id, playerId: row.player_id });
    const known = copies.get(identity);
    if (known === undefined) copies.set(identity, [toCopy(row)]);
    else known.push(toCopy(row));
  }
  return copies;
}

function toCopy(row: CopyRow): HeldCopy {
  return {
    mode: row.mode,
    points: parseSafeInteger(row.points, 'match_results.points'),
    fields: row.fields === null ? null : readFields(row.fields),
    achievedAt: parseSafeInteger(row.achieved_ms, 'match_results.achieved_at'),
    scopes: row.scopes,
    source: row.source,
    partition: row.source_partition,
  };
}

/** Where the copies of an identity lie. */
export function rowKeysOf({ matchId, playerId }: Identity, copies: readonly HeldCopy[]): RowKey[] {
  return copies.map(({ achievedAt }) => ({ matchId, playerId, day: utcDay(achievedAt) }));
}

/** The days of the rows whose identity is one of these: a statement that names them locks no other day. */
export function daysOfRows(keys: readonly RowKey[], identities: ReadonlySet<string>): string[] {
  return [...new Set(keys.filter((key) => identities.has(identityOf(key))).map(({ day }) => day))];
}

function readFields(fields: Readonly<Record<string, number>>): Record<string, number> {
  const checked = Object.entries(fields).map(([name, value]): [string, number] => [
    name,
    parseSafeInteger(String(value), `match_results.fields.${name}`),
  ]);
  return Object.fromEntries(checked);
}

/** Answers the identities that this call inserted; the others were there, written by another process a moment ago. */
export async function insertRows(client: PoolClient, rows: readonly SourcedRow[]): Promise<Set<string>> {
  const contents = rows.map(({ row }) => contentOf(row.result));
  const { rows: inserted } = await client.query<{ match_id: string; player_id: string }>(
    `INSERT INTO match_results (match_id, player_id, mode, points, fields, scopes, achieved_at, day,
                                source, source_partition, source_offset, broker_at)
      SELECT match_id, player_id, mode, points, fields, scopes, achieved_at, day, source, partition, "offset", broker_at
        FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::jsonb[], $6::jsonb[], $7::timestamptz[],
                    $8::date[], $9::text[], $10::int[], $11::bigint[], $12::timestamptz[])
          AS incoming (match_id, player_id, mode, points, fields, scopes, achieved_at, day,
                       source, partition, "offset", broker_at)
      ON CONFLICT DO NOTHING
      RETURNING match_id, player_id`,
    [
      rows.map(({ row }) => row.result.matchId),
      rows.map(({ row }) => row.result.playerId),
      contents.map(({ mode }) => mode),
      contents.map(({ points }) => points),
      contents.map(({ fields }) => (fields === null ? null : JSON.stringify(fields))),
      contents.map(({ scopes }) => JSON.stringify(scopes)),
      contents.map(({ achievedAt }) => new Date(achievedAt).toISOString()),
      contents.map(({ achievedAt }) => utcDay(achievedAt)),
      rows.map(({ source }) => source),
      rows.map(({ partition }) => partition),
      rows.map(({ row }) => row.offset),
      rows.map(({ row }) => new Date(row.brokerAt).toISOString()),
    ],
  );
  return new Set(inserted.map((row) => identityOf({ matchId: row.match_id, playerId: row.player_id })));
}
