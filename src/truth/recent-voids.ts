/** The voids of some days, for rankings that leave out copies of voided results. */

import type { Pool } from 'pg';
import { toStoreError } from './store-errors.js';

export class RecentVoids {
  constructor(private readonly pool: Pool) {}

  /** Voids that the log stamped at or after an instant, epoch milliseconds. Throws `StoreUnavailableError`. */
  async voidedSince(since: number): Promise<readonly { readonly matchId: string; readonly playerId: string }[]> {
    const { rows } = await this.pool
      .query<{ match_id: string; player_id: string }>(
        'SELECT match_id, player_id FROM voided_result WHERE voided_at >= $1',
        [new Date(since).toISOString()],
      )
      .catch((error: unknown) => {
        throw toStoreError(error);
      });
    return rows.map((row) => ({ matchId: row.match_id, playerId: row.player_id }));
  }
}
