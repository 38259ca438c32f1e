import { afterAll, beforeAll, expect, it } from 'vitest';
import { summarizeOffsets } from '../../src/truth/offset-index.js';
import { CheckpointLog } from './checkpoint-log.js';
import { createTruthDatabase, type TruthDatabase } from './truth-database.js';

let database: TruthDatabase;
beforeAll(async () => {
  database = await createTruthDatabase();
});
afterAll(() => database.drop());

it('gives way to whoever vacuums a day before the server would end that vacuum for it', async () => {
  await new CheckpointLog(database, 'arena').append([{ kind: 'result', match: 1, player: 0, points: 5, at: 0 }]);
  const vacuum = await database.pool.connect();
  const client = await database.pool.connect();
  try {
    // The lock of a vacuum. The server ends an automatic one once another has waited for the whole of this time.
    await vacuum.query('BEGIN');
    await vacuum.query('LOCK TABLE match_results_20260401 IN SHARE UPDATE EXCLUSIVE MODE');
    const [limit] = await database.ask<{ ms: number }>(
      "SELECT setting::int AS ms FROM pg_settings WHERE name = 'deadlock_timeout'",
    );
    const startedAt = performance.now();
    await summarizeOffsets(client, 60_000);
    expect(performance.now() - startedAt).toBeLessThan(limit?.ms ?? 0);
  } finally {
    await vacuum.query('ROLLBACK');
    vacuum.release();
    client.release();
  }
});
