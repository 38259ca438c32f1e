/** What is asked of the checkpoints of all tags: how old they are. */

import type { Pool } from 'pg';
import { toStoreError } from './store-errors.js';

/** Milliseconds by the name of the tag since each checkpoint made its last step; none of one that made none yet. */
export async function checkpointAges(pool: Pool): Promise<ReadonlyMap<string, number>> {
  const { rows } = await pool
    .query<{ tag: string; age: number }>(
      'SELECT tag, (extract(epoch FROM now() - updated_at) * 1000)::float8 AS age FROM board_checkpoint WHERE updated_at IS NOT NULL',
    )
    .catch((error: unknown) => {
      throw toStoreError(error);
    });
  return new Map(rows.map(({ tag, age }) => [tag, age]));
}
