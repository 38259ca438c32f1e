/** Who is whose friend, in PostgreSQL: each change in one transaction with its numbered row and its wake-up call. */

import type { Pool, PoolClient } from 'pg';
import { isValidId } from '../domain/ids.js';
import { FriendshipRefusedError } from './friendship-refused-error.js';
import { CHANNEL_SQL, type NumberedSocialChange, readSocialSeq, type SocialChange } from './social-change.js';
import { inTransaction, rethrowAsStoreError } from './transaction-postgres.js';

/** The most friends a player may have. */
export const MAX_FRIENDS = 10_000;

/** How many expired rows one write removes at most: more than it adds, so the table can't grow for good. */
const TRIM_ROWS = 100;

export interface FriendshipPostgresOptions {
  readonly pool: Pool;
  /** Default `MAX_FRIENDS`. */
  readonly maxFriends?: number;
}

export class FriendshipPostgres {
  private readonly pool: Pool;
  private readonly maxFriends: number;

  constructor(options: FriendshipPostgresOptions) {
    this.pool = options.pool;
    this.maxFriends = options.maxFriends ?? MAX_FRIENDS;
  }

  /** Makes the change and gives its number; `null` where there was nothing to change. */
  async change(change: SocialChange): Promise<NumberedSocialChange | null> {
    const { kind, playerId, friendId } = change;
    refuseImpossible(playerId, friendId);
    return inTransaction(this.pool, async (client) => {
      await lockPlayers(client, playerId, friendId);
      const hasChanged =
        kind === 'friend-added'
          ? await this.insert(client, playerId, friendId)
          : await deleteBoth(client, playerId, friendId);
      if (!hasChanged) return null;
      const socialSeq = await recordChange(client, change);
      await trimChanges(client);
      return { kind, playerId, friendId, socialSeq };
    });
  }

  /** The ids of all friends, in the order of their bytes; empty for a player nobody knows. */
  async listFriends(playerId: string): Promise<string[]> {
    const sql = 'SELECT friend_id FROM friendship WHERE player_id = $1 ORDER BY friend_id';
    const reply = await this.pool.query<{ friend_id: string }>(sql, [playerId]).catch(rethrowAsStoreError);
    return reply.rows.map((row) => row.friend_id);
  }

  private async insert(client: PoolClient, playerId: string, friendId: string): Promise<boolean> {
    const sql = `SELECT player_id, count(*)::int AS friends, bool_or(friend_id = ANY($1)) AS has_other
                   FROM friendship WHERE player_id = ANY($1) GROUP BY player_id`;
    type Row = { player_id: string; friends: number; has_other: boolean };
    const { rows } = await client.query<Row>(sql, [[playerId, friendId]]);
    if (rows.some((row) => row.has_other)) return false;
    const full = rows.find((row) => row.friends >= this.maxFriends);
    if (full !== undefined) {
      throw new FriendshipRefusedError(
        'friend_limit',
        `player ${full.player_id} has ${full.friends} friends, and ${this.maxFriends} is the most: remove one first`,
      );
    }
    await client.query('INSERT INTO friendship (player_id, friend_id) VALUES ($1, $2), ($2, $1)', [playerId, friendId]);
    return true;
  }
}

function refuseImpossible(playerId: string, friendId: string): void {
  const bad = [playerId, friendId].find((id) => !isValidId(id));
  if (bad !== undefined) {
    const sentence = 'a player id is text of 1 to 64 bytes of UTF-8 without control characters';
    throw new FriendshipRefusedError('bad_id', `${JSON.stringify(bad)} is no player id: ${sentence}`);
  }
  if (playerId === friendId) {
    throw new FriendshipRefusedError('own_friend', `player ${playerId} cannot be its own friend: name another player`);
  }
}

/**
 * Both players, until the transaction ends: so nobody passes the limit between our count and our insert.
 * In the order of the lock numbers, not of the ids, because two ids may share a number: no two writers wait in a circle.
 */
async function lockPlayers(client: PoolClient, playerId: string, friendId: string): Promise<void> {
  const sql = `SELECT pg_advisory_xact_lock(lock_number) FROM (
                 SELECT DISTINCT hashtextextended(current_schema() || ':friendship:' || id, 0) AS lock_number
                   FROM unnest($1::text[]) AS id ORDER BY lock_number
               ) AS ordered`;
  await client.query(sql, [[playerId, friendId]]);
}

async function deleteBoth(client: PoolClient, playerId: string, friendId: string): Promise<boolean> {
  const sql = 'DELETE FROM friendship WHERE (player_id, friend_id) IN (($1, $2), ($2, $1))';
  const reply = await client.query(sql, [playerId, friendId]);
  return (reply.rowCount ?? 0) > 0;
}

/**
 * The head's row lock is held from here to the commit, so numbers become visible in order and without gaps.
 * It is taken after the players' locks by everybody: the one lock that all share is held for the shortest time.
 */
async function recordChange(client: PoolClient, change: SocialChange): Promise<number> {
  const sql = `WITH head AS (UPDATE social_head SET last = last + 1 RETURNING last),
                    recorded AS (
                      INSERT INTO social_change (social_seq, kind, player_id, friend_id, changed_at)
                      SELECT last, $1, $2, $3, clock_timestamp() FROM head RETURNING social_seq)
               SELECT social_seq, pg_notify(${CHANNEL_SQL}, '') FROM recorded`;
  const { rows } = await client.query<{ social_seq: string }>(sql, [change.kind, change.playerId, change.friendId]);
  return readSocialSeq(rows[0]?.social_seq);
}

/** Only ever the oldest numbers, and under the head's lock: what is kept has no holes, and trims never meet. */
async function trimChanges(client: PoolClient): Promise<void> {
  const sql = `DELETE FROM social_change
                WHERE social_seq IN (SELECT social_seq FROM social_change ORDER BY social_seq LIMIT $1)
                  AND changed_at < clock_timestamp() - interval '1 hour'`;
  await client.query(sql, [TRIM_ROWS]);
}
