/** One-time tickets in PostgreSQL, for clients that can send a credential in the URL only: each counts once, for half a minute. */

import type { PoolClient } from 'pg';
import type { RedeemedTicket, TicketHolder } from '../domain/access-key.js';
import type { AccessDatabase } from './access-database.js';
import { milliseconds, readKey } from './key-rows.js';
import { hashOf, newSecret } from './secrets.js';

/** PROTOCOL.md, 3.1. */
export const TICKET_LIFETIME_MS = 30_000;
const TICKET_PREFIX = 'rct_';

/** How many tickets that are over one write removes at most: more than it adds, so the table can't grow for good. */
const TRIM_ROWS = 100;

export interface TicketsOptions {
  readonly database: AccessDatabase;
  /** Default `TICKET_LIFETIME_MS`. */
  readonly lifetimeMs?: number;
}

interface TicketRow {
  readonly player_id: string | null;
  readonly token_expires_ms: number | null;
  readonly key_id: string | null;
  readonly counts: boolean;
}

/** Every method throws `StoreUnavailableError` where PostgreSQL does not answer. */
export class Tickets {
  private readonly database: AccessDatabase;
  private readonly lifetimeMs: number;

  constructor(options: TicketsOptions) {
    this.database = options.database;
    this.lifetimeMs = options.lifetimeMs ?? TICKET_LIFETIME_MS;
  }

  async issue(holder: TicketHolder): Promise<{ readonly ticket: string; readonly expiresInMs: number }> {
    const ticket = newSecret(TICKET_PREFIX);
    const [playerId, tokenEnd, keyId] =
      holder.kind === 'player' ? [holder.playerId, holder.expiresAt, null] : [null, null, holder.keyId];
    await this.database.transact(async (client) => {
      await trimTickets(client);
      await client.query(
        `INSERT INTO socket_ticket (ticket_hash, player_id, token_expires_at, key_id, expires_at)
         VALUES ($1, $2, to_timestamp($3::float8 / 1000), $4, clock_timestamp() + $5::float8 * interval '1 millisecond')`,
        [hashOf(ticket), playerId, tokenEnd, keyId, this.lifetimeMs],
      );
    });
    return { ticket, expiresInMs: this.lifetimeMs };
  }

  /**
   * `null` for one that is unknown, over or used. Of several servers that are asked at once one gets the row: the others wait
   * for its lock and find it deleted. Where the answer is lost on its way the ticket is, too.
   */
  async redeem(ticket: string): Promise<RedeemedTicket | null> {
    return await this.database.transact(async (client) => {
      const sql = `DELETE FROM socket_ticket WHERE ticket_hash = $1
        RETURNING player_id, ${milliseconds('token_expires_at')} AS token_expires_ms, key_id,
                  expires_at > clock_timestamp() AS counts`;
      const [row] = (await client.query<TicketRow>(sql, [hashOf(ticket)])).rows;
      if (row === undefined || !row.counts) return null;
      if (row.player_id !== null) return { kind: 'player', playerId: row.player_id, expiresAt: row.token_expires_ms };
      const key = row.key_id === null ? null : await readKey(client, 'key_id', row.key_id);
      return key === null ? null : { kind: 'key', key };
    });
  }
}

/** Rows that another write removes just now are left to it: nobody waits. */
async function trimTickets(client: PoolClient): Promise<void> {
  const sql = `DELETE FROM socket_ticket WHERE ticket_hash IN (
    SELECT ticket_hash FROM socket_ticket WHERE expires_at <= clock_timestamp()
     ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)`;
  await client.query(sql, [TRIM_ROWS]);
}
