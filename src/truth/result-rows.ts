/** SQL for rows of match_results: which copies of an identity are there, and inserting new ones. */

import type { PoolClient } from 'pg';
import type { Result } from '../domain/result.js';
import { parseSafeInteger } from '../domain/safe-integer.js';
import type { TruthRow } from '../domain/truth-batch.js';
import { DAY_MS, utcDay } from './day-partitions.js';

/** What two copies of one identity must agree on, as the columns hold it. */
export interface ResultContent {
  readonly mode: string;
  /** The value of the mode's first field. */
  readonly points: number;
  /** All values by name; `null` where the only one is called points, which is nearly every row of nearly every game. */
  readonly fields: Readonly<Record<string, number>> | null;
  readonly achievedAt: number;
  readonly scopes: Readonly<Record<string, string>>;
}

/** The copy of an identity that is kept, and where it came from. */
export interface HeldCopy extends ResultContent {
  readonly source: string;
  readonly partition: number;
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

/** How a result is stored: see `ResultContent`. */
export function contentOf({ mode, fields, achievedAt, scopes }: Result): ResultContent {
  const [[name, points] = [], ...others] = Object.entries(fields);
  if (points === undefined) throw new RangeError('a judged result has at least one field');
  return { mode, points, fields: name === 'points' && others.length === 0 ? null : fields, achievedAt, scopes };
}

/** `undefined` where the contents agree, else what differs, for the person who reads the dead letter. */
export function differenceOf(kept: ResultContent, incoming: Result): string | undefined {
  if (kept.mode !== incoming.mode) return `mode ${incoming.mode} instead of ${kept.mode}`;
  const fields = fieldsDifference(kept, incoming.fields);
  if (fields !== undefined) return fields;
  if (kept.achievedAt !== incoming.achievedAt) {
    return `achievedAt ${new Date(incoming.achievedAt).toISOString()} instead of ${new Date(kept.achievedAt).toISOString()}`;
  }
  return scopesText(kept.scopes) === scopesText(incoming.scopes) ? undefined : 'other scopes';
}

function fieldsDifference(kept: ResultContent, incoming: Result['fields']): string | undefined {
  const now = new Map(Object.entries(incoming));
  const held = new Map(Object.entries(kept.fields ?? { points: kept.points }));
  const name = [...now.keys(), ...held.keys()].find((field) => now.get(field) !== held.get(field));
  return name === undefined
    ? undefined
    : `${name} ${now.get(name) ?? 'absent'} instead of ${held.get(name) ?? 'absent'}`;
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
  readonly fields: Record<string, number> | null;
  readonly achieved_ms: string;
  readonly scopes: Record<string, string>;
  readonly source: string;
  readonly source_partition: number;
}

/** The first copy of each identity, on its own day or any other within `maxLatenessMs`. */
export async function findCopies(
  client: PoolClient,
  results: readonly Result[],
  maxLatenessMs: number,
): Promise<Map<string, HeldCopy>> {
  const instants = results.map(({ achievedAt }) => achievedAt);
  const earliest = instants.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const latest = instants.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  // A day more on both sides: clocks of game servers may run ahead.
  const reachMs = maxLatenessMs + DAY_MS;
  const { rows } = await client.query<CopyRow>(
    `SELECT held.match_id, held.player_id, held.mode, held.points::text, held.fields, held.scopes,
            held.source, held.source_partition,
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
        fields: row.fields === null ? null : readFields(row.fields),
        achievedAt: parseSafeInteger(row.achieved_ms, 'match_results.achieved_at'),
        scopes: row.scopes,
        source: row.source,
        partition: row.source_partition,
      },
    ]),
  );
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
