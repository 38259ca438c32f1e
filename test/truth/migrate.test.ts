import { afterEach, describe, expect, it } from 'vitest';
import { StartRefusedError } from '../../src/domain/errors.js';
import { DayPartitions } from '../../src/truth/day-partitions.js';
import { migrate, readMigrations } from '../../src/truth/migrate.js';
import { createTruthDatabase, silent, type TruthDatabase } from './truth-database.js';

let database: TruthDatabase | undefined;
afterEach(() => database?.drop());

describe('migrate', () => {
  it('creates the schema once when several processes start together', async () => {
    database = await createTruthDatabase({ isMigrated: false });
    const { schema, newPool } = database;
    await Promise.all([1, 2, 3].map(() => migrate({ pool: newPool(), schema, logger: silent })));
    const rows = await database.ask<{ version: number }>('SELECT version FROM schema_migration ORDER BY version');
    expect(rows.map(({ version }) => version)).toEqual((await readMigrations()).map(({ version }) => version));
    expect(await database.ask('SELECT last::int FROM log_head')).toEqual([{ last: 0 }]);
  });

  it('refuses a schema that a newer Rankcast has made, naming both versions', async () => {
    database = await createTruthDatabase();
    await database.ask(`INSERT INTO schema_migration (version, name) VALUES (9999, 'from_the_future')`);
    const again = migrate({ pool: database.pool, schema: database.schema, logger: silent });
    await expect(again).rejects.toThrow(/version 9999/);
    await expect(again).rejects.toBeInstanceOf(StartRefusedError);
  });

  it('leaves nothing of a migration that fails', async () => {
    database = await createTruthDatabase();
    const { pool, schema } = database;
    const bad = { version: 9000, name: 'bad', sql: 'CREATE TABLE half (a int); SELECT 1 / 0;' };
    const run = migrate({ pool, schema, logger: silent, migrations: [...(await readMigrations()), bad] });
    await expect(run).rejects.toThrow(/9000 \(bad\)/);
    expect(await database.ask(`SELECT to_regclass('half') AS half`)).toEqual([{ half: null }]);
    await migrate({ pool, schema, logger: silent });
  });

  it("brings a player's index to the days that an earlier version has made", async () => {
    database = await createTruthDatabase({ isMigrated: false });
    const { pool, schema } = database;
    const earlier = (await readMigrations()).filter(({ version }) => version < 4);
    await migrate({ pool, schema, logger: silent, migrations: earlier });
    await new DayPartitions(pool).ensure(['2026-04-01']);
    await migrate({ pool, schema, logger: silent });
    await new DayPartitions(pool).ensure(['2026-04-02']);
    const indexes = await database.ask<{ tablename: string }>(
      `SELECT tablename FROM pg_indexes WHERE schemaname = $1 AND indexdef LIKE '%(player_id, achieved_at)' ORDER BY 1`,
      [schema],
    );
    const tables = ['match_results', 'match_results_20260401', 'match_results_20260402'];
    expect(indexes.map(({ tablename }) => tablename)).toEqual(tables);
  });
});
