/**
 * Overlay keys in PostgreSQL: read-only, bound to boards and window kinds, and revocable.
 *
 * Nothing is cached: a session looks its key up once, at HELLO, by an index; so a revoked key opens nothing from the moment on
 * at which its revocation was answered, whichever server it comes to. For sessions that are there already: `KeyWatch`.
 */

import { randomBytes } from 'node:crypto';
import { type AccessKey, type FoundKey, KEY_PREFIX, type KeyDraft } from '../domain/access-key.js';
import type { AccessDatabase } from './access-database.js';
import { KEY_COLUMNS, type KeyRow, readKey, toKey } from './key-rows.js';
import { hashOf, newSecret } from './secrets.js';

const KEY_ID_BYTES = 8;
const KEY_ID_PATTERN = /^[0-9a-f]{16}$/;

/** Every method throws `StoreUnavailableError` where PostgreSQL does not answer. */
export class AccessKeys {
  constructor(private readonly database: AccessDatabase) {}

  /** `key` is shown here and never again. */
  async create(draft: KeyDraft): Promise<AccessKey & { readonly key: string }> {
    const { title, boards, windows, playerId, expiresInMs } = draft;
    const key = newSecret(KEY_PREFIX);
    const keyId = randomBytes(KEY_ID_BYTES).toString('hex');
    const sql = `INSERT INTO access_key (key_id, key_hash, title, boards, windows, player_id, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6, now() + $7::float8 * interval '1 millisecond') RETURNING ${KEY_COLUMNS}`;
    const values = [keyId, hashOf(key), title, boards, windows, playerId, expiresInMs];
    const [created] = await this.database.transact(async (client) => (await client.query<KeyRow>(sql, values)).rows);
    if (created === undefined) throw new Error('PostgreSQL made a key and did not return it');
    return { ...withoutVerdict(toKey(created)), key };
  }

  /** All there ever were, the newest first. */
  async list(): Promise<AccessKey[]> {
    const sql = `SELECT ${KEY_COLUMNS} FROM access_key ORDER BY created_at DESC, key_id`;
    const { rows } = await this.database.transact((client) => client.query<KeyRow>(sql));
    return rows.map((row) => withoutVerdict(toKey(row)));
  }

  /** Whether there is such a key; for one that is revoked already this changes nothing. */
  async revoke(keyId: string): Promise<boolean> {
    if (!KEY_ID_PATTERN.test(keyId)) return false;
    const sql = 'UPDATE access_key SET revoked_at = coalesce(revoked_at, clock_timestamp()) WHERE key_id = $1';
    const { rowCount } = await this.database.transact((client) => client.query(sql, [keyId]));
    return rowCount === 1;
  }

  /** By the key as a client sent it; `null` for what is no key of ours. */
  async find(key: string): Promise<FoundKey | null> {
    return await this.database.transact((client) => readKey(client, 'key_hash', hashOf(key)));
  }
}

function withoutVerdict({ isOver: _, ...key }: FoundKey): AccessKey {
  return key;
}
