/** What keys and tickets need of the database; the composition root builds it from truth's pool. */

import type { PoolClient } from 'pg';

export interface AccessDatabase {
  /** BEGIN, `work`, COMMIT; any error rolls back and is thrown as a `RankcastError`. */
  transact<T>(work: (client: PoolClient) => Promise<T>): Promise<T>;
}
