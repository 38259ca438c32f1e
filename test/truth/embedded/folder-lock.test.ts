/** The lock of a data folder while its server is being taken away. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockFolder } from '../../../src/truth/embedded/folder-lock.js';
import { databaseUrl, silent } from '../truth-database.js';

let admin: pg.Pool;
let database: string;
let url: string;

/** Locks are of a database: one for this test alone. */
beforeEach(async () => {
  database = `lock_${randomUUID().replaceAll('-', '')}`;
  admin = new pg.Pool({ connectionString: databaseUrl(), max: 1 });
  await admin.query(`CREATE DATABASE ${database}`);
  url = Object.assign(new URL(databaseUrl()), { pathname: `/${database}` }).href;
});
afterEach(async () => {
  await admin.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  await admin.end();
});

/** Between two questions: an error that comes as an answer is heard anyway. */
async function endIdle(pid: number | undefined): Promise<boolean> {
  const { rowCount } = await admin.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = $1 AND application_name = $2 AND state = 'idle' AND query LIKE '%pg_try_advisory_lock%'`,
    [database, `rankcast ${pid}`],
  );
  return rowCount === 1;
}

test('survives a server that ends while the lock is waited for, and says so to its caller', async () => {
  const held = await lockFolder(url, '/data', silent);
  const script = fileURLToPath(new URL('./lock-and-tell.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, url], { stdio: ['ignore', 'pipe', 'pipe'] });
  const told = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  let isEnded = false;
  while (!isEnded && child.exitCode === null) isEnded = await endIdle(child.pid);
  const [out, error] = await told;
  await held.release();
  expect(isEnded).toBe(true);
  expect(error).toBe('');
  expect(out).toMatch(/^rejected: .*(terminat|connection)/);
});
