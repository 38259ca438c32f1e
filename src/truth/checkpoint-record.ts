/** Where the checkpoint of a tag stands: table `board_checkpoint`. Written only by who holds the tag's lock. */

import type { PoolClient } from 'pg';
import type { BoardSeason } from '../domain/board-season.js';
import type { Position } from '../domain/log-record.js';
import { parseSafeInteger } from '../domain/safe-integer.js';
import { patientQuery } from './patient-query.js';

export interface CheckpointRecord {
  /**
   * The entries are the fold of the rows below these. Of detached days they have all rows, whose positions lie below these
   * as well but while a checkpoint that started anew is on its first way.
   */
  readonly positions: readonly Position[];
  /** In which rows were read last; a pg_snapshot as text. */
  readonly snapshot: string;
  /** Epoch milliseconds: entries of lists that were not kept then are gone. */
  readonly droppedAt: number;
}

interface RecordRow {
  readonly positions: readonly Position[];
  readonly snapshot: string;
  readonly dropped_ms: string;
}

/**
 * Numbers of transactions mean something only in the cluster that gave them out: a dump that is restored elsewhere brings
 * a snapshot that says nothing of the changes that come after it.
 */
const SYSTEM_IDENTIFIER = '(SELECT system_identifier FROM pg_control_system())';

/** `null`: there is none, or one of another definition or another cluster, whose entries are worth nothing. */
export async function readCheckpoint(
  client: PoolClient,
  { name, definition }: BoardSeason,
): Promise<CheckpointRecord | null> {
  const { rows } = await client.query<RecordRow>(
    `SELECT positions, snapshot::text,
            floor(extract(epoch FROM dropped_at) * 1000)::bigint::text AS dropped_ms
       FROM board_checkpoint
      WHERE tag = $1 AND definition_hash = $2 AND system_identifier = ${SYSTEM_IDENTIFIER}`,
    [name, definition.hash],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const droppedAt = parseSafeInteger(row.dropped_ms, 'board_checkpoint.dropped_at');
  return { positions: row.positions, snapshot: row.snapshot, droppedAt };
}

/** The fold of nothing, in place of whatever was there. */
export async function startCheckpoint(
  client: PoolClient,
  { name, definition }: BoardSeason,
  now: number,
  timeoutMs: number,
): Promise<void> {
  await client.query(patientQuery(timeoutMs, 'DELETE FROM board_checkpoint_entry WHERE tag = $1', [name]));
  await client.query(
    `INSERT INTO board_checkpoint AS held
            (tag, definition_hash, positions, snapshot, system_identifier, dropped_at)
     VALUES ($1, $2, '[]', pg_current_snapshot(), ${SYSTEM_IDENTIFIER}, $3)
     ON CONFLICT (tag) DO UPDATE
        SET definition_hash = excluded.definition_hash, positions = excluded.positions,
            snapshot = excluded.snapshot, system_identifier = excluded.system_identifier,
            dropped_at = excluded.dropped_at, updated_at = excluded.updated_at`,
    [name, definition.hash, new Date(now).toISOString()],
  );
}

/** In the transaction whose snapshot the rows were read in. */
export async function moveCheckpoint(
  client: PoolClient,
  { name }: BoardSeason,
  positions: readonly Position[],
): Promise<void> {
  await client.query(
    `UPDATE board_checkpoint
        SET positions = $2, snapshot = pg_current_snapshot(), updated_at = now()
      WHERE tag = $1`,
    [name, JSON.stringify(positions)],
  );
}
