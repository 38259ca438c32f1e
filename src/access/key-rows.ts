/** Rows of `access_key`: how they are read, and the one rule of when a key no longer counts. */

import type { PoolClient } from 'pg';
import type { FoundKey, KeyWindow } from '../domain/access-key.js';

/** True of a row whose key counts no more. */
export const IS_OVER_SQL = '(revoked_at IS NOT NULL OR coalesce(expires_at <= clock_timestamp(), false))';

export const KEY_COLUMNS = `key_id, title, boards, windows, player_id, ${milliseconds('created_at')} AS created_ms,
  ${milliseconds('expires_at')} AS expires_ms, ${milliseconds('revoked_at')} AS revoked_ms, ${IS_OVER_SQL} AS is_over`;

export interface KeyRow {
  readonly key_id: string;
  readonly title: string;
  readonly boards: readonly string[];
  readonly windows: readonly KeyWindow[];
  readonly player_id: string | null;
  readonly created_ms: number;
  readonly expires_ms: number | null;
  readonly revoked_ms: number | null;
  readonly is_over: boolean;
}

/** Epoch milliseconds, exact in a double. */
export function milliseconds(column: string): string {
  return `floor(extract(epoch FROM ${column}) * 1000)::float8`;
}

export function toKey(row: KeyRow): FoundKey {
  return {
    keyId: row.key_id,
    title: row.title,
    boards: row.boards,
    windows: row.windows,
    playerId: row.player_id,
    createdAt: row.created_ms,
    expiresAt: row.expires_ms,
    revokedAt: row.revoked_ms,
    isOver: row.is_over,
  };
}

/** Also keys that are over; `null` where there is none. */
export async function readKey(
  client: PoolClient,
  column: 'key_id' | 'key_hash',
  value: string | Buffer,
): Promise<FoundKey | null> {
  const { rows } = await client.query<KeyRow>(`SELECT ${KEY_COLUMNS} FROM access_key WHERE ${column} = $1`, [value]);
  return rows[0] === undefined ? null : toKey(rows[0]);
}
