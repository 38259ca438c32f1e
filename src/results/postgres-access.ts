/** What the parts that keep a log in PostgreSQL need of the database; app.ts builds it from truth's pool. */

import type { Pool, PoolClient } from 'pg';

export interface PostgresAccess {
  readonly pool: Pool;
  /** BEGIN, `work`, COMMIT; any error rolls back and is thrown as a `RankcastError`. */
  transact<T>(work: (client: PoolClient) => Promise<T>): Promise<T>;
}
